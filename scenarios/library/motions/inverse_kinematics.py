"""Arm angles that put both forearm tips on a path, offline."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.errors import RobotError
from wbmpc.robot import Robot

_DAMPING = 1e-6
_POSTURE_GAIN = 0.1
_TOLERANCE_M = 1e-4
_ITERATIONS = 200


def solve_arms(robot: Robot, tips_m: dict[str, Array], q_start: Array) -> Array:
    """Configuration with both tips at given world positions, the rest unchanged.

    Damped least squares with joint limits; what the positions leave free is pulled
    towards the home pose. By hand: SciPy's `least_squares` takes six times as long for
    a track, after 0.4 s of import at the start of a run, and as it has no null space,
    its angles differ by 1e-3 rad.

    Args:
        robot: Robot description.
        tips_m: (3,) target of each tip by side, world frame.
        q_start: (nq,) start of the search.

    Returns:
        (nq,) configuration of `robot.model`.

    Raises:
        RobotError: A target out of reach.
    """
    q = q_start.copy()
    for side, target in tips_m.items():
        q = _solve_arm(robot, side, target, q)
    return q


def _solve_arm(robot: Robot, side: str, target: Array, q: Array) -> Array:
    model, data = robot.model, robot.model.createData()
    frame = robot.frame_id(robot.arms[side].tip_frame)
    joints = robot.joints(f"{side}_arm")
    low = model.lowerPositionLimit[7 + joints]
    high = model.upperPositionLimit[7 + joints]
    home = robot.home_q[7 + joints]
    for _ in range(_ITERATIONS):
        jacobian = pin.computeFrameJacobian(
            model, data, q, frame, pin.LOCAL_WORLD_ALIGNED
        )[:3, 6 + joints]
        pin.framesForwardKinematics(model, data, q)
        error = target - data.oMf[frame].translation
        inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + _DAMPING * _I3)
        free = np.eye(len(joints)) - inverse @ jacobian
        step = inverse @ error + free @ (_POSTURE_GAIN * (home - q[7 + joints]))
        if np.linalg.norm(error) < _TOLERANCE_M and np.abs(step).max() < 1e-4:
            return q
        q = q.copy()
        q[7 + joints] = np.clip(q[7 + joints] + step, low, high)
    if np.linalg.norm(error) < _TOLERANCE_M:
        return q
    raise RobotError(
        f"{robot.settings.name}: the {side} tip cannot reach "
        f"{np.round(target, 3).tolist()} m; it stays {np.linalg.norm(error):.3f} m away"
    )


_I3 = np.eye(3)
