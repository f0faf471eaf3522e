"""Taring the estimator: what is wrong before loading is not the load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.arrays import Array

if TYPE_CHECKING:
    from scenarios.run.settings import RunSettings

LEAD_S = 1.0
"""Time from the end of the tare to loading, in which the remaining bias shows."""


@dataclass(frozen=True, kw_only=True)
class TareWindow:
    """When the torque residual is averaged."""

    start_s: float
    end_s: float

    @classmethod
    def of(cls, settings: RunSettings) -> TareWindow | None:
        """Window of a run, ending `LEAD_S` before loading; None without a tare."""
        if settings.tare_s == 0.0:
            return None
        end_s = max(settings.at_s - LEAD_S, settings.tare_s)
        return cls(start_s=end_s - settings.tare_s, end_s=end_s)


class TorqueTare:
    """Mean of the residual y - Y_est pi_nominal over a window."""

    def __init__(self, window: TareWindow) -> None:
        """Start with nothing."""
        self.window = window
        self._sum: Array | None = None
        self._count = 0

    def add(self, time_s: float, residual: Array | None) -> None:
        """Take one sample's residual (nv,); samples outside the window are ignored."""
        inside = self.window.start_s <= time_s < self.window.end_s
        if residual is None or not inside:
            return
        self._sum = residual if self._sum is None else self._sum + residual
        self._count += 1

    def holds(self, time_s: float) -> bool:
        """Whether the estimator is still held at nominal."""
        return time_s < self.window.end_s - 1e-9

    @property
    def bias(self) -> Array | None:
        """(nv,) mean residual; None before the first sample."""
        return None if self._sum is None else self._sum / self._count
