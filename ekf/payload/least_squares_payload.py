"""Common part of the least-squares estimators of a payload."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ekf.arrays import Array, frozen
from ekf.covariance import standard_deviations
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.streaming import CountsSamples, LearnStatus

Rows = tuple[Array, Array]
"""Regressor (m, n), or (m,) of a mass alone, and the torque (m,) to explain [Nm]."""


class LeastSquaresPayload(CountsSamples, ABC):
    """A `PayloadEstimator`: rows of one sample after the other in a least squares.

    The first unknown is the mass. A subclass aligns its samples and turns each into
    rows; everything else is here.
    """

    def __init__(
        self, squares: ForgettingLeastSquares, unit_parameters: Array | None = None
    ) -> None:
        """Start without a payload.

        Args:
            squares: The recursion, with its settings.
            unit_parameters: (10,) of 1 kg of payload about the link's joint frame, for
                an estimator of nothing but the mass.
        """
        self._squares, self._unit_parameters = squares, unit_parameters
        self.reset()

    @abstractmethod
    def _rows(self, sample: Any) -> Rows | LearnStatus:
        """Rows of a sample, or why there are none."""

    def reset(self) -> None:
        """Return to no payload and the initial covariance; the counts start again."""
        self._squares.reset()
        self._restart_counts()

    @property
    def state(self) -> Array:
        """(n,) unknowns, the mass first: noise may push it below zero [kg]."""
        return frozen(self._squares.state)

    @property
    def covariance(self) -> Array:
        """(n, n) covariance of the state."""
        return frozen(self._squares.covariance)

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the mass, for samples independent of one another."""
        return float(standard_deviations(self._squares.covariance[0, 0]))

    @property
    def payload_parameters(self) -> Array:
        """(10,) payload in Pinocchio's order, about the link's joint frame."""
        assert self._unit_parameters is not None
        return self.predict_one() * self._unit_parameters

    def predict_one(self) -> float:
        """Payload mass [kg], never negative."""
        return max(float(self._squares.state[0]), 0.0)

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads. Never raises on data."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._count(self._learn(sample))

    def _learn(self, sample: Any) -> LearnStatus:
        rows = self._rows(sample)
        return rows if isinstance(rows, LearnStatus) else self._squares.learn(*rows)
