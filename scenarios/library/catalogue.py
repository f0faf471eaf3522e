"""The scenarios by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.library.loads import LoadEvent, loaded_sides, single_load, staircase
from scenarios.library.motions.arms_forward import record_arms_forward
from scenarios.library.motions.squat_pickup import record_squat_pickup
from scenarios.library.motions.window_washing import record_standing, record_washing
from scenarios.library.presets import PRESETS, find_preset
from scenarios.library.suited_load import SuitedLoad, suited_load
from scenarios.run.settings import RunSettings
from teleop.reference_track import ReferenceTrack
from wbmpc.errors import UnknownNameError
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What the robot is asked to do; its defaults are in `scenarios.library.presets`.

    Attributes:
        record: References for a robot and a duration [s].
        loads: What the forearms hold when.
    """

    record: Callable[[Robot, float], ReferenceTrack]
    loads: Callable[[RunSettings], tuple[LoadEvent, ...]] = single_load


_SCENARIOS = {
    "window_washing": Scenario(record=record_washing),
    "standing": Scenario(
        record=lambda robot, duration_s: record_standing(robot),  # noqa: ARG005
    ),
    "balance": Scenario(record=record_arms_forward),
    "runtime_loading": Scenario(record=record_arms_forward, loads=staircase),
    "squat_pickup": Scenario(record=record_squat_pickup),
}
assert set(_SCENARIOS) == set(PRESETS)


def default_load(settings: RunSettings) -> SuitedLoad:
    """The load of a run's scenario that suits its robot.

    Raises:
        ModelsError: No such scenario or robot, or a robot file that can not be used.
    """
    robot = Robot.load(settings.robot, settings.overrides)
    track = find_scenario(settings.scenario).record(robot, settings.duration_s)
    papers_kg = find_preset(settings.scenario).payload_kg
    return suited_load(robot, track, papers_kg, loaded_sides(settings))


def scenario_names() -> tuple[str, ...]:
    """Names of all scenarios."""
    return tuple(_SCENARIOS)


def find_scenario(name: str) -> Scenario:
    """Look a scenario up.

    Raises:
        UnknownNameError: No such scenario.
    """
    if name not in _SCENARIOS:
        raise UnknownNameError("scenario", name, _SCENARIOS)
    return _SCENARIOS[name]
