"""Published figures, with their source, and the goals this project sets itself.

Everything published is from arXiv:2610.22176 (simulation section IV-A, 23-joint
humanoid, 5 kg at the left forearm tip at 3 s).
"""

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
    """What the paper reports for the window-washing scenario."""

    source: str = "arXiv:2610.22176, Tables IV and V, section IV-A1"
    without_estimator: TrackingFigures
    with_estimator: TrackingFigures
    ratio_y: float
    """10.6 from the table; the text says "over 10x"."""
    ratio_z: float
    """27.4 from the table; the text says "over 25x"."""
    time_to_10pct_s: float
    """"within two seconds of application" (Fig. 4)."""
    alpha_end: float
    t3_end: float
    priors: dict[str, PriorFigures]
    """Table V by regime; the paper does not report the all-channel regime."""


PAPER = PaperFigures(
    without_estimator=TrackingFigures(rmse_y_mm=67.8, rmse_z_mm=389.2),
    with_estimator=TrackingFigures(rmse_y_mm=6.4, rmse_z_mm=14.2),
    ratio_y=67.8 / 6.4,
    ratio_z=389.2 / 14.2,
    time_to_10pct_s=2.0,
    alpha_end=1.10,
    t3_end=-0.28,
    priors={
        "none": PriorFigures(elbow_rms_deg=1.27, alpha=1.11, d=0.11, s=0.09, t=0.28),
        "inertia_only": PriorFigures(
            elbow_rms_deg=1.27, alpha=1.11, d=4e-5, s=1e-5, t=0.28
        ),
    },
)


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


WASHING_GOALS = {
    "rmse_y_mm": Goal(at_most=5.0),
    "rmse_z_mm": Goal(at_most=4.0),
    "ratio_z": Goal(at_least=100.0),
    "time_to_10pct_s": Goal(at_most=0.4),
    "alpha_end": around(1.105, 0.01),
    "t3_end": around(-0.2725, 0.01),
}
"""Goals for the loaded arm of window washing at 5 kg, with the estimator."""

PRIOR_GOAL = Goal(at_most=1e-3)
"""Goal for d and s under the inertia-only prior."""

REAL_TIME_GOAL = Goal(at_least=1.0)
