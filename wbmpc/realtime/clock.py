"""A periodic clock with absolute deadlines.

Sleeping for a duration after each cycle adds up every cycle's own time and jitter; an
absolute deadline does not. CLOCK_MONOTONIC counts from the same instant in every
process of a machine, so that processes can agree on a start.
"""

from __future__ import annotations

import ctypes
import errno
import sys
import time
from typing import Any

NS = 1_000_000_000
CATCH_UP_SHARE = 0.25
"""Of a period: a cycle that starts no later than that can still end in time."""
_CLOCK_MONOTONIC = 1
_TIMER_ABSTIME = 1


class _Timespec(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long))


def _find_clock_nanosleep() -> Any:
    """The function of the C library; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    function = getattr(ctypes.CDLL(None), "clock_nanosleep", None)
    if function is not None:
        function.argtypes = (
            ctypes.c_int,
            ctypes.c_int,
            ctypes.POINTER(_Timespec),
            ctypes.c_void_p,
        )
    return function


_clock_nanosleep = _find_clock_nanosleep()


def now_ns() -> int:
    """CLOCK_MONOTONIC."""
    return time.monotonic_ns()


def sleep_until(deadline_ns: int) -> None:
    """Sleep until an instant of `now_ns`; returns at once if it is past.

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME) on Linux, elsewhere the sleep of
    the standard library for what is left.
    """
    if _clock_nanosleep is None:
        while (left_ns := deadline_ns - now_ns()) > 0:
            time.sleep(left_ns / NS)
        return
    until = _Timespec(*divmod(deadline_ns, NS))
    interrupted = True
    while interrupted:  # by a signal: its handler runs here, and may raise
        status = _clock_nanosleep(_CLOCK_MONOTONIC, _TIMER_ABSTIME, until, None)
        interrupted = status == errno.EINTR


class DeadlineClock:
    """Wakes at start + k * period."""

    def __init__(self, period_s: float, start_ns: int) -> None:
        """Set the instant of the first wake-up.

        Args:
            period_s: Time between wake-ups.
            start_ns: First wake-up, an instant of `now_ns`.
        """
        self.period_ns = round(period_s * NS)
        self._start_ns = start_ns
        self.index = -1
        """Number k of the last wake-up."""

    @property
    def deadline_ns(self) -> int:
        """When the cycle that runs now must be done: the next wake-up."""
        return self._start_ns + (self.index + 1) * self.period_ns

    def wait(self) -> float:
        """Sleep until the next wake-up; returns how late it came [s].

        A wake-up that is past comes at once: whoever is late catches up.
        """
        deadline_ns = self.deadline_ns
        sleep_until(deadline_ns)
        self.index += 1
        return (now_ns() - deadline_ns) / NS

    def left_ns(self) -> int:
        """Time until the next wake-up; negative once it is past."""
        return self.deadline_ns - now_ns()

    def end_cycle(self) -> int:
        """Say that the cycle is done; returns how many deadlines it missed.

        Its own if it ended after the next wake-up was due, and that of every wake-up
        it ran over by more than `CATCH_UP_SHARE` of the period: these are left out.
        """
        over_ns = -self.left_ns()
        if over_ns <= 0:
            return 0
        skipped = int(over_ns / self.period_ns + 1.0 - CATCH_UP_SHARE)
        self.index += skipped
        return 1 + skipped
