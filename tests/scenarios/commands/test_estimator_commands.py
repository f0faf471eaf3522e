"""`wbmpc estimate` and `wbmpc estimators`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from scenarios.cli import main
from scenarios.studies.estimators import benchmark, drift_benchmark
from scenarios.studies.estimators.streams.robots import panda
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)
from scenarios.studies.estimators.tables import markdown, number

ROW_KEYS = {
    "stream",
    "estimator",
    "time_to_10pct_s",
    "final_error_kg",
    "noise_kg",
    "false_alarms",
    "us_per_sample",
    "consistent",
    "nees",
}


@pytest.fixture(scope="module")
def csv_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = synthetic_arm(panda(), ArmStreamSettings(duration_s=4.0)).log
    names = ["t"] + [f"{p}_{i}" for p in ("q", "qd", "tau") for i in range(9)]
    path = tmp_path_factory.mktemp("logs") / "log.csv"
    table = np.column_stack([log.time_s, log.q, log.v, log.tau])
    table[10, 3] = np.nan
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="")
    return path


def test_estimate_prints_a_table(
    csv_log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["estimate", str(csv_log), "--robot", "panda", "--payload-at", "2"]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "199 of 200 samples used (1 " in out and "panda_link7" in out
    for name in ("payload_rls", "ekf", "batch"):
        assert f"| {name} " in out


def test_estimate_json_and_folder(
    csv_log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    argv = ["estimate", str(csv_log), "--robot", "panda", "--out", str(folder)]
    assert main([*argv, "--estimator", "ekf", "payload_rls", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["estimator"] for row in result["rows"]] == ["ekf", "payload_rls"]
    ekf, rls = result["rows"]
    assert ekf["mass_kg"] == pytest.approx(5.0, abs=0.5)
    assert rls["samples"] == {"first": 1, "used": 198}
    counts = {"total": 200, "used": 199, "refused": {"position is no number": 1}}
    assert result["samples"] == counts
    assert result == json.loads((folder / "metrics.json").read_text())
    assert {p.name for p in folder.iterdir()} >= {"estimate.png", "table.md"}


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["estimate", "none.csv", "--robot", "panda"], "no such file"),
        (["estimate", "LOG"], "give --robot"),
        (["estimate", "LOG", "--robot", "pandda"], "did you mean panda"),
        (["estimate", "LOG", "--robot", "panda", "--link", "x"], "unknown link"),
        (["estimate", "LOG", "--robot", "panda", "--estimator", "rls"], "rls"),
        (["estimate", "LOG", "--robot", "panda", "--columns", "no.toml"], "no.toml"),
        (["estimate", "LOG", "--robot", "alexander"], "unknown column"),
        (["estimators", "--fast"], "--fast"),
    ],
)
def test_mistakes_get_one_sentence(
    argv: list[str], told: str, csv_log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [str(csv_log) if word == "LOG" else word for word in argv]
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and told in captured.err
    assert len(captured.err.strip().splitlines()) == 1


def test_estimators_json_and_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = {"arm": {"duration_s": 3.0}}
    monkeypatch.setattr(benchmark, "ARM_STREAMS", short)
    monkeypatch.setattr(drift_benchmark, "STREAMS", {"payload step": {}})
    detectors = {name: drift_benchmark.DETECTORS[name] for name in ("none", "hampel")}
    monkeypatch.setattr(drift_benchmark, "DETECTORS", detectors)
    folder = tmp_path / "out"
    argv = ["estimators", "--quick", "--json", "--jobs", "1", "--out", str(folder)]
    assert main(argv) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["stream"] for row in result["rows"]} == {
        "arm",
        "two_link",
        "so101_motors",
        "so101_servos",
    }
    assert all(ROW_KEYS <= row.keys() for row in result["rows"])
    assert [row["detector"] for row in result["drift"]] == ["none", "hampel"]
    assert [row["lam"] for row in result["payload_rls"]] == [0.95, 0.99, 0.999]
    written = {p.name for p in folder.iterdir()}
    assert written == {"metrics.json", "table.md", "versions.json", "estimators.png"}


def test_markdown_lines_up() -> None:
    table = markdown(("a", "longer"), [("1", "2"), ("333", "4")])
    assert table.splitlines()[1] == "|-----|--------|"
    assert len({len(line) for line in table.splitlines()}) == 1
    assert [number(x) for x in (None, 1.234, 23456.0)] == ["-", "1.23", "2e+04"]


@pytest.mark.slow
def test_payload_rls_costs_less_than_thirty_microseconds() -> None:
    rows = benchmark.forgetting_table(panda())
    assert min(row.us_per_sample for row in rows) <= 30.0


def test_a_part_made_by_a_worker_is_that_made_here() -> None:
    def figures(part: benchmark.Part) -> list[Any]:
        plain = [msgspec.structs.asdict(row) for row in part.rows]
        return [{k: v for k, v in row.items() if k != "us_per_sample"} for row in plain]

    call = benchmark.measure_part, ("two_link", 1)
    there = benchmark._made({"a": call, "b": call}, 2, lambda _: None)
    here = benchmark.measure_part("two_link", 1)
    assert figures(there["a"]) == figures(there["b"]) == figures(here)
