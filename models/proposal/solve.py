"""Bounded least squares of a few variables, by Levenberg and Marquardt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ITERATIONS = 200
_DIFFERENCE = 1e-6
_SMALL_GAIN = 1e-7
"""Share of the sum of squares below which another step is not worth it."""


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
    x = np.clip(start, low, high)
    value = residual(x)
    damping = 1e-3
    for _ in range(_ITERATIONS):
        jacobian = _jacobian(residual, x, value)
        gradient = jacobian.T @ value
        # A variable at a bound that would be pushed through it stays there.
        free = ~(((x <= low) & (gradient > 0.0)) | ((x >= high) & (gradient < 0.0)))
        if not free.any():
            break
        square = jacobian[:, free].T @ jacobian[:, free]
        step = np.zeros_like(x)
        step[free] = -np.linalg.solve(
            square + damping * np.eye(free.sum()), gradient[free]
        )
        trial = np.clip(x + step, low, high)
        tried = residual(trial)
        if tried @ tried < value @ value:
            gained = 1.0 - (tried @ tried) / (value @ value)
            x, value, damping = trial, tried, max(damping / 4.0, 1e-12)
            if gained < _SMALL_GAIN:
                break
        else:
            damping *= 8.0
            if damping > 1e9:
                break
    return x, float(value @ value)


def _jacobian(residual: Callable[[Array], Array], x: Array, value: Array) -> Array:
    columns = []
    for index in range(len(x)):
        moved = x.copy()
        moved[index] += _DIFFERENCE
        columns.append((residual(moved) - value) / _DIFFERENCE)
    return np.column_stack(columns)
