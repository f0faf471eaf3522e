"""Noise of the torque rows that a load which creeps in is judged by."""

import math

import numpy as np

from ekf.arrays import Array

_DOUBLING_S = 30.0


class SettledNoise:
    r"""The learnt noise, but it grows slowly.

    A load that comes over many seconds looks like noise that grows, and would hide in
    it. So

    .. math:: s \leftarrow \min(v, s \, 2^{\Delta t / T})

    with v the variance of `InnovationNoise` and T = 30 s. Only while a chain moves
    briskly for the first time, and shows its friction, s is v.

    Attributes:
        variance: (nv,) s.
    """

    def __init__(self, initial: Array) -> None:
        """Start at a variance (nv,)."""
        self.variance = initial.copy()

    def follow(self, learnt: Array, new: Array, dt_s: float) -> None:
        """Take the noise that was just learnt.

        Args:
            learnt: (nv,) its variance v.
            new: (nv,) whether friction of the row is just seen for the first time.
            dt_s: Time since it was last taken.
        """
        largest = self.variance * math.exp2(dt_s / _DOUBLING_S)
        self.variance = np.where(new, learnt, np.minimum(learnt, largest))
