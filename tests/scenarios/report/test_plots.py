"""Every picture is drawn, whatever runs there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from sample_records import make_record

from scenarios.records.record import RunRecord
from scenarios.records.run_folder import RunFolder
from scenarios.report.plots import estimates, run_figures, tip_errors, tip_paths
from wbmpc.robot import Robot

NAMES = {
    "payload",
    "tip_paths",
    "tip_errors",
    "estimate",
    "balance",
    "foot_forces",
    "cost_by_term",
    "timing",
}


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module")
def records(robot: Robot) -> dict[str, RunRecord]:
    return {
        "unloaded": make_record(robot, payload_kg=0.0, estimator="none"),
        "without_estimator": make_record(robot, sag_mm=390.0, estimator="none"),
        "with_estimator": make_record(robot, sag_mm=4.0),
    }


def test_all_pictures_have_ink(
    robot: Robot, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    with RunFolder(tmp_path / "run") as folder:
        folder.draw(run_figures(robot, records))
    files = {path.stem: path for path in (tmp_path / "run" / "plots").glob("*.png")}
    assert set(files) == NAMES
    for path in files.values():
        assert np.ptp(imread(path)[:, :, :3]) > 0.5


def test_paths_of_three_runs_per_arm(records: dict[str, RunRecord]) -> None:
    for axis in tip_paths(records).axes:
        assert len(axis.lines) == 3


def test_errors_are_those_of_the_loaded_tip(records: dict[str, RunRecord]) -> None:
    z_axis = tip_errors(records).axes[2]
    lowest = min(line.get_ydata().min() for line in z_axis.lines[:2])
    assert lowest == pytest.approx(-390.0)


def test_truth_and_estimate_are_both_drawn(records: dict[str, RunRecord]) -> None:
    mass_axis = estimates(records).axes[0]
    labels = mass_axis.get_legend_handles_labels()[1]
    assert {"truth", "estimate", "+- 2 sigma"} <= set(labels)


@pytest.mark.parametrize(
    "settings",
    [
        {"estimator": False},
        {"payload_kg": 0.0},
        {"duration_s": 0.2, "at_s": 0.1},
        {"arm": "both", "fell": True},
    ],
)
def test_lone_and_odd_runs_are_drawn_too(
    robot: Robot, settings: dict[str, object]
) -> None:
    record = make_record(robot, **settings)
    estimator = record.settings.has_estimator
    name = "with_estimator" if estimator else "without_estimator"
    figures = run_figures(robot, {name: record})
    missing = set() if estimator else {"payload"}
    assert set(figures) == NAMES - missing
    for draw in figures.values():
        assert draw().axes
