"""How long the chains that carry the links have rested, and moved."""

from collections.abc import Sequence

import numpy as np

from ekf.arrays import Array, Rows

_BRISK = 5.0
"""A chain this many times faster than one that rests does not just slip a little."""
_FIRST_S = 3.0
"""Brisk motion in which friction shows for the first time."""


class ChainMotion:
    """Clocks of each link.

    Friction is one and the same error while its joint rests, and averages out while
    it moves.

    Attributes:
        rest_s: (n,) how long each chain has rested now.
        moved_s: (n,) how long each has moved since the last `restart`.
        new: (n,) whether each moves briskly now and has hardly ever done so before.
    """

    def __init__(self, rows: Sequence[Rows], resting_speed: float) -> None:
        """Start the clocks.

        Args:
            rows: Actuated joints of each link's own chain.
            resting_speed: A chain slower than this rests [rad/s, m/s].
        """
        self._rows, self._resting_speed = list(rows), resting_speed
        self.reset()

    def reset(self) -> None:
        """Start the clocks again."""
        self.rest_s, self.moved_s, self._brisk_s = np.zeros((3, len(self._rows)))
        self.new = np.zeros(len(self._rows), dtype=bool)

    def restart(self, index: int) -> None:
        """Begin to count the motion of a link anew: its load is another one."""
        self.moved_s[index] = 0.0

    def read(self, speed: Array, dt_s: float) -> None:
        """Take one sample of the actuated joints' velocities (n_joints,)."""
        slow = np.abs(speed) < self._resting_speed
        brisk = np.abs(speed) > _BRISK * self._resting_speed
        for index, rows in enumerate(self._rows):
            if slow[rows].all():
                self.rest_s[index] += dt_s
            else:
                self.rest_s[index] = 0.0
                self.moved_s[index] += dt_s
            moves = bool(brisk[rows].any())
            self._brisk_s[index] += dt_s * moves
            self.new[index] = moves and self._brisk_s[index] < _FIRST_S
