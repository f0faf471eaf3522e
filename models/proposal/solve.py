"""Bounded least squares of a few variables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.arrays import Array

_SMALL_GAIN = 1e-7
"""Share of the sum of squares below which another step is not worth it."""
_LEAST_WIDTH = 1e-9
"""Of the bounds; a joint whose limits leave no room does not move."""


def least_squares(
    residual: Callable[[Array], Array], start: Array, low: Array, high: Array
) -> tuple[Array, float]:
    """Minimise the sum of squares within bounds; derivatives by differences.

    Args:
        residual: (m,) of (n,) variables.
        start: (n,) where to begin; moved inside the bounds.
        low: (n,) lower bounds.
        high: (n,) upper bounds.

    Returns:
        The variables and the sum of squares there.
    """
    from scipy import optimize  # takes 0.4 s, and only proposals need it

    high = np.maximum(high, low + _LEAST_WIDTH)
    found = optimize.least_squares(
        residual,
        np.clip(start, low, high),
        bounds=(low, high),
        method="dogbox",  # for few variables, some of them at their bounds
        x_scale="jac",
        ftol=_SMALL_GAIN,
    )
    return found.x, 2.0 * float(found.cost)
