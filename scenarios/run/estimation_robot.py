"""A robot as a payload estimator has to know it, on a log or in the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin

from ekf import SupervisorSettings, torque_variance
from models.arrays import Array
from models.errors import UnknownNameError
from models.frame_names import frame_index

if TYPE_CHECKING:  # importing the package that drives robots checks the native wheels
    from wbmpc.friction import JointFriction
    from wbmpc.robot import Robot
    from wbmpc.settings import EstimatorSettings

ALIGNER_CUTOFF_HZ = 8.0
"""Of recorded streams without accelerations."""


@dataclass(frozen=True, kw_only=True)
class EstimationRobot:
    """A robot as an estimator has to know it.

    Attributes:
        name: Name for tables.
        model: The unloaded robot.
        link: Link or frame that carries the payload.
        links: Links whose inertia may have changed, for filters that estimate several;
            the one that carries `link` comes first.
        feet: Contact frames.
        torque_variance: (nv,) variance of each torque row of one sample, for least
            squares [N^2, (Nm)^2].
        filter_variance: (nv,) the same for the inertial filter, per 10 ms tick.
        published_variance: (nv,) as the paper prints it, whatever the robot; None
            if the paper has no robot like it.
        supervisor: Thresholds of the supervised filter for a robot of this size.
        attachments_m: (3,) per link, where loads are held in its joint frame; None if
            nobody knows.
        friction: What its actuated joints are known to have, if it is to be taken off.
    """

    name: str
    model: pin.Model
    link: str
    links: tuple[str, ...]
    feet: tuple[str, ...] = ()
    torque_variance: Array
    filter_variance: Array
    published_variance: Array | None = None
    supervisor: SupervisorSettings = SupervisorSettings()
    attachments_m: tuple[Array, ...] | None = None
    friction: JointFriction | None = None


def humanoid_robot(robot: Robot, model: pin.Model, link: str) -> EstimationRobot:
    """A humanoid on its feet that holds a payload, both forearms estimated.

    Args:
        robot: The humanoid.
        model: Its model with the joints of the samples: `full_model` or `model`.
        link: Link or frame that carries the payload.

    Raises:
        UnknownNameError: No such link.
    """
    from scenarios.run.estimator_settings import supervisor_settings, table_iii

    forearms = [carrier(model, arm.link) for arm in robot.arms.values()]
    first = carrier(model, link)
    others = {
        name: arm.tip_frame
        for name, arm in zip(forearms, robot.arms.values(), strict=True)
        if name != first
    }
    held_at = [_place_m(model, frame) for frame in (link, *others.values())]
    variance = torque_rows(robot, model)
    return EstimationRobot(
        name=robot.settings.name,
        model=model,
        link=link,
        links=(first, *others),
        attachments_m=tuple(held_at),
        feet=tuple(sole.frame for sole in robot.soles),
        torque_variance=variance,
        filter_variance=variance,
        published_variance=torque_rows(robot, model, table_iii()),
        supervisor=supervisor_settings(robot),
    )


def torque_rows(
    robot: Robot, model: pin.Model, settings: EstimatorSettings | None = None
) -> Array:
    """(nv,) variance of each torque row of a model of a humanoid [N^2, (Nm)^2].

    Args:
        robot: The humanoid.
        model: Its model with the joints of the samples.
        settings: Variances; the robot's own if None.
    """
    settings = robot.settings.estimator if settings is None else settings
    groups = robot.settings.groups
    variances = {
        settings.torque_spine: groups.spine,
        settings.torque_arms: groups.left_arm + groups.right_arm,
        settings.torque_legs: groups.left_leg + groups.right_leg,
    }
    by_joint = {name: value for value, names in variances.items() for name in names}
    variance = torque_variance(
        model, base=settings.torque_base_force, by_joint=by_joint
    )
    variance[3:6] = settings.torque_base_moment
    return variance


def carrier(model: pin.Model, link: str) -> str:
    """Name of the joint that carries a link or frame; of a link with that name first.

    Itself where the joint is called like another link.

    Raises:
        UnknownNameError: No such link on a moving joint.
    """
    frames = [f.name for f in model.frames if f.parentJoint > 0]
    if link not in frames:
        if model.existJointName(link) and model.getJointId(link) > 0:
            return link
        raise UnknownNameError("link", link, frames)
    name = str(model.names[model.frames[frame_index(model, link)].parentJoint])
    taken = model.existFrame(name, pin.BODY) and _carried(model, name) != name
    return link if taken else name


def _carried(model: pin.Model, body: str) -> str:
    frame = model.frames[model.getFrameId(body, pin.BODY)]
    return str(model.names[frame.parentJoint])


def _place_m(model: pin.Model, link: str) -> Array:
    """(3,) where a link or frame is in the frame of the joint that carries it."""
    if model.existFrame(link):
        return model.frames[frame_index(model, link)].placement.translation.copy()
    return np.zeros(3)
