"""Builds Pinocchio's model of a robot file; native code never sees the file itself.

The file is read and checked here in Python. Pinocchio gets a text with bodies and
joints only, written from what was read: its URDF reader takes no tabs, drops what it
does not know without a word, and some of what it accepts brings the process down later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin

from models.description.check import BODIES, CONTROL, Rule, check_description
from models.description.check.joint_kinds import check_kinds
from models.description.check.limits import locked_positions
from models.description.plain_urdf import (
    plain_urdf,
    position_limits,
    velocity_limit,
    weld,
)
from models.description.reading import Description, read_description
from models.description.reroot import rerooted
from models.description.tree import rigid_groups, roots
from models.errors import RobotFileError
from wbmpc.errors import RobotError


def load_floating(
    path: Path, welded: Mapping[str, float], root: str | None = None
) -> pin.Model:
    """Model of a robot whose root link floats; every moving joint has nq = nv = 1.

    Continuous joints are revolute ones without limits, whose angle counts turns, so
    that joint i has entry 7 + i of q and 6 + i of v.

    Args:
        path: URDF file.
        welded: Position [rad or m] by name of joints that are made fixed ones; joints
            that mimic them are, too.
        root: Link that floats; by default that of the file.

    Raises:
        RobotError: The file cannot be read or has errors; names the file, the first
            elements with their values, and the rules they break.
        UnknownNameError: No such joint to weld.
    """
    description = _usable(path, (*BODIES, *CONTROL), welded, root)
    base = roots(description)[0]
    bodies = (description.links[n].body for n in rigid_groups(description, base)[base])
    if not any(body is not None and body.mass_kg > 0.0 for body in bodies):
        raise RobotError(
            f"{path}: link {base}: mass none: the base must have mass to float"
        )
    return _build(description, pin.JointModelFreeFlyer())


def load_fixed(path: Path, welded: Mapping[str, float] | None = None) -> pin.Model:
    """Model of an arm whose root link stands still; limits of any kind are accepted.

    Continuous joints have cosine and sine in q, and joints that mimic others move
    freely.

    Args:
        path: URDF file.
        welded: Position [rad or m] by name of joints that are made fixed ones.

    Raises:
        RobotError: As `load_floating`.
        UnknownNameError: No such joint to weld.
    """
    return _build(_usable(path, BODIES, welded or {}), None)


def joint_dynamics(path: Path) -> dict[str, tuple[float, float]]:
    """Damping [Nms/rad or Ns/m] and friction [Nm or N] of joints that have them.

    Raises:
        RobotFileError: The file cannot be read.
    """
    joints = read_description(path).joints.values()
    return {j.name: (j.damping, j.friction) for j in joints if j.damping or j.friction}


def load_any(path: Path, root: str | None = None) -> tuple[pin.Model, Description]:
    """Model of a floating robot with every joint that can move, for looking at.

    Masses and limits may be anything, so that what has to be welded can be found out;
    the model, which is named after the file, is not fit for dynamics before. Joints
    that their limits lock are welded.

    Args:
        path: URDF file.
        root: Link that floats; by default that of the file.

    Raises:
        RobotError: The file cannot be read, is no tree of links, or has joints of a
            kind that is not supported.
    """
    whole = _usable(path, (check_kinds,), {})
    description = _rerooted(weld(whole, locked_positions(whole)), root)
    model = _build(description, pin.JointModelFreeFlyer())
    model.name = str(path)
    return model, description


def load_humanoid(path: Path) -> tuple[pin.Model, Description]:
    """As `load_any`, floating at the link on which both legs hang.

    Raises:
        RobotError: As `load_any`.
        ProposalError: There are no two legs.
    """
    from models.proposal import pelvis_link

    model, description = load_any(path)
    pelvis = pelvis_link(model, description)
    if pelvis == roots(description)[0]:
        return model, description
    return load_any(path, pelvis)


def _usable(
    path: Path,
    rules: Sequence[Rule],
    welded: Mapping[str, float],
    root: str | None = None,
) -> Description:
    try:
        description = read_description(path)
        if check_description(description, ()).ok:
            description = _rerooted(weld(description, welded), root)
    except RobotFileError as error:
        raise RobotError(str(error)) from None
    report = check_description(description, rules)
    if not report.ok:
        raise RobotError(report.refusal())
    return description


def _rerooted(description: Description, root: str | None) -> Description:
    """With another root, if there is a link of that name; who names it checks it."""
    if root is None or root not in description.links:
        return description
    return rerooted(description, root)


def _build(description: Description, base: pin.JointModel | None) -> pin.Model:
    text = plain_urdf(description, wrap=base is None)
    try:
        model = (
            pin.buildModelFromXML(text)
            if base is None
            else pin.buildModelFromXML(text, base)
        )
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RobotError(f"{description.path} is not a usable URDF: {reason}") from None
    _write_infinite_limits(model, description)
    return model


def _write_infinite_limits(model: pin.Model, description: Description) -> None:
    """No limit is infinity; the text has a large number there."""
    for index, name in enumerate(model.names):
        if name in description.joints and description.joints[name].moves:
            joint, kind = description.joints[name], model.joints[index]
            if kind.nq == 1:
                lower, upper = position_limits(joint)
                model.lowerPositionLimit[kind.idx_q] = lower
                model.upperPositionLimit[kind.idx_q] = upper
            model.upperVelocityLimit[kind.idx_v] = velocity_limit(joint)
            if np.isinf(model.upperVelocityLimit[kind.idx_v]):
                model.lowerVelocityLimit[kind.idx_v] = -np.inf
            if joint.limit is None or joint.limit.effort is None:
                model.upperEffortLimit[kind.idx_v] = np.inf
                model.lowerEffortLimit[kind.idx_v] = -np.inf
