"""The SO-101 among the streams of the estimators."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.studies.estimators.estimation import measure_track, run_estimator
from scenarios.studies.estimators.streams.so101 import motors_stream, servos_stream
from scenarios.studies.estimators.streams.stream import Stream
from wbmpc.arm.servo_arm import COUNT_RAD


@pytest.fixture(scope="module")
def motors() -> Stream:
    return motors_stream()


@pytest.fixture(scope="module")
def servos() -> Stream:
    return servos_stream()


def test_streams_are_at_200_hz_and_loaded_from_the_start(motors: Stream) -> None:
    assert np.diff(motors.log.time_s) == pytest.approx(
        np.full(len(motors.log) - 1, 0.005)
    )
    assert motors.truth_kg is not None and (motors.truth_kg == 0.2).all()
    assert motors.robot.link == "tip" and motors.robot.links == ("wrist_roll",)


def test_servos_show_counts(servos: Stream) -> None:
    counts = servos.log.q / COUNT_RAD
    assert counts == pytest.approx(np.round(counts), abs=1e-6)


@pytest.mark.parametrize("estimator", ["payload_rls", "ekf", "batch"])
def test_estimators_work_on_motors_and_not_on_servos(
    motors: Stream, servos: Stream, estimator: str
) -> None:
    errors = []
    for stream in (motors, servos):
        row = measure_track(run_estimator(estimator, stream), stream)
        assert row.final_error_kg is not None
        errors.append(abs(row.final_error_kg))
    assert errors[0] < 0.06 and errors[1] > 0.15
