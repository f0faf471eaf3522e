"""When a payload came and went, from the cost that it saves."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array, Flags, Rows
from ekf.identification.log_fit import Fit, Task, columns_of, inverse, prior

BLOCK_S = 0.5
MOST_BLOCKS = 120
SHORTEST_S = 2.0
"""Of a span, and of what is left outside."""
_FLAT = 1e-4
_NEWS = 10.0
"""By how much a span has to save more than the same mass all along."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """A span of a log.

    Attributes:
        loaded: (N,) instants within it.
        saved: Twice the logarithm of how much likelier it is than none.
        from_s: Its beginning.
        to_s: Its end.
        mass_kg: By how much the mass is another within it.
    """

    loaded: Flags
    saved: float
    from_s: float
    to_s: float
    mass_kg: float


def best_span(task: Task, found: Fit) -> Span | None:
    """The span during which another mass at the link would save most.

    Spans that are nearly those at which the payload is already, or is not, are no news.
    None if nothing is better than the same mass all along.

    Args:
        task: What was fitted, with whatever payload it had.
        found: How: weights and torques of the drives are those of this fit.
    """
    log, layout = task.logs[0], found.layout
    rows = max(round(BLOCK_S / log.step_s), -(-len(log) // MOST_BLOCKS), 1)
    starts = np.arange(0, len(log), rows)
    count = len(starts)
    shortest = max(1, int(np.ceil(SHORTEST_S / (rows * log.step_s))))
    if count <= shortest:
        return None
    _, precision = prior(task, layout, found.theta, found.gain_factor)
    information = precision.copy()
    cross = np.zeros((count, layout.size, 10))
    own = np.zeros((count, 10, 10))
    pull = np.zeros((count, 10))
    for index, evidence in enumerate(task.logs):
        columns = columns_of(task, layout, found.theta, index)
        for joint in range(layout.n):
            where = layout.row(joint, index)
            weights = found.weights[index][:, joint, None]
            block = columns[joint]
            information[np.ix_(where, where)] += (block * weights).T @ block
            if index:
                continue
            load = evidence.payload[:, joint]
            for number, start in enumerate(starts):
                rows_here = slice(start, start + rows)
                weighted = load[rows_here] * weights[rows_here]
                cross[number][where] += block[rows_here].T @ weighted
                own[number] += load[rows_here].T @ weighted
                pull[number] += weighted.T @ found.residuals[0][rows_here, joint]
    covariance = inverse(information)
    expected = precision[layout.payload : layout.drive, layout.payload : layout.drive]
    return _search(task, starts, shortest, covariance, cross, own, pull, expected)


def _search(
    task: Task,
    starts: Rows,
    shortest: int,
    covariance: Array,
    cross: Array,
    own: Array,
    pull: Array,
    expected: Array,
) -> Span | None:
    count, log = len(starts), task.logs[0]
    there = task.loaded[0][starts].astype(int)
    whole = 0.0
    sums = [
        np.concatenate((np.zeros_like(x[:1]), np.cumsum(x, axis=0)))
        for x in (cross, own, pull)
    ]
    best: tuple[float, int, int, float] | None = None
    for first in range(0, count - shortest + 1):
        for last in range(first + shortest, count + 1):
            all_along = last - first == count
            if count - (last - first) < shortest and not all_along:
                continue
            inside = np.zeros(count, dtype=int)
            inside[first:last] = 1
            other = int(np.abs(inside - there).sum())
            if min(other, count - other) < shortest and not all_along:
                continue
            shared, alone, force = (x[last] - x[first] for x in sums)
            left = alone + expected - shared.T @ covariance @ shared
            # What is no more than rounding errors away from what is fitted already.
            left = left + _FLAT * np.diag(alone.diagonal())
            change = np.linalg.solve(left, force)
            saved = float(force @ change)
            if all_along:
                whole = saved
            elif best is None or saved > best[0]:
                best = saved, first, last, float(change[0])
    if best is None or best[0] < whole + _NEWS:
        return None
    saved, first, last, mass_kg = best
    loaded = np.zeros(len(log), dtype=bool)
    end = len(log) if last == count else int(starts[last])
    loaded[int(starts[first]) : end] = True
    times = log.time_s[loaded]
    return Span(
        loaded=loaded,
        saved=saved,
        from_s=float(times[0]),
        to_s=float(times[-1]),
        mass_kg=mass_kg,
    )
