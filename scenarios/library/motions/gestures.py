"""Reference tracks made of smooth moves between poses, as an operator makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from models.arrays import Array
from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack
from wbmpc.errors import UnknownNameError
from wbmpc.min_jerk import min_jerk
from wbmpc.reference import UPPER_BODY, home_reference
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Pose:
    """Targets of Table II, as differences from home.

    Attributes:
        joints: Spine and arm angles [rad] by joint name; others stay at home.
        com_lower_m: How much lower than at home the centre of mass is.
        pelvis_pitch_rad: Forward.
    """

    joints: dict[str, float] = field(default_factory=dict)
    com_lower_m: float = 0.0
    pelvis_pitch_rad: float = 0.0


HOME = Pose()


def named_joints(robot: Robot, pose: str) -> dict[str, float]:
    """Joint angles of a pose of the robot's settings.

    Raises:
        UnknownNameError: The settings have no such pose.
    """
    poses = robot.settings.poses
    if pose not in poses:
        raise UnknownNameError(f"pose of {robot.settings.name}", pose, poses)
    return poses[pose]


@dataclass(frozen=True, kw_only=True)
class Move:
    """A minimum-jerk move.

    Attributes:
        at_s: When it starts.
        over_s: How long it takes.
        to: Where it ends.
    """

    at_s: float
    over_s: float
    to: Pose


def record_moves(
    robot: Robot, duration_s: float, moves: Sequence[Move]
) -> ReferenceTrack:
    """Start at home and make moves one after the other.

    A move that starts before the last one has ended fades into it.

    Raises:
        UnknownNameError: A pose names a joint that is not in spine or arms.
    """
    times = stream_times(duration_s)
    table = np.tile(_row(robot, HOME), (len(times), 1))
    for move in moves:
        share = min_jerk((times - move.at_s) / move.over_s)[:, None]
        table = (1.0 - share) * table + share * _row(robot, move.to)
    q_upper = table[:, :-2]
    return ReferenceTrack(
        standing=home_reference(robot),
        q_upper=q_upper,
        v_upper=stream_velocities(q_upper),
        com_height_m=table[:, -2],
        pelvis_pitch_rad=table[:, -1],
    )


def followed_by(
    track: ReferenceTrack, at_s: float, arms: ReferenceTrack
) -> ReferenceTrack:
    """A track whose spine and arms do what another's do, from a time to its end."""
    first = round(at_s * STREAM_RATE_HZ)
    rest = arms.q_upper[: len(track.q_upper) - first]
    q_upper = np.vstack([track.q_upper[:first], rest])
    return replace(track, q_upper=q_upper, v_upper=stream_velocities(q_upper))


def stream_velocities(q: Array) -> Array:
    """Velocities (T, n) of a stream's angles (T, n)."""
    velocities: Array = np.gradient(q, 1.0 / STREAM_RATE_HZ, axis=0)
    return velocities


def stream_times(duration_s: float) -> Array:
    """Times of a stream's samples over a run."""
    return np.arange(int(np.ceil(duration_s * STREAM_RATE_HZ)) + 1) / STREAM_RATE_HZ


def _row(robot: Robot, pose: Pose) -> Array:
    """Spine and arm angles, CoM height and pitch of a pose."""
    home = home_reference(robot)
    names = [robot.controlled_joints[i] for i in robot.joints(*UPPER_BODY)]
    angles = home.q_upper.copy()
    for name, angle in pose.joints.items():
        if name not in names:
            raise UnknownNameError("upper-body joint", name, names)
        angles[names.index(name)] = angle
    return np.array([*angles, home.com_m[2] - pose.com_lower_m, pose.pelvis_pitch_rad])
