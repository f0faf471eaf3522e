"""The step that hands and joints are moved with."""

from __future__ import annotations

import numpy as np

from models.arrays import Array


def min_jerk(share: Array) -> Array:
    r"""Minimum-jerk step from 0 to 1.

    .. math::
        10 s^3 - 15 s^4 + 6 s^5, \qquad s \in [0, 1]

    Args:
        share: Of the time that the move takes; still before 0 and after 1.
    """
    s = np.clip(share, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
