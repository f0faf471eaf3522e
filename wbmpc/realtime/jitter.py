"""How late the clock wakes a process that does nothing else."""

from __future__ import annotations

import numpy as np

from models.arrays import Array
from wbmpc.realtime.clock import DeadlineClock, now_ns


def measure_jitter(period_s: float, cycles: int) -> Array:
    """Lateness (cycles,) of each wake-up [s]."""
    clock = DeadlineClock(period_s, now_ns() + round(period_s * 1e9))
    return np.array([clock.wait() for _ in range(cycles)])
