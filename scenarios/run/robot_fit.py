"""Whether settings fit their robot file: everything that a run builds is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ekf import EkfError
from models.description.findings import Finding, error, setting_error, warning
from models.errors import ModelsError
from scenarios.library.catalogue import find_scenario, scenario_names
from scenarios.run.adaptation import build_adaptation
from scenarios.run.plant_side import build_plant_side
from scenarios.run.settings import RunSettings
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.plant.mujoco_plant import StartPoseError
from wbmpc.robot import Robot
from wbmpc.settings import RobotSettings

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
    yield from _scenarios(robot)


def _scenarios(robot: Robot) -> Iterator[Finding]:
    """Scenarios that the robot cannot do; others it may."""
    for name in scenario_names():
        try:
            find_scenario(name).motion(robot, TRACK_S)
        except ModelsError as problem:
            yield warning(f"scenario {name}", "would be refused", str(problem))
