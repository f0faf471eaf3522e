"""From a controller's sample to the first torque that uses it."""

from __future__ import annotations

import pytest

from teleop.latency import LatencyMeter
from teleop.stream_messages import ReferenceMessage


def message(seq: int, sample_s: float | None, sent_s: float) -> ReferenceMessage:
    return ReferenceMessage(
        stream=1,
        seq=seq,
        sent_s=sent_s,
        sample_s=sample_s,
        q_upper=(),
        v_upper=(),
        com_height_m=0.8,
        pelvis_pitch_rad=0.0,
    )


def test_latencies_are_those_of_the_first_torque() -> None:
    meter = LatencyMeter()
    # Two control ticks plan with one message: only the first one counts.
    for k, plan_s in enumerate((0.01, 0.02, 0.03)):
        sent = message(1 + k // 2, sample_s=10.0 + k // 2, sent_s=10.005 + k // 2)
        meter.received(sent, 10.010 + 0.01 * k, plan_s)
        used_s = 10.018 + 0.01 * k
        meter.used(plan_s, used_s)
        meter.used(plan_s, used_s)
    budget = meter.budget()
    assert budget.samples == 2
    assert budget.sample_to_sent_ms is not None
    assert budget.sample_to_sent_ms.p50 == pytest.approx(5.0, abs=1e-3)
    assert budget.received_to_torque_ms is not None
    assert budget.received_to_torque_ms.max == pytest.approx(8.0, abs=1e-3)


def test_what_was_never_used_and_what_has_no_sample_is_left_out() -> None:
    meter = LatencyMeter()
    meter.received(message(1, 1.0, 1.0), 1.0, 0.01)
    meter.received(message(2, None, 1.0), 1.0, 0.02)
    meter.used(0.03, 0.0)  # late
    meter.used(0.01, 0.0)  # early
    assert meter.budget().samples == 0
    assert meter.budget().sample_to_torque_ms is None
