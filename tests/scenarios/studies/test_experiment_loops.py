"""The paper's experiments in closed loop: short cuts always, whole ones when slow."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.library.balance import BalanceMetrics
from scenarios.library.run_settings import run_settings
from scenarios.library.runtime_loading import LoadingMetrics
from scenarios.library.squat_pickup import PickupMetrics
from scenarios.records.record import RunRecord
from scenarios.report.evaluation import evaluate
from scenarios.run.runner import run
from scenarios.run.settings import Push
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module")
def staircase() -> RunRecord:
    """Five plates within a second and off again, tared before."""
    return run(
        run_settings(
            "runtime_loading",
            at_s=0.8,
            remove_at_s=1.8,
            ramp_s=0.05,
            duration_s=2.4,
            tare_s=0.3,
        )
    )


def test_staircase_is_carried_and_tracked(staircase: RunRecord) -> None:
    assert not staircase.fell
    right = staircase.links["right"]
    loaded = np.searchsorted(staircase.time_s, 1.79)
    load = right.truth[loaded, 0] - right.nominal[0]
    assert load == pytest.approx(7.94, abs=0.01)
    assert right.estimate[loaded, 0] - right.nominal[0] > 0.6 * load
    said = [sentence for _, sentence in staircase.events]
    noticed = [sentence for sentence in said if sentence.startswith("estimator:")]
    assert len(said) - len(noticed) == 6
    assert "attach" in noticed[0]
    assert "detach" in noticed[-1]


def test_estimate_is_held_at_nominal_until_tared(staircase: RunRecord) -> None:
    right = staircase.links["right"]
    held = staircase.time_s < 0.29
    assert np.allclose(right.estimate[held], right.nominal)
    free = (staircase.time_s > 0.6) & (staircase.time_s < 0.79)
    assert np.abs(right.estimate[free, 0] - right.nominal[0]).max() < 0.1


def test_robot_squats_with_flat_feet_and_keeps_its_pelvis_pitch(robot: Robot) -> None:
    record = run(run_settings("squat_pickup", duration_s=2.8, at_s=2.7))
    assert not record.fell
    assert record.pelvis_pitch_ref_rad is not None
    assert record.com_m[-1, 2] < record.com_m[0, 2] - 0.03
    assert record.pelvis_pitch_ref_rad[-1] > 0.15
    metrics = evaluate(record, robot).experiment
    assert isinstance(metrics, PickupMetrics)
    assert metrics.cop_margin_min_mm is not None
    assert metrics.cop_margin_min_mm > 20.0


def test_push_moves_the_robot_and_it_stays_up(robot: Robot) -> None:
    push = Push(at_s=0.5, duration_s=0.1, left_N=80.0)
    settings = run_settings(
        "balance", payload_kg=0.0, at_s=0.4, duration_s=2.0, push=push
    )
    record = run(settings)
    assert not record.fell
    metrics = evaluate(record, robot).experiment
    assert isinstance(metrics, BalanceMetrics)
    assert metrics.push is not None
    assert metrics.push.com_excursion_mm is not None
    assert 3.0 < metrics.push.com_excursion_mm < 60.0


def test_twin_reaches_forward_on_its_own_sensors(robot: Robot) -> None:
    record = run(
        run_settings("balance", plant="hardware_twin", duration_s=2.5, at_s=2.4)
    )
    assert not record.fell
    assert record.base is not None
    assert record.tips["left"].world_m[-1, 0] > 0.5
    assert isinstance(evaluate(record, robot).experiment, BalanceMetrics)


@pytest.mark.slow
def test_ten_kg_tips_the_robot_without_the_estimator_only(robot: Robot) -> None:
    assert run(run_settings("balance", estimator="none")).fell
    metrics = evaluate(run(run_settings("balance")), robot).experiment
    assert isinstance(metrics, BalanceMetrics)
    assert metrics.stood
    assert metrics.pelvis_shift_x_mm is not None
    assert metrics.pelvis_shift_x_mm < -30.0
    assert metrics.cop_margin_min_mm is not None
    assert metrics.cop_margin_min_mm > 20.0
    assert not run(run_settings("balance", payload_kg=7.0)).fell


@pytest.mark.slow
def test_plates_on_the_clean_plant_are_all_recovered(robot: Robot) -> None:
    record = run(run_settings("runtime_loading"))
    metrics = evaluate(record, robot).experiment
    assert isinstance(metrics, LoadingMetrics)
    shares = [step.recovered_pct for step in metrics.steps]
    assert shares == pytest.approx([100.0] * 5, abs=2.0)
    assert metrics.returned_mm == pytest.approx(0.0, abs=2.0)


@pytest.mark.slow
@pytest.mark.parametrize("plant", ["clean", "hardware_twin"])
def test_pickup_from_squat_to_washing(robot: Robot, plant: str) -> None:
    record = run(run_settings("squat_pickup", plant=plant))
    assert not record.fell
    metrics = evaluate(record, robot).experiment
    assert isinstance(metrics, PickupMetrics)
    assert metrics.tip.rmse_y_mm is not None
    assert metrics.tip.rmse_y_mm < 19.3
    assert metrics.tip.rmse_z_mm is not None
    assert metrics.tip.rmse_z_mm < 22.4
    assert metrics.squat_depth_mm is not None
    assert metrics.squat_depth_mm > 150.0
