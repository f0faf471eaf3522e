"""Finds the robot of a stream: a shipped humanoid, the Panda, or any URDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin

from ekf import torque_variance
from models import robot_names
from models.errors import ModelsError, UnknownNameError
from models.installed import installed_urdf
from scenarios.errors import ScenarioError
from scenarios.run.estimation_robot import EstimationRobot, carrier, humanoid_robot

if TYPE_CHECKING:
    from wbmpc.friction import JointFriction

PANDA = "example-robot-data:panda"
PANDA_LINK = "panda_link7"
ARM_NOISE_VARIANCE = 1.0
"""Of a fixed arm's joint rows, one sample of least squares [(Nm)^2]."""
ARM_FILTER_VARIANCE = 30.0
"""Of a fixed arm's joint rows for the inertial filter, per 10 ms tick [(Nm)^2]. Its
process noise lets the inertia go within a few ticks; a smaller variance then makes it
follow the motion's own errors, and 30 is as quick with half the noise."""


def find_robot(name: str, link: str | None = None) -> EstimationRobot:
    """Robot by name or path.

    Args:
        name: `panda`, a shipped humanoid, or a URDF file of a fixed-base robot.
        link: Link or frame that carries the payload; by default the left forearm tip of
            a humanoid, link 7 of the Panda, and the last link of any other arm.

    Raises:
        UnknownNameError: No such robot, or no such link.
        ScenarioError: The URDF cannot be used.
    """
    if name == "panda":
        return panda(link or PANDA_LINK)
    if name in robot_names():
        return humanoid(name, link)
    path = Path(name)
    if path.suffix == ".urdf" and path.is_file():
        return fixed_base(path, link)
    choices = ("panda", *robot_names(), "PATH/robot.urdf")
    raise UnknownNameError("robot", name, choices)


def panda(link: str = PANDA_LINK) -> EstimationRobot:
    """The Panda arm with its gripper, from the installed `example-robot-data`.

    Raises:
        ScenarioError: The package is not installed.
    """
    return fixed_base(panda_urdf(), link, name="panda")


def panda_urdf() -> Path:
    """The Panda's URDF inside the installed package.

    Raises:
        ScenarioError: The package is not installed, a slim one, or not usable.
    """
    try:
        return installed_urdf(PANDA)
    except ModelsError as error:
        raise ScenarioError(f"robot panda: {error}") from None


def fixed_base(
    urdf: Path, link: str | None = None, *, name: str | None = None
) -> EstimationRobot:
    """Any arm whose base does not move.

    Raises:
        ScenarioError: The file cannot be read, has errors, or no moving joint.
        UnknownNameError: No such link.
    """
    # Importing the package that drives the robot checks the native wheels.
    from wbmpc.errors import RobotError
    from wbmpc.robot_model import load_fixed

    try:
        model = load_fixed(urdf)
    except RobotError as error:
        raise ScenarioError(str(error)) from None
    if model.njoints < 2:
        raise ScenarioError(f"{urdf}: has no moving joint")
    return arm_from_model(model, link, name=name or urdf.stem)


def arm_from_model(
    model: pin.Model, link: str | None = None, *, name: str
) -> EstimationRobot:
    """An arm that is already a Pinocchio model.

    Raises:
        UnknownNameError: No such link.
    """
    link = link or str(model.names[model.njoints - 1])
    return EstimationRobot(
        name=name,
        model=model,
        link=link,
        links=(carrier(model, link),),
        torque_variance=torque_variance(model, joints=ARM_NOISE_VARIANCE),
        filter_variance=torque_variance(model, joints=ARM_FILTER_VARIANCE),
    )


def humanoid(name: str, link: str | None = None) -> EstimationRobot:
    """A shipped humanoid, both forearms estimated, neck included.

    Raises:
        UnknownNameError: No such robot or link.
    """
    # Importing the package that drives the robot checks the native wheels.
    from wbmpc.robot import Robot

    robot = Robot.load(name)
    link = link or robot.arms["left"].tip_frame
    return humanoid_robot(robot, robot.full_model, link)


def friction_of(name: str) -> JointFriction | None:
    """Friction that the settings of a humanoid state; None if they state none."""
    from wbmpc.friction import JointFriction
    from wbmpc.robot import Robot

    robot = Robot.load(name)
    found = JointFriction.of(
        robot.settings.joint_friction, robot.joint_names, robot.torque_limits_full_Nm
    )
    stated = found.coulomb_Nm.any() or found.viscous_Nms_per_rad.any()
    return found if stated else None


def joint_limits(model: pin.Model) -> tuple[np.ndarray, np.ndarray]:
    """(nv,) lower and upper limits; infinite where a joint turns without end.

    Raises:
        ScenarioError: A joint has several degrees of freedom.
    """
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for joint in list(model.joints)[1:]:
        if joint.nv != 1:
            raise ScenarioError(
                f"{model.name}: joint {model.names[joint.id]} has {joint.nv} degrees "
                "of freedom: a synthetic arm needs joints of one"
            )
        if joint.nq == 1:
            lower[joint.idx_v] = model.lowerPositionLimit[joint.idx_q]
            upper[joint.idx_v] = model.upperPositionLimit[joint.idx_q]
    return lower, upper
