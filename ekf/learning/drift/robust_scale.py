"""Median and scaled median absolute deviation."""

import numpy as np

from ekf.arrays import Array

_GAUSSIAN = 1.4826  # makes the MAD of a normal distribution its standard deviation


def robust_scale(values: Array) -> tuple[float, float]:
    """Centre and scale of ``values``."""
    centre = float(np.median(values))
    return centre, _GAUSSIAN * float(np.median(np.abs(values - centre)))
