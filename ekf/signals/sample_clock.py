"""Which samples follow one another, and when a clock has jumped."""

import math
from dataclasses import dataclass
from enum import Enum


class ClockFault(Enum):
    """Why a time stamp was refused."""

    NON_FINITE = "non_finite"
    """The stamp is not a number."""
    REPEATED = "repeated"
    """The stamp is that of the sample before."""
    BACKWARDS = "backwards"
    """The stamp lies before the sample before."""
    FUTURE = "future"
    """The stamp lies too far ahead."""


@dataclass(frozen=True, kw_only=True)
class ClockReading:
    """Meaning of a stamp.

    Attributes:
        dt_s: Time since the last sample used; None for a refused stamp.
        fault: Why it was refused.
        jumped: Whether the clock was set anew by this sample.
    """

    dt_s: float | None
    fault: ClockFault | None = None
    jumped: bool = False


class SampleClock:
    """Refuses stamps that do not follow, until several of them agree.

    A single odd stamp (zero, seconds back, half a minute ahead) is an error of that
    sample. A stream that goes on from an odd stamp at its usual pace is a clock that
    has been set, and is followed after one announced jump.
    """

    def __init__(
        self, tick_s: float, *, furthest_s: float = 10.0, agreeing: int = 5
    ) -> None:
        """Start without a sample.

        Args:
            tick_s: Usual time between samples.
            furthest_s: A stamp further ahead is refused.
            agreeing: Consecutive refused stamps that make a new clock.
        """
        self._tick_s, self._furthest_s, self._agreeing = tick_s, furthest_s, agreeing
        self.reset()

    def reset(self) -> None:
        """Take the next stamp as it comes."""
        self._time_s: float | None = None
        self._odd_s: float | None = None
        self._odd_count = 0

    def read(self, time_s: float) -> ClockReading:
        """Judge one stamp."""
        if not math.isfinite(time_s):
            return ClockReading(dt_s=None, fault=ClockFault.NON_FINITE)
        if self._time_s is None:
            self._time_s = time_s
            return ClockReading(dt_s=self._tick_s)
        dt_s = time_s - self._time_s
        fault = self._fault(dt_s)
        if fault is None:
            self._time_s, self._odd_count = time_s, 0
            return ClockReading(dt_s=dt_s)
        if fault is not ClockFault.REPEATED and self._agrees(time_s):
            self.reset()
            self._time_s = time_s
            return ClockReading(dt_s=self._tick_s, jumped=True)
        return ClockReading(dt_s=None, fault=fault)

    def _fault(self, dt_s: float) -> ClockFault | None:
        if dt_s == 0.0:
            return ClockFault.REPEATED
        if dt_s < 0.0:
            return ClockFault.BACKWARDS
        return ClockFault.FUTURE if dt_s > self._furthest_s else None

    def _agrees(self, time_s: float) -> bool:
        """Whether refused stamps advance among themselves for long enough."""
        step_s = math.inf if self._odd_s is None else time_s - self._odd_s
        follows = 0.0 < step_s <= 5.0 * self._tick_s
        self._odd_count = self._odd_count + 1 if follows else 1
        self._odd_s = time_s
        return self._odd_count >= self._agreeing
