"""The scenarios by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.reference_track import ReferenceTrack
from scenarios.window_washing import record_standing, record_washing
from wbmpc.errors import UnknownNameError
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What the robot is asked to do.

    Attributes:
        summary: One line for the help text.
        record: References for a robot and a duration [s].
    """

    summary: str
    record: Callable[[Robot, float], ReferenceTrack]


_SCENARIOS = {
    "window_washing": Scenario(
        summary="both forearms wash a window; a load appears on one of them",
        record=record_washing,
    ),
    "standing": Scenario(
        summary="stand still at home",
        record=lambda robot, duration_s: record_standing(robot),  # noqa: ARG005
    ),
}


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
