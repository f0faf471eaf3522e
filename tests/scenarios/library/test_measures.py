"""Figures of the paper's experiments, on synthetic runs with known answers."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import pytest
from sample_records import make_record

from scenarios.library.balance import measure_balance
from scenarios.library.run_settings import run_settings
from scenarios.library.runtime_loading import measure_loading, staircase
from scenarios.library.squat_pickup import measure_pickup
from scenarios.records.record import RunRecord
from scenarios.report.evaluation import (
    evaluate,
    evaluation_text,
    experiment_lines,
    twin_of,
)
from scenarios.report.metrics.body import pelvis_pitch_deg
from scenarios.report.metrics.power import PowerModel
from scenarios.report.metrics.tips import reference_tip_m
from scenarios.run.settings import Push, RunSettings
from wbmpc.robot import BASE, Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _record(robot: Robot, settings: RunSettings, **changes: object) -> RunRecord:
    fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
    return dataclasses.replace(make_record(robot, **fields), **changes)


def _staircase_record(robot: Robot, share: float, bias_kg: float) -> RunRecord:
    """Estimate = nominal + bias + share of the load; the tip hangs 2 mm a kg."""
    settings = run_settings("runtime_loading")
    record = _record(robot, settings)
    load = np.zeros(len(record.time_s))
    for event in staircase(settings):
        load[record.time_s >= event.time_s - 1e-9] = event.mass_kg
    link = record.links["right"]
    estimate = np.tile(link.nominal, (len(load), 1))
    estimate[:, 0] += bias_kg + share * load
    tip = record.tips["right"]
    world = np.tile([0.6, -0.25, 1.2], (len(load), 1))
    world[:, 2] -= 2e-3 * load
    links = {**record.links, "right": dataclasses.replace(link, estimate=estimate)}
    tips = {**record.tips, "right": dataclasses.replace(tip, world_m=world)}
    return dataclasses.replace(record, links=links, tips=tips)


def test_recovery_is_relative_to_the_estimate_before_loading(robot: Robot) -> None:
    metrics = measure_loading(_staircase_record(robot, 0.9, 0.6), robot)
    assert metrics.bias_kg == pytest.approx(0.6)
    assert [s.recovered_pct for s in metrics.steps] == pytest.approx([90.0] * 5)
    assert metrics.recovered_min_pct == pytest.approx(90.0)
    assert metrics.steps[-1].load_kg == pytest.approx(7.94, abs=5e-3)
    assert metrics.sag_mm == pytest.approx(2 * 7.94, abs=0.02)
    assert metrics.returned_mm == pytest.approx(0.0, abs=1e-9)
    assert metrics.mass_after_removal_kg == pytest.approx(0.0, abs=1e-9)


def test_run_that_ended_early_has_no_figures_for_later_treads(robot: Robot) -> None:
    whole = _staircase_record(robot, 1.0, 0.0)
    cut = whole.time_s < 20.0
    record = dataclasses.replace(
        whole,
        **{
            field.name: getattr(whole, field.name)[cut]
            for field in dataclasses.fields(whole)
            if isinstance(getattr(whole, field.name), np.ndarray)
            and len(getattr(whole, field.name)) == len(cut)
        },
        links={
            side: dataclasses.replace(
                link, estimate=link.estimate[cut], truth=link.truth[cut]
            )
            for side, link in whole.links.items()
        },
        tips={
            side: dataclasses.replace(tip, world_m=tip.world_m[cut])
            for side, tip in whole.tips.items()
        },
    )
    metrics = measure_loading(record, robot)
    shares = [s.recovered_pct for s in metrics.steps]
    assert shares[:2] == pytest.approx([100.0, 100.0])
    assert shares[2:] == [None, None, None]
    assert metrics.recovered_min_pct is None
    assert metrics.returned_mm is None


def test_com_table(robot: Robot) -> None:
    record = _staircase_record(robot, 1.0, 0.0)
    record.com_m[record.time_s > 30.0, 0] += 0.02
    record.com_m[record.time_s < 2.0, 0] -= 0.5
    com = measure_loading(record, robot).com
    assert com["x"].spread_mm == pytest.approx(20.0)
    assert com["x"].max_m == pytest.approx(0.02)
    assert com["z"].mean_m == pytest.approx(0.8)


def test_balance_figures(robot: Robot) -> None:
    settings = run_settings("balance")
    record = _record(robot, settings)
    late = record.time_s > 8.0
    record.pelvis_m[late, 0] -= 0.09
    record.com_m[late, 0] += 0.013
    metrics = measure_balance(record, robot)
    assert metrics.load_total_kg == 10.0
    assert metrics.stood
    assert metrics.pelvis_shift_x_mm == pytest.approx(-90.0)
    assert metrics.com_shift_x_mm == pytest.approx(13.0)
    half_length_mm = 1e3 * robot.soles[0].half_length_m
    assert metrics.com_margin_end_mm == pytest.approx(half_length_mm - 13.0)
    assert metrics.com_margin_min_mm == metrics.com_margin_end_mm
    assert metrics.push is None


def test_push_figures(robot: Robot) -> None:
    push = Push(at_s=8.0, duration_s=0.1, left_N=100.0)
    record = _record(robot, run_settings("balance", push=push))
    swing = (record.time_s >= 8.0) & (record.time_s < 9.0)
    record.com_m[swing, 1] += 0.03
    metrics = measure_balance(record, robot).push
    assert metrics is not None
    assert metrics.impulse_left_Ns == pytest.approx(10.0)
    assert metrics.com_excursion_mm == pytest.approx(30.0)
    assert metrics.recovered_after_s == pytest.approx(1.0, abs=0.011)


def test_pitch_is_read_from_the_base(robot: Robot) -> None:
    q = np.tile(robot.home_q_full, (2, 1))
    q[1, 3:7] = [0.0, np.sin(0.1), 0.0, np.cos(0.1)]
    assert pelvis_pitch_deg(q) == pytest.approx([0.0, np.rad2deg(0.2)])


def _washing_record(robot: Robot, sag_mm: float, **asked: object) -> RunRecord:
    """Tips at their references, the right one low."""
    record = _record(robot, run_settings("squat_pickup", **asked))
    path = reference_tip_m(record, robot, "right")
    low = path - np.array([0.0, 0.0, 1e-3 * sag_mm])
    tips = {**record.tips}
    tips["right"] = dataclasses.replace(tips["right"], world_m=low)
    return dataclasses.replace(record, tips=tips)


def test_pickup_figures(robot: Robot) -> None:
    record = _washing_record(robot, 7.0)
    replay = _washing_record(robot, 1.0, payload_kg=0.0)
    record.com_m[record.time_s > 14.0, 2] += 0.02
    metrics = measure_pickup(record, robot, replay)
    assert metrics.tip.bias_z_mm == pytest.approx(-7.0)
    assert metrics.tip.rmse_y_mm == pytest.approx(0.0, abs=1e-6)
    assert metrics.replay is not None
    assert metrics.replay.rmse_z_mm == pytest.approx(1.0)
    assert metrics.recovered_pct == pytest.approx(100.0)
    assert metrics.com_height_offset_mm.washing == pytest.approx(
        20.0 + 1e3 * (0.8 - record.com_ref_m[0, 2])
    )
    assert metrics.bias_kg == pytest.approx(0.0, abs=1e-9)
    assert metrics.mass_min_kg == pytest.approx(0.616, abs=1e-3)


def test_path_on_a_fixed_pelvis_counts_pelvis_motion(robot: Robot) -> None:
    record = _washing_record(robot, 0.0)
    record.q[:, 1] += 0.01
    moved = record.tips["right"].world_m + np.array([0.0, 0.01, 0.0])
    tips = {
        **record.tips,
        "right": dataclasses.replace(record.tips["right"], world_m=moved),
    }
    metrics = measure_pickup(dataclasses.replace(record, tips=tips), robot)
    assert metrics.tip.rmse_y_mm == pytest.approx(0.0, abs=1e-6)
    assert metrics.tip_fixed_pelvis.rmse_y_mm == pytest.approx(10.0)


def test_power_is_mechanical_work_and_heat(robot: Robot) -> None:
    record = _record(robot, run_settings("balance", duration_s=4.0))
    model, knee = PowerModel(), robot.joint_names.index("LEFT_KNEE_Y")
    record.tau_Nm[:] = 0.0
    record.v[:] = 0.0
    assert model.power_W(record, robot) == pytest.approx(0.0)
    record.tau_Nm[:, knee], record.v[:, BASE + knee] = -28.0, 0.5
    heat = model.legs.resistance_ohm * (28.0 / model.legs.torque_per_ampere) ** 2
    assert model.power_W(record, robot) == pytest.approx(14.0 + heat)


@pytest.mark.parametrize("name", ["balance", "runtime_loading", "squat_pickup"])
def test_every_experiment_prints_lines_and_json(robot: Robot, name: str) -> None:
    settings = run_settings(name)
    record = _record(robot, settings)
    twin_settings = twin_of(settings)
    twin = None if twin_settings is None else _record(robot, twin_settings)
    metrics = evaluate(record, robot, twin)
    assert metrics.experiment is not None
    lines = experiment_lines(metrics)
    keys = [line.key for line in lines]
    assert len(set(keys)) == len(keys)
    text = evaluation_text(metrics)
    assert "goals met" in text
    assert "None" not in text
    decoded = msgspec.json.decode(msgspec.json.encode(metrics))
    assert decoded["experiment"]


@pytest.mark.parametrize("name", ["balance", "runtime_loading", "squat_pickup"])
@pytest.mark.parametrize("duration_s", [0.3, 7.0])
def test_short_runs_have_dashes_and_no_nan(
    robot: Robot, name: str, duration_s: float
) -> None:
    at_s = min(6.0, duration_s)
    asked = {"duration_s": duration_s, "at_s": at_s, "remove_at_s": duration_s}
    record = _record(robot, run_settings(name, **asked))
    text = msgspec.json.encode(evaluate(record, robot)).decode()
    assert "nan" not in text.lower().replace("nanosec", "")


def test_only_loaded_runs_have_a_twin() -> None:
    assert twin_of(run_settings("balance")) is None
    replay = twin_of(run_settings("squat_pickup"))
    assert replay is not None
    assert (replay.payload_kg, replay.has_estimator) == (0.0, True)
    assert twin_of(run_settings("squat_pickup", payload_kg=0.0)) is None
    path = twin_of(run_settings("window_washing"))
    assert path is not None
    assert (path.payload_kg, path.has_estimator) == (0.0, False)
