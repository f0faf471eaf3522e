"""Whether a frame goes on where the last one ended, for head and hands together.

Coordinates of a headset are those of a space that it may re-centre: every device then
jumps by one rigid motion, though nobody moved, and by less than a jump of one hand. The
page says so by the number of the space. Browsers that do not tell it are seen through:
a head that is faster than a head can be, and hands that went with it rigidly.

Trackers that lose both hands at once may give each the other one's name.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin

from teleop.conventions import angle_between_rad

RECENTRED = "the view was re-centred"
SWAPPED = "left and right were exchanged"

HEAD_M, HEAD_M_PER_S = 0.01, 1.5
HEAD_RAD, HEAD_RAD_PER_S = 0.03, 5.0
"""A head does not move further than this and this speed allow."""
RIGID_M, RIGID_RAD = 0.005, 0.02
"""A hand that goes with the head this exactly is not moved by an arm."""
APART_M = 0.03
"""Hands closer than this may pass each other between two frames."""


class Continuity:
    """Compares each frame with what was last seen of every device."""

    def __init__(self) -> None:
        """Start without a past."""
        self._space: int | None = None
        self._time_s = 0.0
        self._poses: dict[str, pin.SE3] = {}

    def broken(
        self, space: int, time_s: float, poses: Mapping[str, pin.SE3 | None]
    ) -> str | None:
        """Why no hand may go on from the last frame; None if they may.

        Args:
            space: Number of the space that the poses are in.
            time_s: Of the frame, client's clock.
            poses: Of `head`, `left` and `right`; None without one.
        """
        now = {name: pose for name, pose in poses.items() if pose is not None}
        before, passed_s = self._poses, max(time_s - self._time_s, 0.0)
        other_space = self._space not in (None, space)
        self._space, self._time_s = space, time_s
        self._poses = now if other_space else before | now
        if other_space or _recentred(before, now, passed_s):
            return RECENTRED
        return SWAPPED if _swapped(before, now) else None


def _recentred(
    before: Mapping[str, pin.SE3], now: Mapping[str, pin.SE3], passed_s: float
) -> bool:
    """Whether everything jumped by the head's motion, which no head can make."""
    hands = [side for side in now if side != "head" and side in before]
    if not hands or "head" not in now or "head" not in before:
        return False
    distance, turn = _apart(before["head"], now["head"])
    if (
        distance <= HEAD_M + HEAD_M_PER_S * passed_s
        and turn <= HEAD_RAD + HEAD_RAD_PER_S * passed_s
    ):
        return False
    motion = now["head"] * before["head"].inverse()
    errors = [_apart(motion * before[side], now[side]) for side in hands]
    return all(m < RIGID_M and rad < RIGID_RAD for m, rad in errors)


def _swapped(before: Mapping[str, pin.SE3], now: Mapping[str, pin.SE3]) -> bool:
    """Whether each hand is nearer to where the other one was than to its own place."""
    if not {"left", "right"} <= now.keys() & before.keys():
        return False
    left, right = now["left"].translation, now["right"].translation
    was_left, was_right = before["left"].translation, before["right"].translation
    if np.linalg.norm(was_left - was_right) < APART_M:
        return False
    return bool(
        np.linalg.norm(left - was_right) < np.linalg.norm(left - was_left)
        and np.linalg.norm(right - was_left) < np.linalg.norm(right - was_right)
    )


def _apart(a: pin.SE3, b: pin.SE3) -> tuple[float, float]:
    """Distance [m] and angle [rad] between two poses."""
    distance = float(np.linalg.norm(a.translation - b.translation))
    return distance, angle_between_rad(a.rotation, b.rotation)
