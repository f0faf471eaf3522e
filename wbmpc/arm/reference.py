"""The minimum-jerk path from zero to the target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wbmpc.arm.interface import JointReference

Array = NDArray[np.float64]


class MinimumJerk:
    r"""From one configuration to another with minimum jerk, then still.

    .. math::
        q = q_0 + (10 s^3 - 15 s^4 + 6 s^5) (q_1 - q_0), \qquad s = t / T \in [0, 1]
    """

    def __init__(self, start: Array, target: Array, move_s: float) -> None:
        """Set both ends (n,) [rad] and the time between them."""
        self._start, self._move = np.array(start), np.array(target) - np.array(start)
        self._move_s = move_s

    def at(self, time_s: float) -> JointReference:
        """Angles, velocities and accelerations at a time."""
        s = min(max(time_s / self._move_s, 0.0), 1.0)
        position = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        velocity = 30.0 * s**2 * (1.0 - s) ** 2 / self._move_s
        acceleration = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / self._move_s**2
        return JointReference(
            q=self._start + position * self._move,
            v=velocity * self._move,
            a=acceleration * self._move,
        )
