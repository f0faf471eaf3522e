"""Whether settings fit their robot file: everything that a run builds is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from ekf import EkfError
from models.description.findings import Finding, error, setting_error, warning
from models.errors import ModelsError
from scenarios.library.catalogue import find_scenario, scenario_names
from scenarios.library.loads.suited_load import (
    ArmStrength,
    SuitedLoad,
    arm_strength,
    suited_load,
)
from scenarios.run.adaptation import build_adaptation
from scenarios.run.cost_doubts import weight_doubts
from scenarios.run.plant_side import build_plant_side
from scenarios.run.settings import RunSettings
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.plant.mujoco_plant import StartPoseError
from wbmpc.robot import Robot
from wbmpc.settings import RobotSettings

FIRST_TRIED = "window_washing"
"""Scenario to begin with, if the robot can do it."""
TRACK_S = 0.1
"""Of a scenario's references: whether the robot can do it shows at once."""


def check_fit(settings: RobotSettings) -> Iterator[Finding]:
    """Build what a run builds, part by part: an error is what a run would refuse.

    The robot file itself has no errors.
    """
    try:
        robot = Robot(settings)
    except ModelsError as problem:
        yield setting_error(problem)
        return
    run = RunSettings()
    parts: tuple[Callable[[], object], ...] = (
        lambda: build_plant_side(run, robot),
        lambda: WholeBodyMpc(robot),
        lambda: build_adaptation(run, robot),
    )
    for build in parts:
        try:
            build()
        except StartPoseError as problem:
            yield error("settings: home", "start pose", str(problem))
        except ModelsError as problem:
            yield setting_error(problem)
        except EkfError as problem:
            yield error("settings: estimator", "unusable", str(problem))
    yield from weight_doubts(settings)
    yield from _scenarios(robot)


def _scenarios(robot: Robot) -> Iterator[Finding]:
    """Scenarios that the robot cannot do; others it may."""
    for name in scenario_names():
        try:
            find_scenario(name).motion(robot, TRACK_S)
        except ModelsError as problem:
            yield warning(f"scenario {name}", "would be refused", str(problem))


class SuitedLoads(msgspec.Struct, frozen=True, kw_only=True):
    """What a robot can hold in the scenarios that it can do."""

    arms: dict[str, ArmStrength]
    """Of each arm, in the poses of the first scenario; at home and in its own poses if
    there is none."""
    loads: dict[str, SuitedLoad]
    """What a run loads by default, by scenario."""
    refused: dict[str, str]
    """Scenarios that a run refuses, with the reason."""


def suited_loads(robot: Robot) -> SuitedLoads:
    """Loads by scenario, as runs choose them; window washing comes first."""
    arms: dict[str, ArmStrength] = {}
    loads: dict[str, SuitedLoad] = {}
    refused: dict[str, str] = {}
    for name in sorted(scenario_names(), key=lambda name: name != FIRST_TRIED):
        scenario = find_scenario(name)
        papers = scenario.defaults
        try:
            track = scenario.motion(robot, papers.duration_s)
        except ModelsError as problem:
            refused[name] = str(problem)
            continue
        sides = ("left", "right") if papers.arm == "both" else (papers.arm,)
        loads[name] = suited_load(robot, track, papers.payload_kg, sides)
        arms = arms or {
            side: suited_load(robot, track, papers.payload_kg, (side,)).strength
            for side in robot.arms
        }
    own = arms or {side: arm_strength(robot, side) for side in robot.arms}
    return SuitedLoads(arms=own, loads=loads, refused=refused)
