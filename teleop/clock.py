r"""The headset's clock against ours, from what arrives.

A frame measured at client time t and received at server time r gives r - t = offset +
delay, with delay > 0. The smallest of these over a few seconds is the offset with the
smallest delay seen; it follows a drift of 75 ppm to within a millisecond. Nothing is
assumed about the offset: clocks may differ by any amount, in either direction.
"""

from __future__ import annotations

from collections import deque

import numpy as np

BUCKET_S = 1.0
BUCKETS = 8
"""Buckets whose smallest difference is the offset: 75 ppm of 8 s are 0.6 ms."""
HISTORY = 60
"""Buckets from which the drift is read."""
JUMP_S = 0.25
"""A difference this far from the offset is a delay, or a clock that was set."""
JUMP_PERSISTS_S = 1.0
"""So long such differences must agree with each other to be a clock that was set."""
JUMP_SPREAD_S = 0.15
MIN_JUMP_FRAMES = 10


class ClockEstimator:
    """Offset of one client's clock.

    A difference that falls shows at once that the clock was set ahead: delays are never
    negative. One that grows looks like a delay first, and the frames are taken for old
    ones, which is the safe mistake, until a second of them agree.

    Attributes:
        jumps: How often the clock was set.
    """

    def __init__(self) -> None:
        """Know nothing."""
        self.jumps = 0
        self._reset()

    @property
    def offset_s(self) -> float:
        """Server's clock minus the client's; 0 before the first frame."""
        return min((low for _, low in self._buckets), default=0.0)

    @property
    def drift_ppm(self) -> float:
        """How much the server's clock gains on the client's; 0 until 5 s are known."""
        if len(self._history) < 5:
            return 0.0
        times, lows = np.array(self._history).T
        return float(1e6 * np.polyfit(times - times[0], lows, 1)[0])

    def stamp(self, client_s: float, received_s: float) -> float:
        """When a frame was measured, on the server's clock; never in the future.

        Args:
            client_s: Frame time of the client.
            received_s: Arrival on the server's clock.
        """
        difference = received_s - client_s
        if self._buckets and abs(difference - self.offset_s) > JUMP_S:
            self._suspect(difference, received_s)
        else:
            self._suspects.clear()
            self._take(difference, received_s)
        return min(client_s + self.offset_s, received_s)

    def _reset(self) -> None:
        self._buckets: deque[tuple[float, float]] = deque(maxlen=BUCKETS)
        self._history: deque[tuple[float, float]] = deque(maxlen=HISTORY)
        self._suspects: list[tuple[float, float]] = []

    def _take(self, difference: float, received_s: float) -> None:
        start, low = self._buckets[-1] if self._buckets else (received_s, difference)
        if self._buckets and received_s - start < BUCKET_S:
            self._buckets[-1] = (start, min(low, difference))
            self._history[-1] = self._buckets[-1]
        else:
            self._buckets.append((received_s, difference))
            self._history.append((received_s, difference))

    def _suspect(self, difference: float, received_s: float) -> None:
        self._suspects.append((received_s, difference))
        ahead = difference < self.offset_s
        since_s = received_s - self._suspects[0][0]
        differences = [d for _, d in self._suspects]
        agree = max(differences) - min(differences) < JUMP_SPREAD_S
        if not agree:
            self._suspects = self._suspects[-1:]
        elif ahead or (
            since_s >= JUMP_PERSISTS_S and len(differences) >= MIN_JUMP_FRAMES
        ):
            self.jumps += 1
            self._reset()
            for value in differences:
                self._take(value, received_s)
