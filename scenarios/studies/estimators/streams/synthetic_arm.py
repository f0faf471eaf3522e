"""A fixed-base arm on a band-limited motion, with noise, friction and a payload."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pinocchio as pin

from ekf import JointLog
from ekf.payload.payload_torque import locate
from models.arrays import Array
from scenarios.errors import ScenarioError
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.streams.robots import joint_limits
from scenarios.studies.estimators.streams.stream import Stream

FREE_RANGE = 1.0
"""Range [rad, m] used for a joint without limits."""
LONGEST = 10_000_000


class ArmStreamSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One synthetic stream.

    Joint j of n follows
    ``mid_j + amplitude * range_j * sin(2 pi f_j t / period + j / 2)`` with
    ``f_j = 1 + j/4``: a single line per joint, at most ``(1 + (n-1)/4) / period`` Hz.

    Raises:
        ScenarioError: On construction, for a number out of range.
    """

    rate_hz: float = 50.0
    duration_s: float = 8.0
    period_s: float = 4.0
    """Period of the first joint."""
    amplitude: float = 0.3
    """Share of each joint's range."""
    payload_kg: float = 5.0
    payload_at_s: float = 2.0
    payload_com_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Centre of the payload in the frame of the link that carries it."""
    payload_radius_m: float = 0.0
    """Radius of the payload, a solid sphere; 0 for a point."""
    weight_only: bool = False
    """Leave out the payload's inertial forces: weight without inertia, which no body
    has, but which gravity-only estimators assume."""
    noise_q: float = 1e-3
    """Standard deviation of the position noise [rad, m]."""
    noise_v: float = 5e-3
    """Standard deviation of the velocity noise [rad/s, m/s]."""
    noise_tau: float = 5e-2
    """Standard deviation of the torque noise [Nm, N]."""
    viscous: float = 0.0
    """Viscous friction of every joint [Nm s/rad, N s/m]."""
    coulomb: float = 0.0
    """Coulomb friction of every joint [Nm, N]."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Check ranges."""
        for name in ("rate_hz", "duration_s", "period_s"):
            _require(name, getattr(self, name), 1e-9, 1e9)
        for name in ("payload_kg", "payload_radius_m", "payload_at_s", "amplitude"):
            _require(name, getattr(self, name), 0.0, 1e6)
        for name in ("noise_q", "noise_v", "noise_tau", "viscous", "coulomb"):
            _require(name, getattr(self, name), 0.0, 1e6)
        _require("duration_s * rate_hz", self.duration_s * self.rate_hz, 2, LONGEST)


def synthetic_arm(
    robot: EstimationRobot, settings: ArmStreamSettings, *, name: str = "arm"
) -> Stream:
    """Inverse dynamics along the motion, measured with noise.

    Raises:
        ScenarioError: The robot has joints of several degrees of freedom.
    """
    model = robot.model
    motion = _Motion(model, settings)
    plant = _Plant(robot, settings)
    times = np.arange(round(settings.duration_s * settings.rate_hz)) / settings.rate_hz
    rng = np.random.default_rng(settings.seed)
    deviations = (settings.noise_q, settings.noise_v, settings.noise_tau)
    # Drawn joint after joint, channel after channel: a stream is a prefix of a longer.
    noise = rng.standard_normal((len(times), model.nv, 3)) * np.array(deviations)
    rows = []
    for time_s, (dq, dv, dtau) in zip(times, noise.transpose(0, 2, 1), strict=True):
        q, v, a = motion(float(time_s))
        tau = plant.torque(q, v, a, loaded=time_s >= settings.payload_at_s)
        rows.append((pin.integrate(model, q, dq), v + dv, tau + dtau))
    q, v, tau = (np.array(column) for column in zip(*rows, strict=True))
    return Stream(
        name=name,
        robot=robot,
        log=JointLog(time_s=times, q=q, v=v, tau=tau),
        truth_kg=np.where(times >= settings.payload_at_s, settings.payload_kg, 0.0),
        at_s=settings.payload_at_s,
    )


class _Motion:
    def __init__(self, model: pin.Model, settings: ArmStreamSettings) -> None:
        lower, upper = joint_limits(model)
        free = ~(np.isfinite(lower) & np.isfinite(upper))
        lower[free], upper[free] = -FREE_RANGE / 2, FREE_RANGE / 2
        index = np.arange(model.nv)
        self._model, self._neutral = model, pin.neutral(model)
        self._middle = 0.5 * (lower + upper)
        self._amplitude = settings.amplitude * (upper - lower)
        self._rate = 2.0 * np.pi * (1.0 + 0.25 * index) / settings.period_s
        self._phase = 0.5 * index

    def __call__(self, time_s: float) -> tuple[Array, Array, Array]:
        angle = self._rate * time_s + self._phase
        x = self._amplitude * np.sin(angle)
        v = self._amplitude * self._rate * np.cos(angle)
        q = pin.integrate(self._model, self._neutral, self._middle + x)
        return q, v, -x * self._rate**2


class _Plant:
    def __init__(self, robot: EstimationRobot, settings: ArmStreamSettings) -> None:
        self._settings = settings
        self._empty, self._full = robot.model, robot.model.copy()
        joint, placement = locate(self._full, robot.link)
        if settings.payload_kg > 0.0:
            load = placement.act(_payload(settings))
            self._full.inertias[joint] = self._full.inertias[joint] + load
        self._data = self._full.createData()

    def torque(self, q: Array, v: Array, a: Array, *, loaded: bool) -> Array:
        settings = self._settings
        friction = settings.viscous * v + settings.coulomb * np.sign(v)
        if not loaded:
            return pin.rnea(self._empty, self._data, q, v, a) + friction
        if not settings.weight_only:
            return pin.rnea(self._full, self._data, q, v, a) + friction
        weight = pin.computeGeneralizedGravity(self._full, self._data, q).copy()
        weight -= pin.computeGeneralizedGravity(self._empty, self._data, q)
        return pin.rnea(self._empty, self._data, q, v, a) + weight + friction


def _payload(settings: ArmStreamSettings) -> pin.Inertia:
    centre = np.array(settings.payload_com_m)
    share = 0.4 * settings.payload_radius_m**2
    about_centre = settings.payload_kg * share * np.eye(3)
    return pin.Inertia(settings.payload_kg, centre, about_centre)


def _require(name: str, value: float, low: float, high: float) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise ScenarioError(f"{name} = {value:g}: must be between {low:g} and {high:g}")
