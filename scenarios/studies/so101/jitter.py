"""How late the arm's loop is woken."""

from __future__ import annotations

import msgspec
import numpy as np

from scenarios.errors import ScenarioError
from wbmpc.realtime import measure_jitter, realtime_process

LARGEST_PERIOD_S = 1.0
LARGEST_CYCLES = 1_000_000


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """Of one way to schedule the loop."""

    scheduler: str
    min_us: float
    mean_us: float
    p99_us: float
    p999_us: float
    max_us: float
    missed: int
    """Wake-ups later than a whole period."""


class JitterResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc so101 jitter` measures."""

    period_us: float
    cycles: int
    rows: list[Lateness]
    refused: list[str]
    """Requests that the operating system refused, one sentence each."""


def run_jitter(period_s: float, cycles: int, priority: int) -> JitterResult:
    """Measure as a normal process, and with what the system grants beyond that.

    Raises:
        ScenarioError: A period, number or priority that is not possible.
    """
    _check(period_s, cycles, priority)
    with realtime_process(None):
        rows = [_lateness("normal", period_s, cycles)]
    with realtime_process(priority) as granted:
        if granted.scheduler != "normal" or granted.memory_locked:
            locked = ", memory locked" if granted.memory_locked else ""
            rows.append(_lateness(f"{granted.scheduler}{locked}", period_s, cycles))
    return JitterResult(
        period_us=1e6 * period_s,
        cycles=cycles,
        rows=rows,
        refused=list(granted.refused),
    )


def _check(period_s: float, cycles: int, priority: int) -> None:
    if not 1e-4 <= period_s <= LARGEST_PERIOD_S:
        raise ScenarioError(
            f"--period {period_s}: must be within 0.0001 and {LARGEST_PERIOD_S:g} s"
        )
    if not 1 <= cycles <= LARGEST_CYCLES:
        raise ScenarioError(f"--cycles {cycles}: must be within 1 and {LARGEST_CYCLES}")
    if not 1 <= priority <= 99:
        raise ScenarioError(f"--priority {priority}: must be within 1 and 99")


def _lateness(scheduler: str, period_s: float, cycles: int) -> Lateness:
    late = measure_jitter(period_s, cycles)
    p99, p999 = np.percentile(late, (99.0, 99.9))
    return Lateness(
        scheduler=scheduler,
        min_us=1e6 * float(late.min()),
        mean_us=1e6 * float(late.mean()),
        p99_us=1e6 * float(p99),
        p999_us=1e6 * float(p999),
        max_us=1e6 * float(late.max()),
        missed=int(np.count_nonzero(late > period_s)),
    )
