"""The whole loop in lock-step: short versions always, the paper's length when slow."""

from __future__ import annotations

import numpy as np
import pytest

from ekf.inertia.pseudo_inertia import is_consistent
from scenarios.records.record import RunRecord
from scenarios.report.metrics.run import measure
from scenarios.run.runner import run
from scenarios.run.settings import RunSettings
from wbmpc.robot import Robot

LOADED_AT_S, SHORT_S = 1.0, 2.2


@pytest.fixture(scope="module")
def with_estimator() -> RunRecord:
    return run(RunSettings(at_s=LOADED_AT_S, duration_s=SHORT_S))


@pytest.fixture(scope="module")
def without_estimator() -> RunRecord:
    return run(RunSettings(at_s=LOADED_AT_S, duration_s=SHORT_S, estimator="none"))


def assert_physical(record: RunRecord) -> None:
    """Every inertia of every tick, estimated or published, belongs to a body."""
    for link in record.links.values():
        for parameters in (*link.estimate, *link.published):
            assert is_consistent(parameters)


def excess_kg(record: RunRecord, side: str, time_s: float) -> float:
    """Estimated load of a forearm at a time."""
    link = record.links[side]
    return float(link.estimate[np.searchsorted(record.time_s, time_s), 0]) - float(
        link.nominal[0]
    )


def test_an_unknown_load_is_found_and_held(with_estimator: RunRecord) -> None:
    metrics = measure(with_estimator, Robot.load("alexander"))
    link = metrics.links["LEFT_ELBOW_PITCH_LINK"]
    assert not with_estimator.fell
    assert link.time_to_10pct_s is not None
    assert link.time_to_10pct_s < 0.4
    assert_physical(with_estimator)
    assert set(with_estimator.status) <= {"CONVERGED", "USABLE"}


def test_the_estimator_holds_the_arm_up(
    with_estimator: RunRecord, without_estimator: RunRecord
) -> None:
    sag = [
        record.tips["left"].reference_torso_m[-1, 2]
        - record.tips["left"].torso_m[-1, 2]
        for record in (with_estimator, without_estimator)
    ]
    assert sag[0] < 0.02
    assert sag[1] > 0.15


def test_without_estimator_the_model_stays_nominal(
    without_estimator: RunRecord,
) -> None:
    for link in without_estimator.links.values():
        np.testing.assert_array_equal(
            link.published, np.tile(link.nominal, (len(link.published), 1))
        )


def test_a_load_taken_off_is_forgotten() -> None:
    record = run(
        RunSettings(at_s=0.6, remove_at_s=1.4, duration_s=2.6, scenario="standing")
    )
    assert not record.fell
    assert excess_kg(record, "left", 1.39) == pytest.approx(5.0, rel=0.1)
    assert excess_kg(record, "left", 2.55) < 0.3
    assert_physical(record)


def test_unloaded_standing_is_still() -> None:
    record = run(
        RunSettings(scenario="standing", payload_kg=0.0, at_s=0.0, duration_s=1.5)
    )
    assert_still(record)


def assert_still(record: RunRecord) -> None:
    after = record.time_s > 0.5
    drift = record.com_m[after] - record.com_m[0]
    assert np.abs(drift).max() < 2e-3
    assert np.sqrt(np.mean(record.v[after, 6:] ** 2)) < 0.01
    for link in record.links.values():
        np.testing.assert_allclose(link.estimate[:, 0], link.nominal[0], atol=0.02)
    weight = 66.8747 * 9.81
    for wrench in (record.wrench_true, record.wrench_estimated):
        total = wrench[after, :, 2].sum(axis=1)
        np.testing.assert_allclose(total, weight, rtol=0.01)


def test_two_runs_are_the_same_to_the_bit() -> None:
    settings = RunSettings(at_s=0.1, duration_s=0.4)
    first, second = run(settings), run(settings)
    np.testing.assert_array_equal(first.q, second.q)
    np.testing.assert_array_equal(first.tau_Nm, second.tau_Nm)
    np.testing.assert_array_equal(
        first.links["left"].estimate, second.links["left"].estimate
    )


@pytest.mark.slow
def test_standing_for_half_a_minute() -> None:
    assert_still(
        run(RunSettings(scenario="standing", payload_kg=0.0, at_s=0.0, duration_s=30.0))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("payload_kg", "arm", "at_s", "remove_at_s"),
    [
        (5.0, "left", 3.0, None),
        (3.0, "right", 4.0, None),
        (1.0, "left", 2.7, None),
        (5.0, "left", 3.0, 6.0),
        (5.0, "right", 3.5, 5.25),
        (4.0, "both", 3.0, 6.5),
        (8.0, "left", 3.3, None),
    ],
)
def test_other_loads_arms_and_times(
    payload_kg: float, arm: str, at_s: float, remove_at_s: float | None
) -> None:
    settings = RunSettings(
        payload_kg=payload_kg,
        arm=arm,  # type: ignore[arg-type]
        at_s=at_s,
        remove_at_s=remove_at_s,
        duration_s=9.0,
    )
    record = run(settings)
    assert not record.fell
    assert_physical(record)
    # Table III's noise is in proportion to no load: a small one takes longer.
    within_s = 0.4 if payload_kg >= 3.0 else 1.0
    for side in ("left", "right") if arm == "both" else (arm,):
        found = excess_kg(record, side, at_s + within_s)
        assert found == pytest.approx(payload_kg, rel=0.1)
        if remove_at_s is not None:
            assert excess_kg(record, side, remove_at_s + 2.0) < 0.3


@pytest.mark.slow
def test_the_paper_experiment_meets_its_goals() -> None:
    robot = Robot.load("alexander")
    settings = RunSettings()
    unloaded = run(RunSettings(payload_kg=0.0, estimator="none"))
    metrics = measure(run(settings), robot, unloaded)
    tip = metrics.tip["left"]
    link = metrics.links["LEFT_ELBOW_PITCH_LINK"]
    assert tip.rmse_y_mm is not None
    assert tip.rmse_y_mm <= 5.0
    assert tip.rmse_z_mm is not None
    assert tip.rmse_z_mm <= 4.0
    assert link.alpha_end == pytest.approx(1.105, abs=0.01)
    assert link.t3_end == pytest.approx(-0.2725, abs=0.01)
