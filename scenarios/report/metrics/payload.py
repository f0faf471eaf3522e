"""How good a payload report was: when it knew, how far off it was, how sure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ekf.supervisor.link_monitor import LinkState
from models.arrays import Array
from scenarios.records.record import SIDES, PayloadSeries, RunRecord
from scenarios.report.metrics.results import PayloadMetrics

BAND = 0.1
END_S = 1.0
GRACE_S = 0.3
"""After a load came off, a report may still show it for so long."""
Z95 = 1.96


def payload_metrics(record: RunRecord) -> dict[str, PayloadMetrics] | None:
    """Metrics by side; None if nobody reports."""
    found = {}
    for index, side in enumerate(SIDES):
        payload = record.links[side].payload
        if payload is None:
            return None
        found[side] = _of(record.time_s, payload, record.payload_kg[:, index])
    return found


def _of(time_s: Array, payload: PayloadSeries, truth: Array) -> PayloadMetrics:
    known = bool(np.isfinite(truth).all())
    believed = np.array(payload.state) != LinkState.NOMINAL.value
    held = truth > 0.0
    on, off = _edges(held), _edges(~held)
    off = off[off > 0]
    spans = [(start, _next(off, start, len(time_s))) for start in on]
    whole = [(start, _whole_until(truth, start, stop)) for start, stop in spans]
    last = whole[-1][1] if whole else len(time_s)
    end = (time_s > time_s[last - 1] - END_S) & (np.arange(len(time_s)) < last)
    is_off = bool(spans) and spans[-1][1] < len(time_s)
    late = _recent(time_s, off)
    tracked = held & (np.array(payload.state) == LinkState.TRACKING.value)
    inside = np.abs(payload.mass_kg - truth) <= Z95 * payload.sigma_mass_kg
    tick_s = float(np.median(np.diff(time_s))) if len(time_s) > 1 else 0.0
    return PayloadMetrics(
        state=payload.state[last - 1],
        payload_kg=float(payload.mass_kg[end].mean()),
        sigma_kg=float(payload.sigma_mass_kg[end].mean()),
        noise_kg=float(payload.mass_kg[end].std()),
        smallest_kg=float(payload.smallest_kg[last - 1]),
        state_after_removal=payload.state[-1] if is_off else None,
        payload_after_removal_kg=float(payload.mass_kg[-1]) if is_off else None,
        attaches=len(on) if known else None,
        attach_delay_s=_longest(
            [_delay(time_s, believed, start, stop) for start, stop in spans]
        ),
        to_10pct_s=_longest([_arrival(time_s, payload, truth, *s) for s in whole]),
        detach_delay_s=_longest(
            [_delay(time_s, ~believed, k, _next(on, k, len(time_s))) for k in off]
        ),
        false_s=tick_s * float((believed & ~held & ~late).sum()) if known else None,
        inside_95_pct=float(100.0 * inside[tracked].mean()) if tracked.any() else None,
    )


def _edges(condition: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Ticks at which a condition becomes true."""
    return np.flatnonzero(np.diff(condition.astype(int), prepend=0) > 0)


def _next(ticks: NDArray[np.int_], after: int, otherwise: int) -> int:
    later = ticks[ticks > after]
    return int(later[0]) if len(later) else otherwise


def _whole_until(truth: Array, start: int, stop: int) -> int:
    """Tick at which a load that is taken off bit by bit begins to come off."""
    while stop - start > 1 and truth[stop - 1] < truth[stop - 2]:
        stop -= 1
    return stop


def _recent(time_s: Array, off: NDArray[np.int_]) -> NDArray[np.bool_]:
    recent = np.zeros(len(time_s), dtype=bool)
    for tick in off:
        recent |= (time_s >= time_s[tick]) & (time_s < time_s[tick] + GRACE_S)
    return recent


def _delay(
    time_s: Array, happened: NDArray[np.bool_], start: int, stop: int
) -> float | None:
    ticks = np.flatnonzero(happened[start:stop])
    return float(time_s[start + ticks[0]] - time_s[start]) if len(ticks) else None


def _arrival(
    time_s: Array, payload: PayloadSeries, truth: Array, start: int, stop: int
) -> float | None:
    error = np.abs(payload.mass_kg - truth)[start:stop]
    outside = np.flatnonzero(error > BAND * truth[start:stop])
    if not len(outside):
        return 0.0
    first = start + int(outside[-1]) + 1
    return float(time_s[first] - time_s[start]) if first < stop else None


def _longest(times: list[float | None]) -> float | None:
    """None if there is none, or one of them never came."""
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None
