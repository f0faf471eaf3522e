"""Writes the dynamics of a robot file for the native libraries, and nothing else.

Numbers are written so that they read back as the same doubles, parted by blanks.
Shapes, materials and everything a program may stumble over are left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.description.reading import Body, Description, Joint, Link, Pose
from models.description.tree import joint_motion, rpy_from_rotation, transform
from models.errors import RobotFileError, UnknownNameError

Array = NDArray[np.float64]

UNLIMITED = 1e9
"""Stands for no limit in the text; whoever loads it writes infinity instead."""


def weld(description: Description, positions: Mapping[str, float]) -> Description:
    """The robot with some joints fixed where they are.

    Joints that mimic a welded one are welded with it, at factor * position + offset.

    Args:
        description: The robot.
        positions: Position [rad or m] by name of each joint to weld.

    Raises:
        UnknownNameError: No such joint.
        RobotFileError: A joint that does not move, or one that mimics a joint that is
            not welded.
    """
    joints = dict(description.joints)
    for name, position in _with_followers(description, positions).items():
        joint = joints[name]
        pose = transform(joint.pose) @ joint_motion(joint, position)
        fixed = replace(joint, kind="fixed", limit=None, mimic=None, axis=None)
        joints[name] = replace(fixed, pose=_pose(pose)) if position else fixed
    return replace(description, joints=joints)


def plain_urdf(description: Description, *, wrap: bool = False) -> str:
    """Text of a URDF with bodies and joints only.

    Args:
        description: The robot, without errors.
        wrap: Leave continuous joints continuous, which have cosine and sine in q;
            otherwise they become revolute ones without limits.
    """
    return ET.tostring(plain_element(description, wrap=wrap), encoding="unicode")


def plain_element(description: Description, *, wrap: bool = False) -> ET.Element:
    """The same as an element, to add shapes to."""
    robot = ET.Element("robot", name="robot")
    for link in description.links.values():
        _write_link(robot, link)
    for joint in description.joints.values():
        revolute = joint.kind == "continuous" and not wrap
        _write_joint(robot, joint, "revolute" if revolute else joint.kind)
    return robot


def _with_followers(
    description: Description, positions: Mapping[str, float]
) -> dict[str, float]:
    every = dict(positions)
    for name in positions:
        joint = description.joints.get(name)
        if joint is None:
            movable = (j.name for j in description.joints.values() if j.moves)
            raise UnknownNameError("joint", name, movable)
        if not joint.moves:
            raise RobotFileError(
                f"{description.path}: joint {name}: type {joint.kind}: does not move "
                "and cannot be welded"
            )
        if joint.mimic is not None and joint.mimic.joint not in positions:
            raise RobotFileError(
                f"{description.path}: joint {name}: mimic of {joint.mimic.joint}: is "
                f"welded, so {joint.mimic.joint} must be welded too"
            )
    for _ in description.joints:  # followers of followers
        before = len(every)
        for joint in description.joints.values():
            if joint.mimic is not None and joint.mimic.joint in every and joint.moves:
                leader = every[joint.mimic.joint]
                every[joint.name] = joint.mimic.factor * leader + joint.mimic.offset
        if len(every) == before:
            break
    return every


def _pose(matrix: Array) -> Pose:
    return Pose(xyz_m=matrix[:3, 3], rpy_rad=rpy_from_rotation(matrix[:3, :3]))


def _write_link(robot: ET.Element, link: Link) -> None:
    element = ET.SubElement(robot, "link", name=link.name)
    if link.body is not None and link.body.mass_kg > 0.0:
        _write_body(element, link.body)


def _write_body(link: ET.Element, body: Body) -> None:
    inertial = ET.SubElement(link, "inertial")
    write_pose(inertial, body.pose)
    ET.SubElement(inertial, "mass", value=_number(body.mass_kg))
    tensor = np.zeros((3, 3)) if body.tensor_kgm2 is None else body.tensor_kgm2
    entries = {
        f"i{'xyz'[i]}{'xyz'[j]}": _number(tensor[i, j])
        for i, j in zip(*np.triu_indices(3), strict=True)
    }
    ET.SubElement(inertial, "inertia", entries)


def _write_joint(robot: ET.Element, joint: Joint, kind: str) -> None:
    element = ET.SubElement(robot, "joint", name=joint.name, type=kind)
    ET.SubElement(element, "parent", link=joint.parent)
    ET.SubElement(element, "child", link=joint.child)
    write_pose(element, joint.pose)
    if joint.moves:
        assert joint.axis is not None
        ET.SubElement(element, "axis", xyz=vector_text(joint.axis))
        ET.SubElement(element, "limit", _limits(joint))


def _limits(joint: Joint) -> dict[str, str]:
    lower, upper = position_limits(joint)
    effort = joint.limit.effort if joint.limit is not None else None
    velocity = velocity_limit(joint)
    numbers = {
        "lower": max(lower, -UNLIMITED),
        "upper": min(upper, UNLIMITED),
        "effort": min(max(effort or 0.0, 0.0), UNLIMITED),
        "velocity": min(velocity, UNLIMITED),
    }
    return {key: _number(value) for key, value in numbers.items()}


def position_limits(joint: Joint) -> tuple[float, float]:
    """Smallest and largest position [rad or m]; infinite where there is no limit.

    A limit that is infinite on one side is none on either: no program here has those.
    """
    if joint.kind == "continuous" or joint.limit is None:
        return -np.inf, np.inf
    limits = joint.limit.lower or 0.0, joint.limit.upper or 0.0
    return limits if np.isfinite(limits).all() else (-np.inf, np.inf)


def velocity_limit(joint: Joint) -> float:
    """Largest speed [rad/s or m/s]; infinite where the file has none that can be."""
    velocity = joint.limit.velocity if joint.limit is not None else None
    return velocity if velocity is not None and velocity > 0.0 else np.inf


def write_pose(element: ET.Element, pose: Pose) -> None:
    """Add an <origin>."""
    xyz, rpy = vector_text(pose.xyz_m), vector_text(pose.rpy_rad)
    ET.SubElement(element, "origin", xyz=xyz, rpy=rpy)


def vector_text(values: Iterable[float]) -> str:
    """Numbers that read back as the same doubles, parted by blanks."""
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    return repr(float(value))
