"""Arm angles that put both forearm tips on a path, offline."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

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
    """First as if limits were far, which clips; then with joints held at theirs.

    A clipped step is no solution, and where the pull towards home ends at a limit it
    may never become one, however near the target is.
    """
    arm = _Arm(robot, side)
    for hold in (False, True):
        for _ in range(_ITERATIONS):
            step, error_m = arm.step(q, target, hold=hold)
            if error_m < _TOLERANCE_M and np.abs(step).max() < 1e-4:
                return q
            q = arm.moved(q, step)
        if error_m < _TOLERANCE_M:
            return q
    raise RobotError(
        f"{robot.settings.name}: the {side} tip cannot reach "
        f"{np.round(target, 3).tolist()} m; it stays {error_m:.2g} m away"
    )


class _Arm:
    """One arm of a robot, everything else still."""

    def __init__(self, robot: Robot, side: str) -> None:
        self._model, self._data = robot.model, robot.model.createData()
        self._frame = robot.frame_id(robot.arms[side].tip_frame)
        joints = robot.joints(f"{side}_arm")
        self._rows, self._columns = 6 + joints, 7 + joints
        self._low = robot.model.lowerPositionLimit[self._columns]
        self._high = robot.model.upperPositionLimit[self._columns]
        self._home = robot.home_q[self._columns]

    def step(self, q: Array, target: Array, *, hold: bool) -> tuple[Array, float]:
        """Next step of the arm's joints, and how far the tip is off [m]."""
        jacobian = pin.computeFrameJacobian(
            self._model, self._data, q, self._frame, pin.LOCAL_WORLD_ALIGNED
        )[:3, self._rows]
        pin.framesForwardKinematics(self._model, self._data, q)
        error = target - self._data.oMf[self._frame].translation
        pull = _POSTURE_GAIN * (self._home - q[self._columns])
        step = _projected(jacobian, error, pull)
        for _ in range(len(step) if hold else 0):
            free = ~self._is_held(q, step)
            held = np.zeros(len(step))
            held[free] = _projected(jacobian[:, free], error, pull[free])
            if np.array_equal(held, step):
                break
            step = held
        return step, float(np.linalg.norm(error))

    def moved(self, q: Array, step: Array) -> Array:
        """The configuration after a step, within the limits."""
        q = q.copy()
        q[self._columns] = np.clip(q[self._columns] + step, self._low, self._high)
        return q

    def _is_held(self, q: Array, step: Array) -> NDArray[np.bool_]:
        """Joints at a limit that would be pushed through it, or have been held."""
        at = q[self._columns]
        beyond = ((at <= self._low) & (step < 0.0)) | (
            (at >= self._high) & (step > 0.0)
        )
        return beyond | ((step == 0.0) & ((at <= self._low) | (at >= self._high)))


def _projected(jacobian: Array, error: Array, pull: Array) -> Array:
    """Damped least squares for the tip; the pull where that leaves the arm free."""
    inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + _DAMPING * _I3)
    free = np.eye(jacobian.shape[1]) - inverse @ jacobian
    step: Array = inverse @ error + free @ pull
    return step


_I3 = np.eye(3)
