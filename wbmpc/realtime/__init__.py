"""Running against the wall clock: deadlines, priorities, exchange between processes."""

from wbmpc.realtime.clock import DeadlineClock, now_ns, sleep_until
from wbmpc.realtime.deadline import MAX_MISSES_IN_A_ROW, DeadlineMonitor
from wbmpc.realtime.exchange import Slot
from wbmpc.realtime.jitter import measure_jitter
from wbmpc.realtime.privileges import Privileges, ask_fifo, realtime_process

__all__ = [
    "MAX_MISSES_IN_A_ROW",
    "DeadlineClock",
    "DeadlineMonitor",
    "Privileges",
    "Slot",
    "ask_fifo",
    "measure_jitter",
    "now_ns",
    "realtime_process",
    "sleep_until",
]
