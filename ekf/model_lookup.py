"""Names and degrees of freedom of a Pinocchio model."""

from collections.abc import Iterable

import numpy as np
import pinocchio as pin

from ekf.arrays import Rows
from ekf.errors import InvalidSettingError, UnknownLinkError


def root_dofs(model: pin.Model) -> int:
    """Number of unactuated leading velocity rows: 6 with a free-flyer, else 0."""
    if model.njoints < 2:
        return 0
    root = model.joints[1]
    return 6 if (root.nq, root.nv) == (7, 6) else 0


def channel_names(model: pin.Model) -> tuple[str, ...]:
    """Names of the actuated velocity rows: the joint's, numbered if it has several."""
    names: list[str] = []
    for joint, name in list(zip(model.joints, model.names, strict=True))[1:]:
        rows = range(joint.nv)
        names += [name] if joint.nv == 1 else [f"{name}[{row}]" for row in rows]
    return tuple(names[root_dofs(model) :])


def joint_rows(model: pin.Model, joint_ids: Iterable[int]) -> Rows:
    """Velocity rows of some joints, in order."""
    joints = [model.joints[joint_id] for joint_id in joint_ids]
    return np.concatenate([np.arange(j.idx_v, j.idx_v + j.nv) for j in joints])


def link_joint_id(model: pin.Model, name: str) -> int:
    """Index of the joint that carries a link.

    Args:
        model: The robot.
        name: The name of a body (link) frame, or a joint name. Everything fixed to one
            joint is one rigid body for Pinocchio, and is estimated as one.

    Raises:
        UnknownLinkError: If the model has neither such a joint nor such a body.
    """
    if model.existFrame(name, pin.BODY):
        joint_id = model.frames[model.getFrameId(name, pin.BODY)].parentJoint
        if joint_id > 0:
            return int(joint_id)
    if model.existJointName(name) and model.getJointId(name) > 0:
        return int(model.getJointId(name))
    raise UnknownLinkError("links", name, _movable_names(model))


def link_joint_ids(model: pin.Model, names: Iterable[str]) -> tuple[int, ...]:
    """Joint indices of several links, each a different one.

    Raises:
        UnknownLinkError: If a name is not in the model.
        InvalidSettingError: If there is no name, or two names are one rigid body.
    """
    if isinstance(names, str):
        raise InvalidSettingError("links", names, "must be a sequence of names")
    names = tuple(names)
    ids = tuple(link_joint_id(model, name) for name in names)
    if not ids or len(set(ids)) != len(ids):
        rule = "must name at least one rigid body, and each only once"
        raise InvalidSettingError("links", names, rule)
    return ids


def frame_ids(model: pin.Model, names: Iterable[str]) -> tuple[int, ...]:
    """Indices of the named frames, each a different one.

    Raises:
        UnknownLinkError: If a name is not a frame of the model.
        InvalidSettingError: If a frame is named twice.
    """
    if isinstance(names, str):
        raise InvalidSettingError("feet", names, "must be a sequence of frame names")
    names = tuple(names)
    for name in names:
        if not model.existFrame(name):
            choices = [frame.name for frame in model.frames]
            raise UnknownLinkError("feet", name, choices)
    ids = tuple(frame_id(model, name) for name in names)
    if len(set(ids)) != len(ids):
        raise InvalidSettingError("feet", names, "must name each frame only once")
    return ids


def frame_id(model: pin.Model, name: str) -> int:
    """Index of a frame that is there; a body's, where a joint has the same name."""
    kinds = [frame.type for frame in model.frames if frame.name == name]
    body = pin.BODY in kinds
    return int(model.getFrameId(name, pin.BODY if body else kinds[0]))


def _movable_names(model: pin.Model) -> list[str]:
    bodies = [
        frame.name
        for frame in model.frames
        if frame.type == pin.FrameType.BODY and frame.parentJoint > 0
    ]
    return [*list(model.names)[1:], *bodies]
