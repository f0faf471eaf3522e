"""Whether settings fit their robot file: names, home pose, and a plant that starts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.errors import ModelsError
from models.findings import Finding, error
from models.settings import RobotSettings
from wbmpc.plant.gate import check_models
from wbmpc.plant.mujoco_plant import MujocoPlant, StartPoseError
from wbmpc.robot import Robot


def check_fit(settings: RobotSettings) -> Iterator[Finding]:
    """Load the robot as a run would, as far as that goes.

    The robot file itself has no errors.
    """
    try:
        robot = Robot(settings)
        yield from _home(robot)
        check_models(robot, MujocoPlant(robot))
    except StartPoseError as problem:
        yield error("settings: home", "start pose", str(problem))
    except ModelsError as problem:
        yield error("settings", settings.name, str(problem))


def _home(robot: Robot) -> Iterator[Finding]:
    """Home angles within the limits of their joints."""
    low, high = robot.full_model.lowerPositionLimit, robot.full_model.upperPositionLimit
    for index, name in enumerate(robot.joint_names, start=7):
        angle = float(robot.home_q_full[index])
        if not low[index] - 1e-9 <= angle <= high[index] + 1e-9:
            rule = f"must be within the limits {low[index]:g} and {high[index]:g}"
            yield error(f"settings: home.{name}", f"{angle:g}", rule)
    if not np.isfinite(robot.home_q_full).all():
        yield error("settings: home", "not finite", "must be finite numbers")
