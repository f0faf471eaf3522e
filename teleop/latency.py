"""From a controller's sample to the first torque that uses it.

A sample is measured on the headset, read by the inverse kinematics, sent, received at a
control tick, planned with, and first used by the low level at 1 kHz. All clocks are the
machine's monotonic one; the headset's is mapped to it by `teleop.clock`.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from teleop.stream_messages import ReferenceMessage


class Percentiles(msgspec.Struct, frozen=True, kw_only=True):
    """Of one stage, in ms."""

    p50: float
    p95: float
    max: float


class LatencyBudget(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time goes; None where nothing was measured."""

    sample_to_sent_ms: Percentiles | None
    """Headset's frame, socket, next tick of the inverse kinematics."""
    sent_to_received_ms: Percentiles | None
    """Transport, and waiting for the next control tick."""
    received_to_torque_ms: Percentiles | None
    """One solve, and the low level's next step."""
    sample_to_received_ms: Percentiles | None
    sample_to_torque_ms: Percentiles | None
    samples: int


@dataclass(frozen=True, kw_only=True)
class _Received:
    sample_s: float
    sent_s: float
    received_s: float


class LatencyMeter:
    """Follows each reference from its reception to its first torque."""

    def __init__(self) -> None:
        """Start without samples."""
        self._waiting: dict[float, _Received] = {}
        self._rows: list[tuple[float, float, float, float]] = []
        self._last: tuple[int, int] | None = None

    def received(
        self, message: ReferenceMessage | None, now_s: float, plan_time_s: float
    ) -> None:
        """A control tick has planned with a message.

        Args:
            message: Newest one.
            now_s: When the tick read it, monotonic clock.
            plan_time_s: Time its plan carries.
        """
        if message is None or message.sample_s is None:
            return
        key = (message.stream, message.seq)
        if key != self._last:
            self._last = key
            self._waiting[plan_time_s] = _Received(
                sample_s=message.sample_s, sent_s=message.sent_s, received_s=now_s
            )

    def used(self, plan_time_s: float, used_s: float) -> None:
        """The plant says which plan it follows, and since when.

        Args:
            plan_time_s: Time the plan carries.
            used_s: When the low level first used it, monotonic clock.
        """
        found = self._waiting.pop(plan_time_s, None)
        if found is not None:
            self._rows.append((found.sample_s, found.sent_s, found.received_s, used_s))
        old = [t for t in self._waiting if t < plan_time_s]
        for time_s in old:  # plans that came too late to be used
            del self._waiting[time_s]

    def budget(self) -> LatencyBudget:
        """Percentiles of every stage."""
        rows = 1e3 * np.array(self._rows).reshape(-1, 4)
        sample, sent, received, torque = rows.T
        return LatencyBudget(
            sample_to_sent_ms=_percentiles(sent - sample),
            sent_to_received_ms=_percentiles(received - sent),
            received_to_torque_ms=_percentiles(torque - received),
            sample_to_received_ms=_percentiles(received - sample),
            sample_to_torque_ms=_percentiles(torque - sample),
            samples=len(rows),
        )


def _percentiles(values_ms: np.ndarray) -> Percentiles | None:
    if not len(values_ms):
        return None
    p50, p95, largest = np.percentile(values_ms, [50, 95, 100]).tolist()
    return Percentiles(p50=p50, p95=p95, max=largest)
