"""Leaves out torque rows whose innovation is too large to be noise."""

import numpy as np

from ekf.arrays import Array, Flags


class InnovationGate:
    r"""Test ratio of every row, and which rows to leave out.

    .. math:: \rho_i = \frac{e_i^2}{k^2 (v_i + (H P H^T)_{ii})}

    A row with :math:`\rho_i > 1` is left out. If it stays out for `reset_s` the row is
    believed again and the reset is counted: a filter that refuses everything for ever
    is no better than one that believes everything.
    """

    def __init__(self, rows: int, sigma: float, reset_s: float) -> None:
        """Start with every row believed.

        Args:
            rows: Number of torque rows.
            sigma: k.
            reset_s: Longest time a row is left out.
        """
        self._limit, self._reset_s = sigma**2, reset_s
        self.rejected = self.resets = 0
        self._out_s = np.zeros(rows)
        self._any_out = False

    def reset(self) -> None:
        """Believe every row; the counts are kept."""
        self._out_s = np.zeros_like(self._out_s)
        self._any_out = False

    def ratios(self, innovation: Array, variance: Array) -> Array:
        """(rows,) test ratios.

        Args:
            innovation: (rows,) measured minus predicted.
            variance: (rows,) v + H P H^T.
        """
        ratios: Array = innovation**2 / (self._limit * variance)
        return ratios

    def leave_out(self, ratios: Array, dt_s: float) -> Flags:
        """(rows,) whether a row of this sample is left out.

        Args:
            ratios: (rows,) of this sample.
            dt_s: Time since the sample before.
        """
        beyond = ratios > 1.0
        if not (self._any_out or beyond.any()):
            return beyond
        self._out_s = np.where(beyond, self._out_s + dt_s, 0.0)
        patient = self._out_s <= self._reset_s
        out: Flags = beyond & patient
        self._any_out = bool(beyond.any())
        self.rejected += int(out.any())
        self.resets += int(
            (beyond & ~patient & (self._out_s - dt_s <= self._reset_s)).any()
        )
        return out
