"""The last moments of one link's own torque rows, as normal equations."""

import math

import numpy as np

from ekf.arrays import Array

_RIDGE = 1e-9
_POINT = slice(0, 4)
"""Mass and first moment: what a payload changes first, and all that gravity shows."""


class TorqueWindow:
    r"""Exponentially forgotten least squares on the rows of one link's chain.

    With weights :math:`w_k` that sum to one, r the torque the link has to explain, Y
    its regressor and :math:`\sigma` the noise of each row,

    .. math::
        E(\pi) = \sum_k w_k \| (r_k - Y_k \pi) / \sigma \|^2
        = c - 2 b^T \pi + \pi^T A \pi

    is how badly an inertia fits the last moments: about the number of rows if it is
    right. Every hypothesis is judged on the same sums.
    """

    def __init__(self, span_s: float) -> None:
        """Remember about `span_s` [s]."""
        self._span_s = span_s
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._gram = np.zeros((11, 11))
        self._weight = 0.0

    def add(self, gram: Array, dt_s: float) -> None:
        """Take one sample.

        Args:
            gram: (11, 11) of its rows, see `gram_of_rows`.
            dt_s: Time since the sample before.
        """
        keep = math.exp(-dt_s / self._span_s)
        self._gram = keep * self._gram + (1.0 - keep) * gram
        self._weight = keep * self._weight + 1.0 - keep

    def energy(self, parameters: Array) -> float:
        """E of an inertia (10,); zero before the first sample."""
        if self._weight == 0.0:
            return 0.0
        fit = np.append(parameters, -1.0)
        return max(float(fit @ self._gram @ fit), 0.0) / self._weight

    def explained(self, parameters: Array) -> float:
        """By how much E falls if mass and first moment (4,) may be anything."""
        return self.change(parameters)[1]

    def change(self, parameters: Array) -> tuple[Array, float]:
        """Change of mass and first moment (4,) that fits best, and what E falls by."""
        slope = self._slope(parameters)[_POINT]
        point = self._gram[_POINT, _POINT]
        damped = point + (_RIDGE * np.trace(point) + 1e-300) * np.eye(4)
        change = np.linalg.solve(damped, slope)
        return change, float(slope @ change) / max(self._weight, 1e-300)

    def along(self, parameters: Array, direction: Array) -> float:
        """Step along a direction (10,) that fits best from an inertia."""
        slope = self._slope(parameters)
        return float(direction @ slope) / max(
            float(direction @ self._gram[:10, :10] @ direction), 1e-300
        )

    def visible(self, change: Array) -> float:
        """By how much E would rise without a change (10,) that is really there."""
        return float(change @ self._gram[:10, :10] @ change) / max(self._weight, 1e-300)

    def _slope(self, parameters: Array) -> Array:
        slope: Array = self._gram[:10, 10] - self._gram[:10, :10] @ parameters
        return slope


def gram_of_rows(torque: Array, regressor: Array, sigma: Array) -> Array:
    """(11, 11) products of the rows [Y, r], each in units of its noise.

    Args:
        torque: (m,) torque r the link has to explain [Nm].
        regressor: (m, 10) Y of its inertial parameters.
        sigma: (m,) noise of the rows; infinite for a row to leave out.
    """
    rows = np.column_stack((regressor, torque)) / sigma[:, None]
    gram: Array = rows.T @ rows
    return gram
