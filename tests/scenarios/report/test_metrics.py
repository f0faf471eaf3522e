"""Numbers of runs with known answers."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from sample_records import make_record

from scenarios.library.scenario import unloaded
from scenarios.records.record import RunRecord
from scenarios.report.metrics.run import _duration_s, measure
from scenarios.report.metrics.support import Stance
from scenarios.report.metrics.tips import tip_error_m
from scenarios.report.metrics.windows import Windows
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _twin(robot: Robot, record: RunRecord) -> RunRecord:
    asked = unloaded(record.settings)
    return make_record(robot, **msgspec.structs.asdict(asked))


def _left(robot: Robot) -> str:
    return robot.arms["left"].link


def test_sag_is_the_z_error_of_the_loaded_tip_only(robot: Robot) -> None:
    record = make_record(robot, sag_mm=12.0)
    tip = measure(record, robot, _twin(robot, record)).tip
    assert tip["left"].rmse_z_mm == pytest.approx(12.0)
    assert tip["left"].bias_z_mm == pytest.approx(-12.0)
    assert tip["left"].rmse_y_mm == pytest.approx(0.0, abs=1e-9)
    assert tip["left"].torso.rmse_z_mm == pytest.approx(12.0)
    assert tip["left"].whole.rmse_z_mm == pytest.approx(12.0)
    assert tip["right"].rmse_z_mm == pytest.approx(0.0, abs=1e-9)


def test_error_against_itself_vanishes(robot: Robot) -> None:
    record = make_record(robot, sag_mm=50.0)
    assert not tip_error_m(record, record, "left").any()


def test_without_twin_only_the_reference_error_is_known(robot: Robot) -> None:
    tip = measure(make_record(robot, sag_mm=12.0), robot).tip["left"]
    assert tip.rmse_z_mm is None
    assert tip.whole.bias_y_mm is None
    assert tip.reference.bias_z_mm == pytest.approx(-12.0)


def test_shorter_twin_is_compared_at_equal_times(robot: Robot) -> None:
    record = make_record(robot, sag_mm=12.0)
    twin = make_record(robot, payload_kg=0.0, duration_s=5.5)
    error = tip_error_m(record, twin, "left")
    assert np.isnan(error[record.time_s > twin.time_s[-1] + 1e-9]).all()
    assert measure(record, robot, twin).tip["left"].rmse_z_mm == pytest.approx(12.0)


def test_windows_start_at_loading_and_two_seconds_later(robot: Robot) -> None:
    record = make_record(robot, at_s=2.0, remove_at_s=5.0)
    windows = Windows.of(record)
    time = record.time_s
    assert time[windows.whole][[0, -1]] == pytest.approx([2.0, 4.99])
    assert time[windows.settled][[0, -1]] == pytest.approx([4.0, 4.99])
    assert time[windows.removed][0] == pytest.approx(5.0)


@pytest.mark.parametrize("arrival_s", [0.0, 0.3, 1.7])
def test_arrival_time_is_when_the_estimate_jumps(
    robot: Robot, arrival_s: float
) -> None:
    link = measure(make_record(robot, arrival_s=arrival_s), robot).links[_left(robot)]
    assert link.time_to_10pct_s == pytest.approx(arrival_s)
    assert link.mass_time_to_10pct_s == pytest.approx(arrival_s)
    assert link.com_time_to_10pct_s == pytest.approx(arrival_s)
    assert link.payload_time_to_10pct_s == pytest.approx(arrival_s)


def test_estimate_that_never_arrives_has_no_arrival_time(robot: Robot) -> None:
    link = measure(make_record(robot, arrival_s=99.0), robot).links[_left(robot)]
    assert link.time_to_10pct_s is None
    assert link.payload_time_to_10pct_s is None


def test_deviations_of_a_point_mass_on_the_forearm(robot: Robot) -> None:
    link = measure(make_record(robot), robot).links[_left(robot)]
    # e^(2 alpha) = 5.616 / 0.616 and t3 = the shift of the com.
    assert link.alpha == pytest.approx(0.5 * np.log(link.mass_kg / 0.616), abs=1e-3)
    assert link.alpha_end == pytest.approx(1.105, abs=1e-3)
    assert link.t3_end == pytest.approx(-0.2725, abs=1e-3)
    assert link.t >= abs(link.t3_end)
    assert link.d == link.s == 0.0
    assert link.mass_noise_kg == pytest.approx(0.0, abs=1e-12)


def test_removal_is_seen_and_timed(robot: Robot) -> None:
    record = make_record(robot, at_s=1.0, remove_at_s=4.0)
    link = measure(record, robot).links[_left(robot)]
    assert link.mass_after_removal_kg == pytest.approx(0.616, abs=1e-3)
    assert link.time_to_removed_s == 0.0
    assert link.mass_kg == pytest.approx(5.616, abs=1e-3)


def test_without_estimator_nothing_is_claimed(robot: Robot) -> None:
    metrics = measure(make_record(robot, estimator="none"), robot)
    link = metrics.links[_left(robot)]
    assert link.mass_kg is None
    assert link.alpha is None
    assert link.mass_true_kg == pytest.approx(5.616, abs=1e-3)
    assert metrics.published_positive_definite is None
    assert metrics.ground.vertical_error_rms_pct is None


def test_impossible_published_body_is_noticed(robot: Robot) -> None:
    record = make_record(robot)
    assert measure(record, robot).published_positive_definite is True
    record.links["left"].published[100, 4:] = 0.0
    metrics = measure(record, robot)
    assert metrics.published_positive_definite is False
    assert metrics.links[_left(robot)].pseudo_inertia_min_eigenvalue < 0.0


def test_nominal_links_have_no_eigenvalue_of_an_estimate(robot: Robot) -> None:
    """They mirror each other: both sides would have the same one."""
    links = measure(make_record(robot), robot).links.values()
    found = {link.side: link.pseudo_inertia_min_eigenvalue for link in links}
    assert found["left"] is not None
    assert found["right"] is None
    assert all(
        link.pseudo_inertia_min_eigenvalue is None
        for link in measure(make_record(robot, payload_kg=0.0), robot).links.values()
    )


def test_vertical_force_error_in_percent_of_weight(robot: Robot) -> None:
    ground = measure(make_record(robot), robot).ground
    assert ground.vertical_error_bias_pct == pytest.approx(1.0, rel=2e-2)
    assert abs(ground.weight_error_pct) < 1.0


def test_elbow_error_in_degrees(robot: Robot) -> None:
    record = make_record(robot)
    elbow = robot.settings.groups.left_arm[-1]
    record.q[:, 7 + robot.joint_names.index(elbow)] += np.deg2rad(1.27)
    elbows = measure(record, robot).elbow_rms_deg
    assert elbows["left"] == pytest.approx(1.27)
    assert elbows["right"] == pytest.approx(0.0, abs=1e-9)


def test_com_spread_and_drift(robot: Robot) -> None:
    record = make_record(robot)
    record.com_m[record.time_s >= 4.0, 0] += 0.01
    com = measure(record, robot).com
    assert com.spread_mm == pytest.approx({"x": 10.0, "y": 0.0, "z": 0.0})
    assert com.drift_mm == pytest.approx(10.0)


def test_saturated_share(robot: Robot) -> None:
    record = make_record(robot)
    record.tau_Nm[: len(record.tau_Nm) // 2] = -100.0
    assert measure(record, robot).torque_saturated_pct == pytest.approx(50.0)


@pytest.mark.parametrize("duration_s", [0.1, 3.05, 6.0])
def test_json_has_no_nan_whatever_the_run(robot: Robot, duration_s: float) -> None:
    record = make_record(robot, duration_s=duration_s, at_s=min(3.0, duration_s))
    record.com_m[-1] = np.nan
    record.wrench_true[:] = 0.0
    text = msgspec.json.encode(measure(record, robot, record)).decode()
    assert "nan" not in text.lower().replace("nanosec", "")
    assert msgspec.json.decode(text)["com"]["spread_mm"]["x"] is None


def test_duration_and_real_time_factor(robot: Robot) -> None:
    metrics = measure(make_record(robot), robot)
    assert metrics.duration_s == pytest.approx(6.0)
    assert metrics.real_time_factor == pytest.approx(2.0)
    assert metrics.timing_ms["mpc"].p50 == pytest.approx(5.0)


def test_polygon_goes_around_both_soles_counter_clockwise(robot: Robot) -> None:
    stance = Stance(robot)
    corners = stance.soles_m.reshape(-1, 2)
    assert (stance.margin_m(corners) > -1e-12).all()
    x, y = stance.polygon_m.T
    area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    sole = robot.soles[0]
    width = 2 * sole.half_width_m + np.ptp(stance.soles_m.mean(axis=1)[:, 1])
    assert area == pytest.approx(2 * sole.half_length_m * width, rel=1e-3)


def test_centre_of_pressure_of_equal_feet_is_between_them(robot: Robot) -> None:
    record, stance = make_record(robot), Stance(robot)
    cop = stance.cop_m(record)
    assert np.allclose(cop, 0.0, atol=1e-9)
    half_length = robot.soles[0].half_length_m
    assert stance.margin_m(cop)[0] == pytest.approx(half_length, rel=1e-6)
    assert stance.margin_m(np.array([[half_length + 0.05, 0.0]])) == pytest.approx(
        -0.05
    )


def test_moment_moves_the_centre_of_pressure(robot: Robot) -> None:
    record = make_record(robot)
    record.wrench_true[:, :, 4] = -0.02 * record.wrench_true[:, :, 2]
    assert np.allclose(Stance(robot).cop_m(record), [0.02, 0.0], atol=1e-9)


@pytest.mark.parametrize("missing", [[197], [195, 196, 197], [198, 199], [100]])
def test_missed_ticks_make_no_run_longer(robot: Robot, missing: list[int]) -> None:
    record = make_record(robot, duration_s=2.0, at_s=1.0)
    kept = np.setdiff1d(np.arange(200), missing)
    found = _duration_s(replace(record, time_s=record.time_s[kept]))
    assert found == pytest.approx(0.01 * (kept[-1] + 1))
