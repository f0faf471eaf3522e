"""Both arms level in front of the torso, as for a load carried in two hands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from teleop.reference_track import ReferenceTrack
    from wbmpc.robot import Robot

REACH_S = 2.0
POSE = "arms_forward"
"""In the robot's settings: forearms level and parallel, far ahead
(arXiv:2610.22176, Figs 5 and 6)."""


def reach_forward(robot: Robot, duration_s: float) -> ReferenceTrack:
    """Reach forward and hold.

    Raises:
        UnknownNameError: The robot's settings lack the pose.
    """
    from scenarios.library.motions.gestures import (
        Move,
        Pose,
        named_joints,
        record_moves,
    )

    pose = Pose(joints=named_joints(robot, POSE))
    return record_moves(robot, duration_s, [Move(at_s=0.0, over_s=REACH_S, to=pose)])
