"""Robots that nobody wrote code for stand, wash and balance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarios.cli import main
from scenarios.library.run_settings import run_settings
from scenarios.records.record import RunRecord
from scenarios.report.metrics.run import measure
from scenarios.run.runner import run
from wbmpc.robot import Robot

SHIPPED = ("g1", "talos")


def assert_well(record: RunRecord) -> None:
    """It stood, every solve was usable, and torques stayed within their limits."""
    assert not record.fell
    assert set(record.status) <= {"CONVERGED", "USABLE", "STALLED"}
    assert (np.abs(record.tau_Nm) <= record.torque_limit_Nm * (1 + 1e-9)).all()


@pytest.mark.parametrize("robot", SHIPPED)
def test_it_stands(robot: str) -> None:
    record = run(
        run_settings("standing", robot=robot, payload_kg=0.0, at_s=0.0, duration_s=0.4)
    )
    assert_well(record)
    assert np.ptp(record.com_m[:, 2]) < 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("robot", SHIPPED)
def test_it_washes_with_its_load(robot: str) -> None:
    settings = run_settings("window_washing", robot=robot, duration_s=8.0)
    record = run(settings)
    assert_well(record)
    metrics = measure(record, Robot.load(robot))
    link = metrics.links[Robot.load(robot).arms["left"].link]
    assert link.mass_kg == pytest.approx(link.mass_true_kg, rel=0.1)
    # Relative to its torso the hand stays where it was asked for.
    assert metrics.tip["left"].reference.rmse_z_mm < 10.0


@pytest.mark.slow
@pytest.mark.parametrize("robot", SHIPPED)
def test_it_balances_its_loads(robot: str) -> None:
    assert_well(run(run_settings("balance", robot=robot, duration_s=8.0)))


@pytest.mark.slow
def test_a_robot_nobody_tuned_stands_and_washes(tmp_path: Path) -> None:
    assert main(["init", "example-robot-data:romeo", "--out", str(tmp_path)]) == 0
    path = str(tmp_path / "settings.toml")
    for scenario in ("standing", "window_washing"):
        settings = run_settings(
            scenario, robot=path, payload_kg=0.0, at_s=3.0, duration_s=10.0
        )
        assert_well(run(settings))
