"""Designs of an estimator that works while the arm moves on servos, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ekf.payload.momentum_payload import MomentumPayload
from ekf.payload.moving_payload import MovingPayload
from ekf.payload.servo_torque import (
    CommandedTorque,
    ServoTorque,
    TorqueSource,
    fit_servo_torque,
)
from ekf.payload.template_rls import TemplateRLS
from ekf.signals.samples import JointSample
from models.arrays import Array
from wbmpc.arm.description import TIP, Arm
from wbmpc.arm.interface import ArmPlant
from wbmpc.arm.reference import PoseTour
from wbmpc.arm.servo_arm import ServoMeasurement

CALIBRATION_POSES_RAD = np.array(
    [
        [0.10, 0.15, -0.35, 0.20, 0.10, 0.0],
        [0.00, 0.20, -0.80, 0.15, 0.00, 0.0],
        [0.45, 0.10, -1.10, 0.40, 0.20, 0.0],
        [0.55, 0.40, -0.70, 0.20, 0.25, 0.0],
        [0.30, 0.25, -0.95, 0.10, 0.35, 0.0],
        [0.20, 0.35, -0.85, 0.30, 0.10, 0.0],
    ]
)
"""High above the table, in both directions of every joint that carries weight."""
CALIBRATION_ROUNDS = 2
CALIBRATION_MOVE_S, CALIBRATION_REST_S = 1.0, 0.3


@dataclass(frozen=True, kw_only=True)
class ServoLog:
    """Readings of the bus along a run, T periods of n joints.

    Attributes:
        time_s: (T,) times.
        q: (T, n) angles.
        v: (T, n) velocities.
        goal: (T, n) goals held since the sample before.
        tau_Nm: (T, n) torques asked for over the same time.
    """

    time_s: Array
    q: Array
    v: Array
    goal: Array
    tau_Nm: Array


class Recorder:
    """A plant that keeps what it measured."""

    def __init__(self, plant: ArmPlant) -> None:
        """Wrap a plant on servos."""
        self._plant = plant
        self._rows: list[ServoMeasurement] = []

    @property
    def dt_s(self) -> float:
        """Length of one period."""
        return self._plant.dt_s

    @property
    def fault(self) -> str | None:
        """Why the plant stopped; None while it runs."""
        return self._plant.fault

    def reset(self, q: Array) -> ServoMeasurement:
        """Start again, with an empty log."""
        self._rows = []
        return self._keep(self._plant.reset(q))

    def step(self, tau_Nm: Array, q_wanted: Array) -> ServoMeasurement:
        """One period."""
        return self._keep(self._plant.step(tau_Nm, q_wanted))

    def log(self) -> ServoLog:
        """Everything since the last reset."""
        return ServoLog(
            time_s=np.array([row.time_s for row in self._rows]),
            q=np.array([row.q for row in self._rows]),
            v=np.array([row.v for row in self._rows]),
            goal=np.array([row.goal_rad for row in self._rows]),
            tau_Nm=np.array([row.tau_Nm for row in self._rows]),
        )

    def _keep(self, measurement: object) -> ServoMeasurement:
        assert isinstance(measurement, ServoMeasurement)
        self._rows.append(measurement)
        return measurement


def calibration_tour(arm: Arm, rounds: int) -> PoseTour:
    """From zero through all calibration poses, so many times."""
    return PoseTour(
        np.zeros(len(arm.joint_names)),
        list(CALIBRATION_POSES_RAD) * rounds,
        move_s=CALIBRATION_MOVE_S,
        rest_s=CALIBRATION_REST_S,
    )


def calibrate_servos(arm: Arm, empty: ArmPlant) -> ServoTorque:
    """Move the empty arm from pose to pose and fit its servos to its own weight.

    Raises:
        InvalidSettingError: No joint moved enough.
    """
    recorder, still = Recorder(empty), np.zeros(len(arm.joint_names))
    recorder.reset(still)
    tour = calibration_tour(arm, CALIBRATION_ROUNDS)
    for index in range(round(tour.duration_s / empty.dt_s)):
        recorder.step(still, tour.at(index * empty.dt_s).q)
    log = recorder.log()
    return fit_servo_torque(
        arm.model, zip(log.time_s, log.q, log.v, log.goal, strict=True)
    )


Design = Callable[[ServoLog], Array]
"""A log to the raw mass after each sample (T,) [kg]."""


def designs(arm: Arm, servo: ServoTorque) -> dict[str, Design]:
    """Every design by name, from the one that collapses to the one that works.

    Args:
        arm: The arm.
        servo: The servos, calibrated on the empty arm.
    """
    believed = ServoTorque.believed(arm.settings.servo.stiffness_Nm_per_rad)
    command, goal = "tau_Nm", "goal"
    return {
        "motion RLS, commanded torque": lambda log: _motion_rls(arm, log),
        "filtered, commanded torque": _filtered(
            arm, CommandedTorque(), command, sigma=1.0
        ),
        "filtered, servo torque, believed stiffness": _filtered(
            arm, believed, goal, sigma=1.0
        ),
        "momentum observer, believed stiffness": _momentum(arm, believed),
        "momentum observer, calibrated servo": _momentum(arm, servo),
        "filtered, calibrated servo, at rest too": _filtered(
            arm, servo, goal, sigma=servo.sigma, slowest_rad_per_s=0.0
        ),
        OURS: _filtered(arm, servo, goal, sigma=servo.sigma),
        "the same, total least squares": _filtered(
            arm, servo, goal, sigma=servo.sigma, total=True
        ),
    }


OURS = "filtered, calibrated servo, while moving"


def _motion_rls(arm: Arm, log: ServoLog) -> Array:
    template = arm.settings.payload.template_kg
    rls = TemplateRLS(arm.model, arm.loaded_model(template), template)
    masses = []
    for row in zip(log.time_s, log.q, log.v, log.tau_Nm, strict=True):
        rls.learn_one(_sample(*row))
        masses.append(rls.raw_mass_kg)
    return np.array(masses)


def _filtered(
    arm: Arm,
    source: TorqueSource,
    signal: str,
    *,
    sigma: Array | float,
    total: bool = False,
    slowest_rad_per_s: float = 0.1,
) -> Design:
    def estimate(log: ServoLog) -> Array:
        template = arm.settings.payload.template_kg
        moving = MovingPayload(
            arm.model,
            arm.loaded_model(template),
            template,
            source,
            sigma=sigma,
            slowest_rad_per_s=slowest_rad_per_s,
        )
        masses = []
        for row in zip(log.time_s, log.q, log.v, getattr(log, signal), strict=True):
            moving.push(*row)
            masses.append(moving.total_mass_kg if total else moving.raw_mass_kg)
        return np.array(masses)

    return estimate


def _momentum(arm: Arm, servo: ServoTorque) -> Design:
    def estimate(log: ServoLog) -> Array:
        observer = MomentumPayload(arm.model, TIP, 1.0)
        masses = []
        rows: Sequence[Array] = (log.time_s, log.q, log.v, log.goal)
        for time_s, q, v, goal in zip(*rows, strict=True):
            friction = servo.coulomb * np.sign(v) + servo.viscous * v
            torque = servo.stiffness * (goal - q) - friction
            observer.learn_one(_sample(time_s, q, v, torque))
            masses.append(float(observer.state[0]))
        return np.array(masses)

    return estimate


def _sample(time_s: float, q: Array, v: Array, tau: Array) -> JointSample:
    return JointSample(time_s=float(time_s), q=q, v=v, tau=tau)
