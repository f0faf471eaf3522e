"""Finds the robot of a stream: a shipped humanoid, the Panda, or any URDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
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
    from wbmpc.robot import Robot

PANDA = "example-robot-data:panda"
PANDA_LINK = "panda_link7"
ARM_NOISE_VARIANCE = 1.0
"""Of a fixed arm's joint rows, one sample of least squares [(Nm)^2]."""
ARM_FILTER_VARIANCE = 30.0
"""Of a fixed arm's joint rows for the inertial filter, per 10 ms tick [(Nm)^2]. Its
process noise lets the inertia go within a few ticks; a smaller variance then makes it
follow the motion's own errors, and 30 is as quick with half the noise."""

LIMBS_OF_WALKERS = 3
LIMB_JOINTS = 3
TRUNK_JOINTS = 3
"""A limb branches off at most so many joints from the root."""
LIGHTEST_KG = 5.0
"""A lighter robot with many limbs is a hand."""


def find_robot(
    robot: str | Robot,
    link: str | None = None,
    *,
    side: str | None = None,
    lock: Mapping[str, float] | None = None,
) -> EstimationRobot:
    """Robot by name or path.

    Args:
        robot: `panda`, a shipped humanoid or its settings file, a humanoid itself, or a
            URDF file of a fixed-base robot.
        link: Link or frame that carries the payload; by default the forearm tip of a
            humanoid, link 7 of the Panda, and the last link of any other arm.
        side: Which forearm; by default the left.
        lock: Position [rad or m] by name of joints of a URDF that do not move.

    Raises:
        UnknownNameError: No such robot, link, or joint to lock.
        ModelsError: Its files cannot be used.
    """
    if robot == "panda":
        if lock:
            return fixed_base(panda_urdf(), link or PANDA_LINK, name="panda", lock=lock)
        return panda(link or PANDA_LINK)
    name = robot if isinstance(robot, str) else ""
    if not name or name in robot_names() or name.endswith(".toml"):
        if lock:
            raise ScenarioError("--lock: only joints of a URDF or the panda are locked")
        return humanoid(robot, link, side=side)
    path = Path(name)
    if path.suffix == ".urdf" and path.is_file():
        return fixed_base(path, link, lock=lock)
    choices = ("panda", *robot_names(), "PATH/settings.toml", "PATH/robot.urdf")
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
    urdf: Path,
    link: str | None = None,
    *,
    name: str | None = None,
    lock: Mapping[str, float] | None = None,
) -> EstimationRobot:
    """Any arm whose base does not move.

    Raises:
        ScenarioError: The file cannot be read, has errors, no moving joint, or legs.
        UnknownNameError: No such link.
    """
    # Importing the package that drives the robot checks the native wheels.
    from wbmpc.errors import RobotError
    from wbmpc.robot_model import load_fixed

    try:
        model = load_fixed(urdf, lock)
    except RobotError as error:
        raise ScenarioError(str(error)) from None
    if model.njoints < 2:
        raise ScenarioError(f"{urdf}: has no moving joint")
    check_stands_still(model, urdf)
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


def check_stands_still(model: pin.Model, urdf: Path) -> None:
    """A robot with legs is no arm on a table, though its URDF does not say so.

    Raises:
        ScenarioError: Three limbs or more of at least three joints hang on its trunk.
    """
    limbs = _limbs(model, 0, 0)
    if limbs >= LIMBS_OF_WALKERS and pin.computeTotalMass(model) > LIGHTEST_KG:
        raise ScenarioError(
            f"{urdf}: has {limbs} limbs: a robot on legs needs its settings, not its "
            "URDF alone: --robot PATH/settings.toml (wbmpc init proposes them)"
        )


def _limbs(model: pin.Model, joint: int, depth: int) -> int:
    """Limbs that hang on a joint; what branches off farther out is a hand."""
    heights = {int(child): _height(model, child) for child in model.children[joint]}
    deep = [child for child, height in heights.items() if height >= LIMB_JOINTS]
    if depth > TRUNK_JOINTS or not deep:
        return 1
    return sum(_limbs(model, child, depth + 1) for child in deep)


def _height(model: pin.Model, joint: int) -> int:
    """Joints from this one to the farthest end."""
    return 1 + max((_height(model, c) for c in model.children[joint]), default=0)


def humanoid(
    robot: str | Robot, link: str | None = None, *, side: str | None = None
) -> EstimationRobot:
    """A humanoid, both forearms estimated, neck included.

    Args:
        robot: A shipped one by name, one by its settings file, or itself.
        link: Link or frame that carries the payload; by default a forearm tip.
        side: Which forearm; by default the left.

    Raises:
        UnknownNameError: No such robot or link.
        ModelsError: Its files cannot be used.
    """
    found = _load(robot)
    link = link or found.arms[side or "left"].tip_frame
    return humanoid_robot(found, found.full_model, link)


def robot_of_run(notes: dict[str, str]) -> str | Robot:
    """The robot that a run's log tells: by name if shipped, else with its settings.

    Raises:
        ScenarioError: It was one of the user's own, whose URDF is not here any more.
    """
    name = notes.get("robot_name", "")
    if name in robot_names():
        return name
    # Importing the package that drives the robot checks the native wheels.
    from wbmpc.robot import Robot
    from wbmpc.settings import RobotSettings

    try:
        return Robot(msgspec.json.decode(notes["robot"], type=RobotSettings))
    except (KeyError, msgspec.MsgspecError, ModelsError) as error:
        raise ScenarioError(
            f"the log is of the robot {name!r}, which cannot be built again from its "
            f"notes ({error}): give --robot PATH/settings.toml"
        ) from None


def friction_of(robot: str | Robot) -> JointFriction | None:
    """Friction that the settings of a humanoid state; None if they state none."""
    from wbmpc.friction import JointFriction

    found = _load(robot)
    friction = JointFriction.of(
        found.settings.joint_friction, found.joint_names, found.torque_limits_full_Nm
    )
    stated = friction.coulomb_Nm.any() or friction.viscous_Nms_per_rad.any()
    return friction if stated else None


def _load(robot: str | Robot) -> Robot:
    # Importing the package that drives the robot checks the native wheels.
    from wbmpc.robot import Robot

    return Robot.load(robot) if isinstance(robot, str) else robot


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
