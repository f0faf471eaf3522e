"""Whether settings fit their robot file: names, home pose, and a plant that starts."""

from __future__ import annotations

from collections.abc import Iterator

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
        check_models(robot, MujocoPlant(robot))
    except StartPoseError as problem:
        yield error("settings: home", "start pose", str(problem))
    except ModelsError as problem:
        yield error("settings", settings.name, str(problem))
