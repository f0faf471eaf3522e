"""Figures published of a comparison, and the goals this project sets itself."""

from __future__ import annotations

import msgspec


class TrackingFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Table IV: taskspace RMSE of the loaded tip from its unloaded path."""

    rmse_y_mm: float
    rmse_z_mm: float


class PriorFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Table V: one prior regime. Deviations are RMS from nominal."""

    elbow_rms_deg: float
    alpha: float
    d: float
    s: float
    t: float


class PaperFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures the paper reports of a scenario without and with the estimator."""

    source: str
    without_estimator: TrackingFigures
    with_estimator: TrackingFigures
    ratio_y: float
    ratio_z: float
    time_to_10pct_s: float
    alpha_end: float
    t3_end: float
    priors: dict[str, PriorFigures]
    """Table V by regime; the paper does not report the all-channel regime."""


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """An interval a figure of ours should lie in."""

    at_least: float | None = None
    at_most: float | None = None

    def met(self, value: float | None) -> bool | None:
        """Whether a value lies in the interval; None for an unknown value."""
        if value is None:
            return None
        low = self.at_least is None or value >= self.at_least
        return low and (self.at_most is None or value <= self.at_most)

    def __str__(self) -> str:
        """Interval as text."""
        if self.at_least is None:
            return f"<= {self.at_most:g}"
        if self.at_most is None:
            return f">= {self.at_least:g}"
        middle = (self.at_least + self.at_most) / 2
        return f"{middle:g} +- {(self.at_most - self.at_least) / 2:g}"


def around(middle: float, tolerance: float) -> Goal:
    """Goal of a value within a tolerance."""
    return Goal(at_least=middle - tolerance, at_most=middle + tolerance)


class PublishedComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Figures and goals of a scenario's comparison without and with the estimator.

    It is about the paper's robot with the scenario's own load.
    """

    paper: PaperFigures
    goals: dict[str, Goal]
    """Ours, for figures of the loaded arm with the estimator."""


PRIOR_GOAL = Goal(at_most=1e-3)
"""Goal for d and s under the inertia-only prior."""

REAL_TIME_GOAL = Goal(at_least=1.0)
