"""When a hand drives its arm: one state machine per hand.

```
          0.5 s of good data          squeeze pressed
  IDLE  --------------------> READY -----------------> ENGAGED
   ^  <-------------------- any trouble    squeeze        |  ^
   |                                       released       |  | 3 good frames
   |<-----------------------------------------------------+  |
   |                                              any trouble|
   |<------------------------------------------ HELD <-------+
      trouble for 0.5 s, or squeeze released
```

Trouble is a pose that is missing, old, or refused by the gate. In HELD the robot holds
still; after 0.5 s a fresh press is needed. A squeeze that was pressed before there was
good data, or while the hand was away, counts only after it was released. Poses that do
not go on from the earlier ones (another device, another space) start anew from IDLE.
"""

from __future__ import annotations

import enum

from teleop.conventions import PoseFault
from teleop.settings import EngagementSettings


class HandState(enum.Enum):
    """The state of a hand: whether its poses drive."""

    IDLE = "idle"
    READY = "ready"
    ENGAGED = "engaged"
    HELD = "held"

    @property
    def holds_clutch(self) -> bool:
        """Whether the engagement lasts, moving or not."""
        return self in (HandState.ENGAGED, HandState.HELD)


class HandEngagement:
    """State of one hand.

    Attributes:
        state: Now.
        reason: Why it is not ENGAGED, to be read after the hand's name; None if there
            is nothing to say.
    """

    def __init__(self, settings: EngagementSettings) -> None:
        """Start idle; a squeeze must first be seen released."""
        self.state = HandState.IDLE
        self.reason: str | None = "no data yet"
        self._settings = settings
        self._squeezed = True
        self._anew: str | None = None
        self._good_since_s: float | None = None
        self._good_in_row = 0
        self._last_good_s: float | None = None
        self._heard_s: float | None = None
        self._trouble_since_s: float | None = None

    @property
    def is_released(self) -> bool:
        """Whether the squeeze was last seen open."""
        return not self._squeezed

    def observe(
        self,
        now_s: float,
        stamp_s: float,
        fault: PoseFault | None,
        squeeze: float | None,
        blocked: str | None = None,
    ) -> bool:
        """Take one frame.

        Args:
            now_s: Server's clock.
            stamp_s: When the frame was measured, same clock.
            fault: What is wrong with the hand's pose.
            squeeze: 0 to 1; None without a controller.
            blocked: Why no press may engage now, for reasons beyond this hand.

        Returns:
            Whether the hand has just been engaged.
        """
        self._heard_s = stamp_s
        if fault is None and now_s - stamp_s > self._settings.hold_after_s:
            fault = PoseFault.LATE
        if fault is not None:
            self._trouble(now_s, fault.value)
            if fault is PoseFault.FROZEN:  # it has been for as long as that takes
                self.release(fault.value)
        else:
            self._good(now_s, stamp_s)
        return self._press(squeeze, blocked)

    def tick(self, now_s: float) -> None:
        """Let time pass: silence is trouble, too."""
        heard, settings = self._heard_s, self._settings
        if heard is not None and now_s - heard > settings.hold_after_s:
            self._trouble(now_s, "no data")
        since = self._trouble_since_s
        if self.state is HandState.HELD and since is not None:
            if now_s - since >= settings.disengage_after_s:
                self.release(self.reason)

    def release(self, reason: str | None) -> None:
        """End the engagement; a fresh press is needed."""
        self.state, self.reason = HandState.IDLE, reason

    def start_anew(self, why: str) -> None:
        """End the engagement; data must be proven and the squeeze seen open again."""
        self.release(why)
        self._anew, self._squeezed = why, True
        self._good_since_s, self._good_in_row = None, 0

    def _trouble(self, now_s: float, why: str) -> None:
        self._good_since_s, self._good_in_row = None, 0
        if self._trouble_since_s is None:
            last = self._last_good_s
            self._trouble_since_s = now_s if last is None else last
        self.reason = why
        if self.state is HandState.ENGAGED:
            self.state = HandState.HELD
        elif self.state is HandState.READY:
            self.state = HandState.IDLE

    def _good(self, now_s: float, stamp_s: float) -> None:
        settings = self._settings
        self._good_in_row += 1
        self._last_good_s = stamp_s
        if self._good_since_s is None:
            self._good_since_s = now_s
        good_s = now_s - self._good_since_s
        if good_s >= settings.recover_s:
            self._trouble_since_s = None
        if self.state is HandState.IDLE:
            self._get_ready(good_s)
        elif self._good_in_row >= settings.frames_to_return:
            if self.state is HandState.HELD:
                self.state, self.reason = HandState.ENGAGED, None

    def _get_ready(self, good_s: float) -> None:
        if self._squeezed:
            again = "let go and squeeze again"
            self.reason = again if self._anew is None else f"{self._anew}, {again}"
        elif good_s < self._settings.proof_s:
            self.reason = "wait for steady data"
        else:
            self.state, self.reason, self._anew = HandState.READY, None, None

    def _press(self, squeeze: float | None, blocked: str | None) -> bool:
        """Follow the squeeze with hysteresis; True on the press that engages."""
        settings = self._settings
        if squeeze is None:
            self._squeezed = True  # unknown: it must be seen open first
            return False
        if self._squeezed and squeeze <= settings.release:
            self._squeezed = False
            if self.state.holds_clutch:
                self.release(None)
        elif not self._squeezed and squeeze >= settings.press:
            self._squeezed = True
            return self._engage(blocked)
        return False

    def _engage(self, blocked: str | None) -> bool:
        if blocked is not None:
            self.release(blocked)
            return False
        if self.state is not HandState.READY:
            return False
        self.state, self.reason = HandState.ENGAGED, None
        return True
