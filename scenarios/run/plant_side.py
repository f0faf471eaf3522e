"""The plant, and what the control side is told of its state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from models.arrays import Array
from scenarios.errors import ScenarioError
from scenarios.run.sensor_faults import SensorFaults
from scenarios.run.settings import RunSettings
from wbmpc.conventions import BASE_NQ, BASE_NV
from wbmpc.errors import SettingsError, UnknownNameError
from wbmpc.friction import JointFriction, effort_scale_Nm
from wbmpc.plant.gate import check_models
from wbmpc.plant.imperfections import (
    CLEAN,
    PRESETS,
    ImperfectionSettings,
    without,
)
from wbmpc.plant.interface import (
    Disturbable,
    Measurement,
    Plant,
    PlantTruth,
    SensorReadings,
)
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.reading_guard import ReadingGuard
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import Robot
from wbmpc.state_estimation import (
    BaseEstimate,
    BaseEstimator,
    ContactEkf,
    FixedFeetFilter,
    measurement_from,
)

BASE_ESTIMATORS: dict[str, Callable[[Robot], BaseEstimator]] = {
    "contact_ekf": ContactEkf,
    "fixed_feet": FixedFeetFilter,
}


@dataclass(frozen=True, kw_only=True)
class PlantState:
    """One instant of the plant.

    Attributes:
        seen: What the control side may use.
        truth: The simulator's state, for metrics; None where there is no simulator.
        base: Estimate of the base; None when the simulator's state is used.
    """

    seen: Measurement
    truth: Measurement | None = None
    base: BaseEstimate | None = None

    @property
    def known(self) -> Measurement:
        """The truth, or as much of it as the robot sees."""
        return self.seen if self.truth is None else self.truth


@dataclass(frozen=True, kw_only=True)
class TickTruth:
    """The truth of a simulator at a control tick, besides its state.

    Attributes:
        wrenches: (2, 6) ground on left and right foot [N, Nm] at the soles.
        loads_kg: (2,) held at the tips of the left and the right arm.
    """

    wrenches: Array
    loads_kg: Array


class JointReadings:
    """Joint readings as the control side gets them: spoilt on request, then guarded."""

    def __init__(self, settings: RunSettings, robot: Robot) -> None:
        """Prepare the faults of a run.

        Raises:
            UnknownNameError: A fault at a joint the robot does not have.
        """
        efforts_Nm = effort_scale_Nm(robot.torque_limits_full_Nm)
        self._faults = SensorFaults(
            settings.faults, robot.joint_names, efforts_Nm, settings.seed
        )
        self._guard = ReadingGuard(robot.joint_names)

    @property
    def fault(self) -> str | None:
        """Which joints have been without a reading for too long."""
        return self._guard.fault

    @property
    def counts(self) -> dict[str, int]:
        """Refused readings by joint."""
        return {f"reading_{name}": n for name, n in self._guard.counts.items()}

    def reset(self, q: Array) -> None:
        """Start at rest in known positions (n,)."""
        self._guard.reset(q)

    def read(
        self, time_s: float, q: Array, v: Array, tau_Nm: Array
    ) -> tuple[Array, Array, Array]:
        """Positions, velocities and torques (n,) that may be used."""
        q, v, tau_Nm = self._faults.spoil(time_s, q, v, tau_Nm)
        q, v = self._guard.check(q, v)
        return q, v, tau_Nm


class PlantSide:
    """A plant, and what the control side is told of its state at every step."""

    def __init__(
        self,
        plant: Plant,
        joint_readings: JointReadings,
        *,
        estimator: BaseEstimator | None = None,
        truth: PlantTruth | None = None,
        disturbable: Disturbable | None = None,
    ) -> None:
        """Couple a plant with sensors and, unless its truth is told, an estimator.

        Args:
            plant: The plant.
            joint_readings: Spoils and guards what its joints read.
            estimator: Of the base; None: the simulator's state is told, with torques
                as the robot measures them.
            truth: What a simulator knows; None where there is none.
            disturbable: Takes loads and pushes; None where only a person can.

        Raises:
            ScenarioError: Neither an estimator nor a truth.
        """
        if estimator is None and truth is None:
            raise ScenarioError("a plant without truth needs an estimator of its base")
        self.plant, self.truth, self.disturbable = plant, truth, disturbable
        self._joints, self._estimator = joint_readings, estimator
        self._spent_s = 0.0

    @property
    def fault(self) -> str | None:
        """Why plant or readings cannot be gone on with; None while they can."""
        return self.plant.fault or self._joints.fault

    def reset(self, q: Array) -> PlantState:
        """Start at rest in configuration `q` of `Robot.full_model`, known to all."""
        self._joints.reset(q[7:])
        self.plant.reset(q)
        if self._estimator is None:
            return self._true_state()
        readings = self._sensed()
        return self._state(readings, self._estimator.reset(q, readings))

    def step(self, tau_Nm: Array) -> PlantState:
        """Apply joint torques for one step."""
        self.plant.step(tau_Nm)
        if self._estimator is None:
            return self._true_state()
        readings = self._sensed()
        started = time.perf_counter()
        base = self._estimator.update(readings)
        self._spent_s += time.perf_counter() - started
        return self._state(readings, base)

    def tick_truth(self, robot: Robot) -> TickTruth | None:
        """Ground wrenches and loads now; None where nobody knows."""
        if self.truth is None:
            return None
        tips = [arm.tip_frame for arm in robot.arms.values()]
        return TickTruth(
            wrenches=self.truth.contact_truth().wrenches,
            loads_kg=np.array([self.truth.payload_mass_kg(tip) for tip in tips]),
        )

    def take_estimation_ms(self) -> float:
        """Time spent on estimating the base since the last call."""
        spent_s, self._spent_s = self._spent_s, 0.0
        return 1e3 * spent_s

    def faults(self) -> dict[str, int]:
        """Refused samples by reason, refused readings by joint."""
        rejections = {} if self._estimator is None else self._estimator.rejections
        rejected = {f"base_{reason}": n for reason, n in rejections.items()}
        return rejected | self._joints.counts

    def _true_state(self) -> PlantState:
        """Base and joints of the simulator, torques as they are measured."""
        assert self.truth is not None
        truth = self.truth.state
        joints = truth.q[BASE_NQ:], truth.v[BASE_NV:], self.plant.readings.tau_Nm
        q, v, tau_Nm = self._joints.read(truth.time_s, *joints)
        if q is joints[0] and v is joints[1] and tau_Nm is truth.tau_Nm:
            return PlantState(seen=truth, truth=truth)
        seen = Measurement(
            time_s=truth.time_s,
            q=np.concatenate((truth.q[:BASE_NQ], q)),
            v=np.concatenate((truth.v[:BASE_NV], v)),
            tau_Nm=tau_Nm,
        )
        return PlantState(seen=seen, truth=truth)

    def _sensed(self) -> SensorReadings:
        """All sensors, those of the joints spoilt and guarded."""
        raw = self.plant.readings
        q, v, tau_Nm = self._joints.read(raw.time_s, raw.q, raw.v, raw.tau_Nm)
        return replace(raw, q=q, v=v, tau_Nm=tau_Nm)

    def _state(self, readings: SensorReadings, base: BaseEstimate) -> PlantState:
        truth = None if self.truth is None else self.truth.state
        return PlantState(seen=measurement_from(readings, base), truth=truth, base=base)


def imperfections_of(settings: RunSettings) -> ImperfectionSettings:
    """Imperfections of the plant a run asks for.

    Raises:
        UnknownNameError: No such plant, or no such imperfection.
    """
    if settings.plant not in PRESETS:
        raise UnknownNameError("plant", settings.plant, PRESETS)
    return without(PRESETS[settings.plant], *settings.ideal)


def has_known_friction(settings: RunSettings) -> bool:
    """Whether low level and estimator of a run take joint friction into account."""
    imperfections = imperfections_of(settings)
    there = imperfections.coulomb_share > 0.0 or imperfections.viscous_share_s > 0.0
    return settings.friction_compensation and there


def known_friction(settings: RunSettings, robot: Robot) -> JointFriction | None:
    """Joint friction that low level and estimator take into account.

    The robot file states what the real robot has; on a plant without friction that
    would be an error, not knowledge.

    Returns:
        None if it is switched off or the plant has none.
    """
    return robot.friction if has_known_friction(settings) else None


def build_plant_side(settings: RunSettings, robot: Robot) -> PlantSide:
    """Build the plant, check it against the controller's model, make it imperfect.

    The gate compares the nominal plant, before any imperfection: it is about the
    robot file, not about what the twin lacks on purpose.

    Raises:
        ModelMismatchError: Nominal plant and controller disagree about the robot.
        UnknownNameError: No such plant, imperfection, base estimator or joint.
        SettingsError: The control tick is not a whole number of plant steps.
    """
    imperfections = imperfections_of(settings)
    if settings.base_estimator not in BASE_ESTIMATORS:
        raise UnknownNameError(
            "base estimator", settings.base_estimator, BASE_ESTIMATORS
        )
    nominal = MujocoPlant(robot)
    steps = robot.settings.mpc.tick_dt_s / nominal.dt_s
    if abs(steps - round(steps)) > 1e-6:
        raise SettingsError(
            f"mpc.tick_dt_s {robot.settings.mpc.tick_dt_s:g}: must be a multiple of "
            f"the plant's step, {nominal.dt_s:g} s"
        )
    check_models(robot, nominal, seed=settings.seed)
    readings = JointReadings(settings, robot)
    plant: MujocoPlant | TwinPlant = nominal
    if imperfections != CLEAN:
        plant = TwinPlant(robot, nominal, imperfections, seed=settings.seed)
    estimator = None
    if not settings.uses_truth:
        estimator = BASE_ESTIMATORS[settings.base_estimator](robot)
    return PlantSide(
        plant, readings, estimator=estimator, truth=plant, disturbable=plant
    )
