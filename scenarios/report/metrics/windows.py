"""Means over parts of a run; an empty or unusable part has the value None."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SPAN_S = 1.0
"""Values "before" and "at the end of" something are means over this time."""


def before(time_s: Array, instant_s: float, span_s: float = SPAN_S) -> Mask:
    """Ticks of the span that ends at an instant; empty if the run ended before it."""
    if not len(time_s) or time_s[-1] < instant_s - 0.1 * span_s:
        return np.zeros(len(time_s), dtype=bool)
    return (time_s >= instant_s - span_s) & (time_s < instant_s)


def last(time_s: Array, span_s: float = SPAN_S) -> Mask:
    """Ticks of the last span."""
    if not len(time_s):
        return np.zeros(0, dtype=bool)
    return time_s > time_s[-1] - span_s


def between(time_s: Array, start_s: float, end_s: float) -> Mask:
    """Ticks of a closed-open interval."""
    return (time_s >= start_s) & (time_s < end_s)


def mean(values: Array, window: Mask) -> float | None:
    """Mean over a window."""
    return finite(values[window].mean()) if window.any() else None


def rms(values: Array, window: Mask) -> float | None:
    """Root mean square over a window."""
    return finite(np.sqrt(np.mean(values[window] ** 2))) if window.any() else None


def difference(value: float | None, other: float | None) -> float | None:
    """Value minus other, if both are known."""
    return None if value is None or other is None else value - other


def ratio(over: float | None, under: float | None) -> float | None:
    """Quotient, if both are known and the divisor is not zero."""
    return over / under if over is not None and under else None


def scaled(factor: float, value: float | None) -> float | None:
    """Product, if the value is known."""
    return None if value is None else factor * value


def finite(value: float | np.floating) -> float | None:
    """The value unless it is not finite."""
    return float(value) if np.isfinite(value) else None
