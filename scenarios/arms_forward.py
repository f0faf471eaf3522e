"""Both arms level in front of the torso, as for a load carried in two hands."""

from __future__ import annotations

from scenarios.gestures import Move, Pose, record_moves
from teleop.reference_track import ReferenceTrack
from wbmpc.robot import Robot

REACH_S = 2.0

ARMS_FORWARD = Pose(
    joints={
        "LEFT_SHOULDER_Y": -1.28,
        "LEFT_SHOULDER_X": 0.59,
        "LEFT_SHOULDER_Z": 0.12,
        "LEFT_ELBOW_Y": -0.34,
        "RIGHT_SHOULDER_Y": -1.28,
        "RIGHT_SHOULDER_X": -0.59,
        "RIGHT_SHOULDER_Z": -0.12,
        "RIGHT_ELBOW_Y": -0.34,
    }
)
"""Forearms level and parallel, 0.7 m ahead (arXiv:2610.22176, Figs 5 and 6)."""


def record_arms_forward(robot: Robot, duration_s: float) -> ReferenceTrack:
    """Reach forward and hold.

    Raises:
        UnknownNameError: The robot lacks one of the arm joints.
    """
    return record_moves(
        robot, duration_s, [Move(at_s=0.0, over_s=REACH_S, to=ARMS_FORWARD)]
    )
