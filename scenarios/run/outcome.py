"""When a run has ended badly."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.robot import Robot

MAX_TILT_RAD = 1.0
"""Pelvis tilt from upright beyond which the robot counts as fallen."""
MIN_HEIGHT_SHARE = 0.6
"""Pelvis height, relative to home, below which the robot counts as fallen."""


def why_ended(fault: str | None, q: Array, robot: Robot) -> str | None:
    """How a run ended badly in a state, as a sentence; None if it goes on.

    Args:
        fault: Of the plant or its readings.
        q: True configuration of `Robot.full_model`.
        robot: Robot description.
    """
    if fault is not None:
        return f"plant stopped: {fault}"
    up = pin.Quaternion(q[3:7]).toRotationMatrix()[2, 2]
    if up < np.cos(MAX_TILT_RAD):
        return "the robot fell: pelvis tilted over"
    if q[2] < MIN_HEIGHT_SHARE * robot.home_q_full[2]:
        return "the robot fell: pelvis near the floor"
    return None
