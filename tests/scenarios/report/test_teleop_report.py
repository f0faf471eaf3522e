"""A teleoperated run in numbers."""

from __future__ import annotations

from collections import Counter

from scenarios.library.run_settings import run_settings
from scenarios.report.teleop import base_motion, hand_tracking, stream_quality
from scenarios.run.runner import run
from teleop.reference_stream import StreamedReference
from teleop.stream_messages import ReferenceMessage
from wbmpc.robot import Robot


class NoReceiver:
    def __init__(self) -> None:
        self.refused = Counter(malformed=4)

    def poll(self) -> list[ReferenceMessage]:
        return []


def test_figures_of_a_run_are_those_of_its_record() -> None:
    settings = run_settings("standing", duration_s=0.5, payload_kg=0.0, at_s=0.0)
    record = run(settings)
    off_target = {"left": [(0.1, 0.002)], "right": []}
    hands, base = hand_tracking(record, off_target), base_motion(record)
    assert hands["left"].moved_m < 1e-12 and hands["left"].rmse_mm < 1.0
    assert hands["left"].rmse_settled_mm is None
    assert base.com_lowered_m < 0.005 and base.spine_yaw_max_rad == 0.0


def test_samples_are_counted_by_what_became_of_them() -> None:
    stream = StreamedReference(Robot.load("alexander"), NoReceiver())
    stream.counts.update(received=100, lost=2, not_finite=3)
    quality = stream_quality(stream, 2.0)
    assert (quality.received, quality.lost) == (100, 2)
    assert (
        quality.not_used == {"not_finite": 3, "malformed": 4}
        and quality.rate_hz == 50.0
    )
