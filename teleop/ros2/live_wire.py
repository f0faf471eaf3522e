"""Packets of a live wire: whose they are, and stamps that cannot be.

Neither DDS nor Zenoh says who a sender is, but both say which messages are of the same
one. While a sender is heard, it alone is; after half a second of silence anybody may
begin, with any clock: the same sender after a restart as well as another one.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from teleop.reference_stream import SILENT_S
from teleop.stream_messages import ReferenceMessage
from teleop.wire import JOINTS, NS, TOPICS, ReferenceWire
from wbmpc.robot import Robot

AHEAD_S = 0.5
"""How much sooner than the sample before it a sample may arrive: networks deliver in
bursts. A stamp that is further ahead would lock out all that follow it."""
COMPLETES = next(topic for topic, kind in TOPICS.items() if kind == JOINTS)


class LiveWire:
    """Samples of one sender at a time, out of the packets of all.

    Attributes:
        refused: Packets that were not used, by reason.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        one_source: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Listen to whoever begins.

        Args:
            robot: Whose references these are.
            one_source: Whether a sender has the same source on all topics; otherwise
                each topic has a sender of its own.
            clock: Of arrivals [s].
        """
        self.wire = ReferenceWire(robot)
        self._one_source, self._clock = one_source, clock
        self._holders: dict[str, tuple[bytes, float]] = {}

    @property
    def refused(self) -> Counter[str]:
        """Packets that were not used, by reason."""
        return self.wire.refused

    def take(self, topic: str, data: bytes, source: bytes) -> ReferenceMessage | None:
        """Take a packet; a sample if it completes one.

        Args:
            topic: Where it was found.
            data: CDR.
            source: What all packets of its sender have in common.
        """
        if topic not in TOPICS:
            return self.wire.take(topic, data)
        now_s = self._clock()
        if not self._may_speak(topic, source, now_s):
            self.refused["another_source"] += 1
            return None
        if topic != COMPLETES:
            self._holders[topic] = source, now_s
            return self.wire.take(topic, data)
        return self._complete(data, source, now_s)

    def _complete(
        self, data: bytes, source: bytes, now_s: float
    ) -> ReferenceMessage | None:
        latest_ns = None
        if self._is_held(COMPLETES, now_s):
            since_s = now_s - self._holders[COMPLETES][1]
            latest_ns = self.wire.last_ns + round((since_s + AHEAD_S) * NS)
        else:
            self.wire.start_anew(self._of_others(source))
        message = self.wire.take(COMPLETES, data, latest_ns)
        if message is not None:  # what is refused keeps nobody's place
            self._holders[COMPLETES] = source, now_s
        return message

    def _may_speak(self, topic: str, source: bytes, now_s: float) -> bool:
        asked = [COMPLETES, topic] if self._one_source else [topic]
        # While the stream of one sender lives, what others hold does not count.
        for name in asked:
            if self._is_held(name, now_s):
                return self._holders[name][0] == source
        return True

    def _is_held(self, topic: str, now_s: float) -> bool:
        return topic in self._holders and now_s - self._holders[topic][1] < SILENT_S

    def _of_others(self, source: bytes) -> list[str]:
        """Topics whose last value is not of a source, where that can be told."""
        held = self._holders.items() if self._one_source else ()
        return [topic for topic, (holder, _) in held if holder != source]
