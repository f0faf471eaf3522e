"""`wbmpc robots`: rows of figures over robots, from made-up runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sample_records import make_record

from scenarios.cli import main
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from scenarios.studies.robots import planned_runs
from wbmpc.robot import Robot


@pytest.fixture
def simulation(monkeypatch: pytest.MonkeyPatch) -> list[RunSettings]:
    """Replace the simulation by synthetic runs; returns what was asked for."""
    asked: list[RunSettings] = []

    def run(settings: RunSettings, *, on_tick: Any, viewer: Any = None) -> RunRecord:
        assert viewer is None
        asked.append(settings)
        on_tick(settings.duration_s)
        fields = {f: getattr(settings, f) for f in settings.__struct_fields__}
        fell = settings.scenario == "balance" and not settings.has_estimator
        robot = Robot.load(settings.robot)
        return make_record(robot, sag_mm=4.0, fell=fell, **fields)

    monkeypatch.setattr("scenarios.run.runner.run", run)
    return asked


def test_facts_need_no_run(
    simulation: list[RunSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["robots", "alexander", "--facts", "--json"]) == 0
    captured = capsys.readouterr()
    (row,) = json.loads(captured.out)["robots"]
    assert row["facts"]["washing_load"]["load_kg"] == 5.0
    assert row["facts"]["balance_load"]["weight_share"] == pytest.approx(0.15, abs=1e-3)
    assert row["runs"] is None
    assert "as in the paper; it can hold" in captured.err
    assert not simulation


def test_every_run_is_made_once_and_found_again(
    simulation: list[RunSettings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["robots", "alexander", "--jobs", "1", "--out", str(tmp_path)]
    assert main(argv) == 0
    first = capsys.readouterr().out
    assert len(simulation) == len(planned_runs("alexander")) == 5
    assert "falls at" in first
    assert "washing z RMSE" in first
    assert main(argv) == 0
    assert capsys.readouterr().out == first
    assert len(simulation) == 5


def test_an_unknown_robot_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robots", "alexandre", "--facts"]) == 2
    assert "did you mean alexander" in capsys.readouterr().err
