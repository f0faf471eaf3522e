"""Squat, pick up a load, stand up, wash a window (arXiv:2610.22176, IV-B2)."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from scenarios.gestures import HOME, Move, Pose, record_moves
from scenarios.window_washing import record_washing
from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack
from wbmpc.robot import Robot

Array = NDArray[np.float64]

SQUAT_AT_S, SQUAT_S = 1.0, 3.5
RISE_AT_S, RISE_S = 9.0, 4.0
WASH_AT_S = 13.5
"""The load comes on while squatting, before `RISE_AT_S`."""

SQUAT = Pose(
    joints={
        "SPINE_Z": -0.2,
        "RIGHT_SHOULDER_Y": -1.0,
        "RIGHT_SHOULDER_X": -0.3,
        "RIGHT_ELBOW_Y": -0.2,
        "LEFT_SHOULDER_Y": -0.5,
        "LEFT_SHOULDER_X": 0.3,
        "LEFT_ELBOW_Y": -0.9,
    },
    com_lower_m=0.18,
    pelvis_pitch_rad=0.6,
)
"""Turned a little to the right, the right hand low in front of the feet."""


def record_squat_pickup(robot: Robot, duration_s: float) -> ReferenceTrack:
    """All quantities of Table II: squat, rise, then wash with both arms.

    Raises:
        UnknownNameError: The robot lacks one of the joints.
        RobotError: The washing path leaves the arms' reach.
    """
    moves = [
        Move(at_s=SQUAT_AT_S, over_s=SQUAT_S, to=SQUAT),
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
