"""Figures of a payload report with known answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_records import make_record

from scenarios.records.record import RunRecord
from scenarios.report.metrics.payload import payload_metrics
from scenarios.report.metrics.run import measure
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _said(record: RunRecord, **series: object) -> RunRecord:
    payload = record.links["left"].payload
    assert payload is not None
    left = replace(record.links["left"], payload=replace(payload, **series))
    return replace(record, links={**record.links, "left": left})


def test_delays_and_arrival(robot: Robot) -> None:
    record = make_record(robot, at_s=3.0, remove_at_s=5.0, arrival_s=0.3)
    metrics = payload_metrics(record)
    assert metrics is not None
    left = metrics["left"]
    assert left.attaches == 1
    assert left.attach_delay_s == pytest.approx(0.3)
    assert left.to_10pct_s == pytest.approx(0.3)
    assert left.detach_delay_s == pytest.approx(0.0)
    assert left.payload_kg == pytest.approx(5.0)
    assert left.inside_95_pct == 100.0
    assert left.false_s == 0.0
    right = metrics["right"]
    assert (right.attaches, right.attach_delay_s, right.payload_kg) == (0, None, 0.0)


def test_what_is_believed_without_a_load_counts(robot: Robot) -> None:
    record = make_record(robot, at_s=3.0, duration_s=6.0)
    states = np.array(record.links["left"].payload.state)
    states[(record.time_s >= 1.0) & (record.time_s < 1.5)] = "tracking"
    metrics = payload_metrics(_said(record, state=tuple(states.tolist())))
    assert metrics is not None
    assert metrics["left"].false_s == pytest.approx(0.5)


def test_an_interval_that_is_too_small_shows(robot: Robot) -> None:
    record = make_record(robot, at_s=3.0)
    payload = record.links["left"].payload
    assert payload is not None
    metrics = payload_metrics(_said(record, mass_kg=0.9 * payload.mass_kg))
    assert metrics is not None
    assert metrics["left"].inside_95_pct == 0.0


def test_a_load_never_found_has_no_arrival(robot: Robot) -> None:
    record = make_record(robot, at_s=3.0, arrival_s=60.0)
    metrics = payload_metrics(record)
    assert metrics is not None
    assert metrics["left"].attach_delay_s is None
    assert metrics["left"].to_10pct_s is None


def test_they_are_part_of_a_run(robot: Robot) -> None:
    assert measure(make_record(robot), robot).payloads is not None
    assert measure(make_record(robot, estimator="none"), robot).payloads is None


def test_belief_and_load_are_of_one_time(robot: Robot) -> None:
    """Not nominal with 5 kg, once the load is off again."""
    record = make_record(robot, at_s=2.0, remove_at_s=4.0)
    metrics = payload_metrics(record)
    assert metrics is not None
    left, right = metrics["left"], metrics["right"]
    assert (left.state, left.payload_kg) == ("tracking", pytest.approx(5.0))
    assert left.state_after_removal == "nominal"
    assert left.payload_after_removal_kg == 0.0
    assert (right.state, right.payload_kg) == ("nominal", 0.0)
    assert right.state_after_removal is None
    kept = payload_metrics(make_record(robot, at_s=2.0))
    assert kept is not None
    assert kept["left"].state_after_removal is None


def test_a_load_that_comes_off_bit_by_bit_counts_while_it_is_whole(
    robot: Robot,
) -> None:
    record = make_record(robot, at_s=1.0, remove_at_s=3.0)
    time = record.time_s
    truth = record.payload_kg.copy()
    coming_off = (time >= 3.0) & (time < 5.0)
    truth[coming_off, 0] = 5.0 * (5.0 - time[coming_off]) / 2.0
    late = np.interp(time - 0.3, time, truth[:, 0])
    record = replace(_said(record, mass_kg=late), payload_kg=truth)
    metrics = payload_metrics(record)
    assert metrics is not None
    assert metrics["left"].payload_kg == pytest.approx(5.0)
    assert metrics["left"].to_10pct_s == pytest.approx(0.3, abs=0.02)


def test_the_report_and_the_link_tell_one_load(robot: Robot) -> None:
    """The times of ticks are sums of steps, off by some rounding."""
    record = make_record(robot, at_s=2.0, remove_at_s=4.0)
    time = record.time_s
    record = replace(record, time_s=np.where(time > 3.0, time - 1e-12, time))
    metrics = measure(record, robot)
    assert metrics.payloads is not None
    link = next(m for m in metrics.links.values() if m.side == "left")
    payload = metrics.payloads["left"]
    assert link.mass_kg is not None
    assert link.mass_kg - 0.616 == pytest.approx(payload.payload_kg, abs=1e-3)
    assert link.payload_time_to_10pct_s == pytest.approx(payload.to_10pct_s)
