"""Which rows of a log can be used: their times mended, the rest refused and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.arrays import Array

ENOUGH = 0.9
"""Share of a log's rows that must be usable."""
NO_TIME = "time is no number"
BACKWARDS = "time does not go forward"
NO_POSITION = "position is no number"
NO_VELOCITY = "velocity is no number"
NO_TORQUE = "torque is no number"
_NEW_CLOCK_ROWS = 5
"""So many rows in order on an earlier clock are a clock that was set back."""


class SampleCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a log's rows.

    Attributes:
        total: Rows in the log, the unreadable among them.
        used: Rows given to the estimators.
        refused: The others, by reason.
    """

    total: int
    used: int
    refused: Mapping[str, int] = {}

    @property
    def enough(self) -> bool:
        """Whether nine rows of ten were usable."""
        return self.used >= ENOUGH * self.total

    def sentence(self) -> str:
        """For a terminal."""
        why = ", ".join(f"{count} {reason}" for reason, count in self.refused.items())
        return f"{self.used} of {self.total} samples used" + (why and f" ({why})")


def mend_times(time_s: Array) -> tuple[NDArray[np.intp], Array, Counter[str], int]:
    """Rows whose times go forward.

    A row that alone lies ahead or behind is refused. Where at least five rows go on in
    order at earlier times, the clock was set back: they follow a median step later.

    Args:
        time_s: (T,) times as recorded.

    Returns:
        Indices of the rows that can be used, their times, counts of the others by
        reason, and how often the clock was set back.
    """
    refused: Counter[str] = Counter()
    finite = np.flatnonzero(np.isfinite(time_s))
    refused[NO_TIME] = len(time_s) - len(finite)
    raw = time_s[finite]
    steps = np.diff(raw)
    step = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.0
    kept: list[int] = []
    times: list[float] = []
    shift, resets = 0.0, 0
    for k, recorded in enumerate(raw):
        now = recorded + shift
        if times and now <= times[-1]:
            if not _goes_on(raw[k : k + _NEW_CLOCK_ROWS] + shift, times[-1]):
                refused[BACKWARDS] += 1
                continue
            shift += times[-1] + step - now
            now, resets = times[-1] + step, resets + 1
        elif _is_ahead(now, raw[k + 1 : k + 3] + shift, times):
            refused[BACKWARDS] += 1
            continue
        kept.append(k)
        times.append(float(now))
    return finite[kept], np.array(times), +refused, resets


def _goes_on(rows: Array, last: float) -> bool:
    """Whether rows that start behind the last go on in order, all behind it."""
    full = len(rows) == _NEW_CLOCK_ROWS
    return full and bool((np.diff(rows) > 0.0).all() and rows[-1] <= last)


def _is_ahead(now: float, following: Array, times: list[float]) -> bool:
    """Whether the next two rows go on from before this one."""
    if len(following) < 2:
        return False
    last = times[-1] if times else -np.inf
    return bool(last < following[0] < now and following[0] < following[1])
