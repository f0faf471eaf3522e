"""Another link as the root of the tree: the pelvis, where a file begins at the torso.

The joints between the two roots are read the other way round. From its parent a joint
has its child at pose * motion(q); from the child its parent is at
motion(-q) * pose^-1. Positions, limits and the frames of all links stay the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.description.reading import Description, Joint, Link, Pose
from models.description.tree import rigid_groups, roots, rpy_from_rotation, transform
from models.errors import UnknownNameError

Array = NDArray[np.float64]

_ON_AXIS_M = 1e-9


def rerooted(description: Description, root: str) -> Description:
    """The robot with `root` at the root; itself if that link moves with its own root.

    Args:
        description: A robot whose links form a tree.
        root: Name of a link.

    Raises:
        UnknownNameError: There is no such link.
    """
    if root not in description.links:
        raise UnknownNameError("link", root, description.links)
    (old,) = roots(description)
    if root in rigid_groups(description, old)[old]:
        return description
    above = {joint.child: joint for joint in description.joints.values()}
    turned: dict[str, list[Joint]] = {}
    link = root
    while link != old:
        turned[above[link].name] = _turned(above[link])
        link = above[link].parent
    names = (new.child for pair in turned.values() for new in pair[:-1])
    between = [Link(name=name, body=None) for name in names]
    joints = [
        new
        for joint in description.joints.values()
        for new in turned.get(joint.name, [joint])
    ]
    links = (*description.links.values(), *between)
    return replace(
        description,
        links={link.name: link for link in links},
        joints={joint.name: joint for joint in joints},
    )


def _turned(joint: Joint) -> list[Joint]:
    """The joint from its child to its parent.

    A joint's axis passes through the origin of its child link. Where it does not pass
    through that of the parent, a link without mass is between: a joint, then a weld.
    """
    pose = transform(joint.pose)
    back = np.asarray(np.linalg.inv(pose), dtype=float)
    swapped = replace(joint, parent=joint.child, child=joint.parent)
    if joint.axis is None:
        return [replace(swapped, pose=_pose(back))]
    axis = pose[:3, :3] @ joint.axis
    beside = np.linalg.norm(np.cross(axis, pose[:3, 3]))
    if joint.kind == "prismatic" or beside < _ON_AXIS_M:
        return [replace(swapped, pose=_pose(back), axis=-axis)]
    between = f"{joint.parent} at {joint.name}"
    weld = Joint(
        name=f"{between} (fixed)",
        kind="fixed",
        parent=between,
        child=joint.parent,
        pose=_pose(back),
        axis=None,
        limit=None,
        mimic=None,
        damping=0.0,
        friction=0.0,
    )
    at_child = replace(swapped, child=between, axis=-joint.axis, pose=_pose(np.eye(4)))
    return [at_child, weld]


def _pose(matrix: Array) -> Pose:
    return Pose(xyz_m=matrix[:3, 3], rpy_rad=rpy_from_rotation(matrix[:3, :3]))
