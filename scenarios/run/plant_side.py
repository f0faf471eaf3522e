"""The plant, and what the control side is told of its state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenarios.run.sensor_faults import SensorFaults
from scenarios.run.settings import RunSettings
from wbmpc.errors import SettingsError, UnknownNameError
from wbmpc.friction import JointFriction, effort_scale_Nm
from wbmpc.plant.gate import check_models
from wbmpc.plant.imperfections import PRESETS, ImperfectionSettings, without
from wbmpc.plant.interface import Measurement, Plant, SensorReadings
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.reading_guard import ReadingGuard
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import BASE, Robot
from wbmpc.state_estimation import (
    BaseEstimate,
    BaseEstimator,
    ContactEkf,
    FixedFeetFilter,
    measurement_from,
)

Array = NDArray[np.float64]

BASE_ESTIMATORS: dict[str, Callable[[Robot], BaseEstimator]] = {
    "contact_ekf": ContactEkf,
    "fixed_feet": FixedFeetFilter,
}


@dataclass(frozen=True, kw_only=True)
class PlantState:
    """One instant of the plant.

    Attributes:
        truth: The simulator's state, for metrics.
        seen: What the control side may use.
        base: Estimate of the base; None when the simulator's state is used.
    """

    truth: Measurement
    seen: Measurement
    base: BaseEstimate | None = None


class PlantSide(Protocol):
    """A plant with its way of telling its state."""

    @property
    def plant(self) -> Plant:
        """The plant, for payloads and truth."""
        ...

    def reset(self, q: Array) -> PlantState:
        """Start at rest in configuration `q` of `Robot.full_model`."""
        ...

    def step(self, tau_Nm: Array) -> PlantState:
        """Apply joint torques for one step."""
        ...

    def take_estimation_ms(self) -> float:
        """Time spent on estimation since the last call."""
        ...

    @property
    def fault(self) -> str | None:
        """Why plant or readings can not be gone on with; None while they can."""
        ...

    def faults(self) -> dict[str, int]:
        """Refused samples by reason."""
        ...


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

    def of_state(self, seen: Measurement) -> Measurement:
        """A state with its joints read."""
        joints = (seen.q[7:], seen.v[BASE:])
        q, v, tau_Nm = self._faults.spoil(seen.time_s, *joints, seen.tau_Nm)
        q, v = self._guard.check(q, v)
        if q is joints[0] and v is joints[1] and tau_Nm is seen.tau_Nm:
            return seen
        return replace(
            seen,
            q=np.concatenate((seen.q[:7], q)),
            v=np.concatenate((seen.v[:BASE], v)),
            tau_Nm=tau_Nm,
        )

    def of_sensors(self, readings: SensorReadings) -> SensorReadings:
        """Readings of all sensors, those of the joints spoilt and guarded."""
        q, v, tau_Nm = self._faults.spoil(
            readings.time_s, readings.q, readings.v, readings.tau_Nm
        )
        q, v = self._guard.check(q, v)
        return replace(readings, q=q, v=v, tau_Nm=tau_Nm)


class TruePlantSide:
    """Tells the simulator's state; torques as the robot measures them."""

    def __init__(
        self, plant: MujocoPlant | TwinPlant, joint_readings: JointReadings
    ) -> None:
        """Wrap a plant."""
        self.plant: Plant = plant
        self._twin = plant if isinstance(plant, TwinPlant) else None
        self._joints = joint_readings

    @property
    def fault(self) -> str | None:
        """Why plant or readings can not be gone on with."""
        return self.plant.fault or self._joints.fault

    def reset(self, q: Array) -> PlantState:
        """Start at rest."""
        self._joints.reset(q[7:])
        return self._state(self.plant.reset(q))

    def step(self, tau_Nm: Array) -> PlantState:
        """Apply joint torques for one step."""
        return self._state(self.plant.step(tau_Nm))

    def take_estimation_ms(self) -> float:
        """Nothing is estimated."""
        return 0.0

    def faults(self) -> dict[str, int]:
        """Refused readings by joint."""
        return self._joints.counts

    def _state(self, truth: Measurement) -> PlantState:
        seen = truth
        if self._twin is not None:
            seen = replace(truth, tau_Nm=self._twin.readings.tau_Nm)
        return PlantState(truth=truth, seen=self._joints.of_state(seen))


class EstimatedPlantSide:
    """Tells what sensors and a base estimator say, at every step of the plant."""

    def __init__(
        self, plant: TwinPlant, estimator: BaseEstimator, joint_readings: JointReadings
    ) -> None:
        """Couple a plant with sensors and an estimator."""
        self.plant: Plant = plant
        self._twin, self._estimator = plant, estimator
        self._joints = joint_readings
        self._spent_s = 0.0

    @property
    def fault(self) -> str | None:
        """Why plant or readings can not be gone on with."""
        return self.plant.fault or self._joints.fault

    def reset(self, q: Array) -> PlantState:
        """Start at rest; the robot knows where it starts."""
        self._joints.reset(q[7:])
        truth = self._twin.reset(q)
        readings = self._joints.of_sensors(self._twin.readings)
        return self._state(truth, readings, self._estimator.reset(q, readings))

    def step(self, tau_Nm: Array) -> PlantState:
        """Apply joint torques for one step and estimate the base."""
        truth = self._twin.step(tau_Nm)
        readings = self._joints.of_sensors(self._twin.readings)
        started = time.perf_counter()
        base = self._estimator.update(readings)
        self._spent_s += time.perf_counter() - started
        return self._state(truth, readings, base)

    def take_estimation_ms(self) -> float:
        """Time spent on estimation since the last call."""
        spent_s, self._spent_s = self._spent_s, 0.0
        return 1e3 * spent_s

    def faults(self) -> dict[str, int]:
        """Refused samples by reason, refused readings by joint."""
        rejected = {f"base_{k}": n for k, n in self._estimator.rejections.items()}
        return rejected | self._joints.counts

    def _state(
        self, truth: Measurement, readings: SensorReadings, base: BaseEstimate
    ) -> PlantState:
        seen = measurement_from(readings, base)
        return PlantState(truth=truth, seen=seen, base=base)


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
    if settings.plant == "clean" and settings.uses_truth:
        return TruePlantSide(nominal, readings)
    twin = TwinPlant(robot, nominal, imperfections, seed=settings.seed)
    if settings.uses_truth:
        return TruePlantSide(twin, readings)
    estimator = BASE_ESTIMATORS[settings.base_estimator](robot)
    return EstimatedPlantSide(twin, estimator, readings)
