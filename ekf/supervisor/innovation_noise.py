"""How noisy each torque row really is, learnt while nothing happens."""

import math

import numpy as np

from ekf.arrays import Array

_LARGEST_RATIO = 4.0
_CONSISTENT = 1.0864
"""c: makes up for the clipping, so that v is right for normal noise.

One over E[min(z^2, 4)] of a standard normal z, 1.0863, rounded up.
"""


class InnovationNoise:
    r"""Running mean square of the innovation, row by row.

    .. math:: v \leftarrow v + (1 - e^{-\Delta t / \tau}) (c \min(e^2, 4 v) - v)

    within a floor and a ceiling. A quiet plant is watched closely; one with friction,
    whose innovations are some Nm all the time, raises no alarm over them. Large
    innovations count as two standard deviations: noise that grows is learnt within
    seconds, but a load is noticed before it is.

    Attributes:
        variance: (nv,) mean square of the innovation.
    """

    def __init__(
        self, initial: Array, floor: Array, ceiling: Array, span_s: float
    ) -> None:
        """Start at a guess.

        Args:
            initial: (nv,) standard deviations at the start [N, Nm].
            floor: (nv,) smallest ones.
            ceiling: (nv,) largest ones; infinite for no limit.
            span_s: Time constant.
        """
        self._initial, self._span_s = initial, span_s
        self._floor, self._ceiling = floor**2, ceiling**2
        self.reset()

    def reset(self) -> None:
        """Return to the guess."""
        self.variance = np.clip(self._initial**2, self._floor, self._ceiling)

    def learn(self, innovation: Array, rows: Array, dt_s: float) -> None:
        """Take one quiet innovation.

        Args:
            innovation: (nv,) measured minus predicted.
            rows: (nv,) 1 for the rows to learn from, else 0.
            dt_s: Time since the one before.
        """
        share = -math.expm1(-dt_s / self._span_s) * rows
        clipped = np.minimum(innovation**2, _LARGEST_RATIO * self.variance)
        squares = _CONSISTENT * clipped
        learnt = self.variance + share * (squares - self.variance)
        self.variance = np.minimum(np.maximum(learnt, self._floor), self._ceiling)
