"""The bench: ratios, goals, comparison with the last one, a clean child."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from scenarios.cli import main
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.report.metrics.results import StageTiming
from scenarios.report.metrics.timing import percentiles
from scenarios.studies.bench import measure, report, solvers
from scenarios.studies.bench.report import GOALS, BenchResult, bench_table, load_last
from scenarios.studies.bench.solvers import SQP, Request, measure_in_child
from wbmpc.errors import InstallError


def times(scale: float) -> dict[str, float]:
    stages = ("calc", "calc_diff", "backward", "forward", "iteration", "tick")
    return {stage: scale * (k + 1) for k, stage in enumerate(stages)}


def solver_times(*, sqp: bool = True) -> dict[str, dict[str, float]]:
    found = {
        "fastest": times(1.0),
        "stock": times(2.0),
        "python": times(8.0),
        "stock beside python": times(4.0),
    }
    return found | ({SQP: {"iteration": 10.0}} if sqp else {})


def make_result(tick_ms: float = 5.0, calc_diff: float = 2.5) -> BenchResult:
    timing = StageTiming(p50=tick_ms, p95=tick_ms, p99=2 * tick_ms, max=3 * tick_ms)
    ratios = measure.ratios(solver_times()) | {"calc_diff_vs_stock": calc_diff}
    return BenchResult(
        robot="alexander",
        quick=True,
        stages_ms={"tick": timing, "ekf": timing},
        line_search_trials=None,
        ratios=ratios,
        solvers_ms=solver_times(),
        jitter_us={"normal process": timing},
        threads=1,
        kernel="x86-64-v3",
        cores=2,
        load_before=(0.5, 0.5, 0.5),
        load_after=(0.6, 0.5, 0.5),
        notes=[],
        versions={},
    )


def test_ratios_compare_within_one_process() -> None:
    found = measure.ratios(solver_times())
    assert found["calc_diff_vs_stock"] == 2.0
    assert found["backward_vs_stock"] == 2.0
    assert found["preparation_vs_stock"] == 2.0
    assert found["tick_vs_stock"] == 0.5
    # Stock took twice as long beside Python: 1/2 of stock, which is 1/2 of Python.
    assert found["tick_vs_python"] == 0.25
    assert found["iteration_vs_mim_solvers"] == 0.5
    assert measure.ratios(solver_times(sqp=False))["iteration_vs_mim_solvers"] is None


def test_percentiles_are_ordered() -> None:
    timing = percentiles([float(n) for n in range(101)])
    assert (timing.p50, timing.p95, timing.p99, timing.max) == (50, 95, 99, 100)


def test_the_table_marks_what_is_reached() -> None:
    words = bench_table(make_result(tick_ms=5.0, calc_diff=2.5), None)
    lines = {line.split("  ")[1]: line for line in words.splitlines() if "  " in line}
    assert lines["calc_diff, times faster than stock"].endswith("met")
    assert lines["tick, median ms"].endswith("met")
    assert lines["estimator update, median ms"].endswith("SHORT")
    slow = bench_table(make_result(tick_ms=7.0, calc_diff=2.0), None)
    assert sum(line.endswith("SHORT") for line in slow.splitlines()) == 4
    assert len(GOALS) == 7


def test_changes_since_the_last_bench_are_named() -> None:
    same = bench_table(make_result(), make_result())
    assert "no median has changed" in same
    slower = bench_table(make_result(tick_ms=8.0), make_result(tick_ms=4.0))
    assert "2.00x" in slower


def test_the_newest_readable_bench_is_the_last_one(tmp_path: Path) -> None:
    assert load_last(tmp_path) is None
    for name, tick_ms in (("20260101-000000", 1.0), ("20260102-000000", 2.0)):
        encoded = msgspec.json.encode(make_result(tick_ms))
        (tmp_path / f"{name}.json").write_bytes(encoded)
    (tmp_path / "20260103-000000.json").write_text("{")
    last = load_last(tmp_path)
    assert last is not None
    assert last.stages_ms["tick"].p50 == 2.0


def test_a_child_measures_and_ends_cleanly() -> None:
    request = Request(
        names=("fastest", "stock"),
        repeats=2,
        robot="alexander",
        overrides=("mpc.nodes=5",),
    )
    found = measure_in_child(request)
    assert set(found) == {"fastest", "stock"}
    for stages in found.values():
        assert set(stages) == set(solvers.STAGES)
        assert all(duration > 0.0 for duration in stages.values())


def test_a_child_that_dies_is_reported() -> None:
    request = Request(names=("fastest",), repeats=1, robot="no_such_robot")
    with pytest.raises(InstallError, match="exit code"):
        measure_in_child(request)


def test_the_command_prints_one_object_and_saves_it(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[Request] = []

    def measured(request: Request) -> dict[str, dict[str, float]]:
        asked.append(request)
        known = {"fastest": times(1.0), "stock": times(2.0), "python": times(8.0)}
        return {name: known[name] for name in request.names if name in known}

    monkeypatch.setattr(measure, "measure_in_child", measured)
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    status = main(["bench", "--quick", "--json", "--set", "mpc.nodes=6"])
    assert status == EXIT_OK
    out, err = capsys.readouterr()
    result = json.loads(out)
    stages = {"aligner_push", "low_level", "plant_step", "wrench", "ekf", "tick"}
    assert stages <= set(result["stages_ms"])
    assert result["stages_ms"]["tick"]["p50"] > 0.0
    assert result["ratios"]["tick_vs_python"] == 0.125 * 1.0
    assert result["threads"] == 1
    assert f"{SQP}: not installed" in result["notes"]
    assert all(request.overrides == ("mpc.nodes=6",) for request in asked)
    assert "lateness of a 1 kHz clock" in err
    (saved,) = tmp_path.glob("*.json")
    assert json.loads(saved.read_text()) == result


def test_a_bench_without_its_child_ends_badly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: Request) -> None:
        raise InstallError("the bench of fastest ended with exit code -11")

    monkeypatch.setattr(measure, "measure_in_child", fails)
    assert main(["bench", "--quick", "--set", "mpc.nodes=6"]) == EXIT_BAD_END
    assert "exit code -11" in capsys.readouterr().err
