"""The plant, and what the control side is told of its state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenarios.settings import RunSettings
from wbmpc.errors import SettingsError, UnknownNameError
from wbmpc.friction import JointFriction
from wbmpc.plant.gate import check_models
from wbmpc.plant.imperfections import PRESETS, ImperfectionSettings, without
from wbmpc.plant.interface import Measurement, Plant
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import Robot
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

    def faults(self) -> dict[str, int]:
        """Refused samples by reason."""
        ...


class TruePlantSide:
    """Tells the simulator's state; torques as the robot measures them."""

    def __init__(self, plant: MujocoPlant | TwinPlant) -> None:
        """Wrap a plant."""
        self.plant: Plant = plant
        self._twin = plant if isinstance(plant, TwinPlant) else None

    def reset(self, q: Array) -> PlantState:
        """Start at rest."""
        return self._state(self.plant.reset(q))

    def step(self, tau_Nm: Array) -> PlantState:
        """Apply joint torques for one step."""
        return self._state(self.plant.step(tau_Nm))

    def take_estimation_ms(self) -> float:
        """Nothing is estimated."""
        return 0.0

    def faults(self) -> dict[str, int]:
        """Nothing is refused."""
        return {}

    def _state(self, truth: Measurement) -> PlantState:
        if self._twin is None:
            return PlantState(truth=truth, seen=truth)
        seen = replace(truth, tau_Nm=self._twin.readings.tau_Nm)
        return PlantState(truth=truth, seen=seen)


class EstimatedPlantSide:
    """Tells what sensors and a base estimator say, at every step of the plant."""

    def __init__(self, plant: TwinPlant, estimator: BaseEstimator) -> None:
        """Couple a plant with sensors and an estimator."""
        self.plant: Plant = plant
        self._twin, self._estimator = plant, estimator
        self._spent_s = 0.0

    def reset(self, q: Array) -> PlantState:
        """Start at rest; the robot knows where it starts."""
        truth = self._twin.reset(q)
        return self._state(truth, self._estimator.reset(q, self._twin.readings))

    def step(self, tau_Nm: Array) -> PlantState:
        """Apply joint torques for one step and estimate the base."""
        truth = self._twin.step(tau_Nm)
        started = time.perf_counter()
        base = self._estimator.update(self._twin.readings)
        self._spent_s += time.perf_counter() - started
        return self._state(truth, base)

    def take_estimation_ms(self) -> float:
        """Time spent on estimation since the last call."""
        spent_s, self._spent_s = self._spent_s, 0.0
        return 1e3 * spent_s

    def faults(self) -> dict[str, int]:
        """Refused samples by reason."""
        return {f"base_{k}": n for k, n in self._estimator.rejections.items()}

    def _state(self, truth: Measurement, base: BaseEstimate) -> PlantState:
        seen = measurement_from(self._twin.readings, base)
        return PlantState(truth=truth, seen=seen, base=base)


def imperfections_of(settings: RunSettings) -> ImperfectionSettings:
    """Imperfections of the plant a run asks for.

    Raises:
        UnknownNameError: No such plant, or no such imperfection.
    """
    if settings.plant not in PRESETS:
        raise UnknownNameError("plant", settings.plant, PRESETS)
    return without(PRESETS[settings.plant], *settings.ideal)


def known_friction(settings: RunSettings, robot: Robot) -> JointFriction | None:
    """Joint friction that low level and estimator take into account.

    The robot file states what the real robot has; on a plant without friction that
    would be an error, not knowledge.

    Returns:
        None if it is switched off or the plant has none.
    """
    imperfections = imperfections_of(settings)
    there = imperfections.coulomb_share > 0.0 or imperfections.viscous_share_s > 0.0
    return robot.friction if settings.friction_compensation and there else None


def build_plant_side(settings: RunSettings, robot: Robot) -> PlantSide:
    """Build the plant, check it against the controller's model, make it imperfect.

    The gate compares the nominal plant, before any imperfection: it is about the
    robot file, not about what the twin lacks on purpose.

    Raises:
        ModelMismatchError: Nominal plant and controller disagree about the robot.
        UnknownNameError: No such plant, imperfection or base estimator.
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
    if settings.plant == "clean" and settings.uses_truth:
        return TruePlantSide(nominal)
    twin = TwinPlant(robot, nominal, imperfections, seed=settings.seed)
    if settings.uses_truth:
        return TruePlantSide(twin)
    return EstimatedPlantSide(twin, BASE_ESTIMATORS[settings.base_estimator](robot))
