"""Squat, pick up a load, stand up, wash a window (arXiv:2610.22176, IV-B2)."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from scenarios.library.motions.body_scale import height_ratio
from scenarios.library.motions.gestures import (
    HOME,
    Move,
    Pose,
    named_joints,
    record_moves,
)
from scenarios.library.motions.window_washing import record_washing
from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack
from wbmpc.robot import Robot

Array = NDArray[np.float64]

SQUAT_AT_S, SQUAT_S = 1.0, 3.5
RISE_AT_S, RISE_S = 9.0, 4.0
WASH_AT_S = 13.5
"""The load comes on while squatting, before `RISE_AT_S`."""

POSE = "pick_up"
"""In the robot's settings: turned a little to the right, the right hand low in front of
the feet."""
SQUAT_DEPTH_M = 0.18
"""Of the centre of mass of the paper's robot."""
PELVIS_PITCH_RAD = 0.6


def squat(robot: Robot) -> Pose:
    """The bottom of the squat, as deep as the robot is tall.

    Raises:
        UnknownNameError: The robot's settings lack the pose.
    """
    return Pose(
        joints=named_joints(robot, POSE),
        com_lower_m=SQUAT_DEPTH_M * height_ratio(robot),
        pelvis_pitch_rad=PELVIS_PITCH_RAD,
    )


def record_squat_pickup(robot: Robot, duration_s: float) -> ReferenceTrack:
    """All quantities of Table II: squat, rise, then wash with both arms.

    Raises:
        UnknownNameError: The robot's settings lack the pose.
        RobotError: The washing path leaves the arms' reach.
    """
    moves = [
        Move(at_s=SQUAT_AT_S, over_s=SQUAT_S, to=squat(robot)),
        Move(at_s=RISE_AT_S, over_s=RISE_S, to=HOME),
    ]
    track = record_moves(robot, duration_s, moves)
    rest_s = duration_s - WASH_AT_S
    return track if rest_s <= 0.0 else _then_wash(robot, track, rest_s)


def _then_wash(robot: Robot, track: ReferenceTrack, rest_s: float) -> ReferenceTrack:
    """Replace the end of a track by washing, which starts at home."""
    first = round(WASH_AT_S * STREAM_RATE_HZ)
    washing = record_washing(robot, rest_s).q_upper[: len(track.q_upper) - first]
    q_upper = np.vstack([track.q_upper[:first], washing])
    return dataclasses.replace(
        track,
        q_upper=q_upper,
        v_upper=np.gradient(q_upper, 1.0 / STREAM_RATE_HZ, axis=0),
    )
