"""Parts of a run, and figures of them; an empty or unusable part has the value None."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from scenarios.records.record import RunRecord

Mask = NDArray[np.bool_]

SPAN_S = 1.0
"""Values "before" and "at the end of" something are means over this time."""
ROUNDING_S = 1e-6
"""Times of ticks are sums of steps."""
SETTLE_S = 2.0
"""Time after loading at which the settled window starts."""


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Parts of a run as masks over its ticks.

    Attributes:
        before: The last second before loading.
        whole: From loading to removal or the end.
        settled: From `SETTLE_S` after the load is fully on.
        end: The last second of `whole`.
        removed: From removal on.
    """

    before: Mask
    whole: Mask
    settled: Mask
    end: Mask
    removed: Mask

    @classmethod
    def of(cls, record: RunRecord) -> Windows:
        """Windows of a run."""
        time, settings = record.time_s, record.settings
        stop_s = np.inf if settings.remove_at_s is None else settings.remove_at_s
        stop_s -= ROUNDING_S  # the tick of the removal knows the load no more
        whole = (time >= settings.at_s) & (time < stop_s)
        return cls(
            before=(time < settings.at_s) & (time >= settings.at_s - SPAN_S),
            whole=whole,
            settled=whole & (time >= settings.at_s + settings.ramp_s + SETTLE_S),
            end=last_of(time, whole),
            removed=time >= stop_s,
        )


def before(time_s: Array, instant_s: float, span_s: float = SPAN_S) -> Mask:
    """Ticks of the span that ends at an instant; empty if the run ended before it."""
    if not len(time_s) or time_s[-1] < instant_s - 0.1 * span_s:
        return np.zeros(len(time_s), dtype=bool)
    return (time_s >= instant_s - span_s) & (time_s < instant_s)


def last(time_s: Array, span_s: float = SPAN_S) -> Mask:
    """Ticks of the last span."""
    return last_of(time_s, np.ones(len(time_s), dtype=bool), span_s)


def last_of(time_s: Array, window: Mask, span_s: float = SPAN_S) -> Mask:
    """Ticks of the last span of a window."""
    if not window.any():
        return window
    return window & (time_s > time_s[window][-1] - span_s)


def between(time_s: Array, start_s: float, end_s: float) -> Mask:
    """Ticks of a closed-open interval."""
    return (time_s >= start_s) & (time_s < end_s)


def mean(values: Array, window: Mask) -> float | None:
    """Mean over a window."""
    return finite(values[window].mean()) if window.any() else None


def mean_rows(rows: Array, window: Mask) -> tuple[float, ...] | None:
    """Mean over a window of each column."""
    chosen = rows[window]
    if not len(chosen) or not np.isfinite(chosen).all():
        return None
    return tuple(float(x) for x in chosen.mean(axis=0))


def std(values: Array, window: Mask) -> float | None:
    """Standard deviation over a window."""
    return finite(values[window].std()) if window.any() else None


def rms(values: Array, window: Mask) -> float | None:
    """Root mean square over a window."""
    return finite(np.sqrt(np.mean(values[window] ** 2))) if window.any() else None


def rms_norm(rows: Array, window: Mask) -> float | None:
    """Root mean square over a window of the norm of each row."""
    return rms(np.linalg.norm(rows, axis=1), window)


def largest_size(values: Array, window: Mask) -> float | None:
    """Largest absolute value in a window."""
    return finite(np.abs(values[window]).max()) if window.any() else None


def smallest(values: Array, window: Mask) -> float | None:
    """Smallest value in a window; what is not finite is left out."""
    chosen = values[window]
    chosen = chosen[np.isfinite(chosen)]
    return finite(chosen.min()) if len(chosen) else None


def change(values: Array, start: Mask, end: Mask) -> float | None:
    """Mean over one window minus the mean over an earlier one."""
    return difference(mean(values, end), mean(values, start))


def stays_from_s(time_s: Array, inside: Mask, window: Mask) -> float | None:
    """Time from the window's start until `inside` holds to the window's end."""
    times, held = time_s[window], inside[window]
    if not len(held) or not held[-1]:
        return None
    outside = np.flatnonzero(~held)
    first = outside[-1] + 1 if len(outside) else 0
    return float(times[first] - times[0])


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
