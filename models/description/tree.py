"""The tree of links: roots, subtrees, and where everything is at given angles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from models.arrays import Array
from models.description.reading import Description, Joint, Pose


def children(description: Description) -> dict[str, list[Joint]]:
    """Joints below each link, in the order of the file."""
    below: dict[str, list[Joint]] = {name: [] for name in description.links}
    for joint in description.joints.values():
        if joint.parent in below and joint.child in below:
            below[joint.parent].append(joint)
    return below


def roots(description: Description) -> list[str]:
    """Links that are no child of any joint."""
    have_parent = {joint.child for joint in description.joints.values()}
    return [name for name in description.links if name not in have_parent]


def walk(description: Description, root: str) -> Iterator[tuple[str, Joint | None]]:
    """Every link below a root with the joint above it, parents first.

    A link that is met a second time (two parents, a loop) is left out.
    """
    below, seen = children(description), {root}
    waiting: list[tuple[str, Joint | None]] = [(root, None)]
    while waiting:
        link, above = waiting.pop()
        yield link, above
        for joint in reversed(below[link]):
            if joint.child not in seen:
                seen.add(joint.child)
                waiting.append((joint.child, joint))


def rigid_groups(description: Description, root: str) -> dict[str, list[str]]:
    """Links that move as one, by the first of them: what a moving joint carries."""
    first: dict[str, str] = {}
    for link, above in walk(description, root):
        welded = above is not None and not above.moves
        first[link] = first[above.parent] if above is not None and welded else link
    groups: dict[str, list[str]] = {}
    for link, head in first.items():
        groups.setdefault(head, []).append(link)
    return groups


def placements(
    description: Description, root: str, angles: Mapping[str, float] | None = None
) -> dict[str, Array]:
    """Pose (4, 4) of every link in the root's frame.

    Args:
        description: The robot.
        root: Its root link.
        angles: Joint positions [rad or m] by name; others are zero.
    """
    angles, poses = angles or {}, {root: np.eye(4)}
    for link, above in walk(description, root):
        if above is not None:
            moved = joint_motion(above, angles.get(above.name, 0.0))
            poses[link] = poses[above.parent] @ transform(above.pose) @ moved
    return poses


def extent_m(description: Description, root: str) -> tuple[float, str]:
    """Distance of the furthest link's origin from the root's [m], and that link."""
    distances = {
        link: float(np.linalg.norm(pose[:3, 3]))
        for link, pose in placements(description, root).items()
    }
    furthest = max(distances, key=distances.__getitem__)
    return distances[furthest], furthest


def transform(pose: Pose) -> Array:
    """Homogeneous matrix (4, 4) of a pose."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_from_rpy(pose.rpy_rad)
    matrix[:3, 3] = pose.xyz_m
    return matrix


def joint_motion(joint: Joint, position: float) -> Array:
    """Motion (4, 4) of a joint at a position [rad or m]."""
    matrix = np.eye(4)
    if joint.axis is None or position == 0.0:
        return matrix
    if joint.kind == "prismatic":
        matrix[:3, 3] = position * joint.axis
    else:
        matrix[:3, :3] = rotation_about(joint.axis, position)
    return matrix


# Written out: SciPy's `Rotation` takes 0.4 s to import, for which every load and every
# check of a robot file would wait, and it would change models in their last bits.
def rotation_from_rpy(rpy_rad: Array) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll), (3, 3)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy_rad), np.sin(rpy_rad)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(rotation: Array) -> Array:
    """Roll, pitch, yaw (3,) of a rotation matrix, at pitch +-90 degrees as well.

    There only the sum or difference of roll and yaw is defined: roll is zero.
    """
    across = float(np.hypot(rotation[0, 0], rotation[1, 0]))
    pitch = np.arctan2(-rotation[2, 0], across)
    if across < 1e-9:
        return np.array([0.0, pitch, np.arctan2(-rotation[0, 1], rotation[1, 1])])
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    return np.array([roll, pitch, np.arctan2(rotation[1, 0], rotation[0, 0])])


def rotation_about(axis: Array, angle_rad: float) -> Array:
    """Rotation matrix (3, 3) about a unit axis."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.sin(angle_rad) * skew + (1.0 - np.cos(angle_rad)) * skew @ skew
    return np.eye(3) + turn
