"""The result of a bench, its table, and what has changed since the last one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from scenarios.records.run_folder import DEFAULT_PARENT
from scenarios.report.metrics.results import StageTiming
from scenarios.report.tables import mark, number, render

FOLDER = DEFAULT_PARENT / "bench"
NOTABLE_CHANGE = 0.1
"""Relative change of a median that is worth a line."""


class BenchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one bench measured."""

    robot: str
    quick: bool
    stages_ms: dict[str, StageTiming]
    """Wall-clock time in a closed loop; `aligner_push`, `low_level` and `plant_step`
    once per millisecond, the others once per tick."""
    line_search_trials: StageTiming | None
    ratios: dict[str, float | None]
    """CPU time at one thread, in one process. `*_vs_stock`: how many times faster the
    stage is; `tick_vs_*`, `iteration_vs_*`: share of the time of the other."""
    solvers_ms: dict[str, dict[str, float]]
    """Median CPU time by implementation and stage."""
    jitter_us: dict[str, StageTiming]
    """Lateness of a 1 kHz clock, as a normal process and with real-time priority."""
    threads: int
    kernel: str
    cores: int
    load_before: tuple[float, float, float]
    load_after: tuple[float, float, float]
    notes: list[str]
    versions: dict[str, str | None]


class BenchGoal(msgspec.Struct, frozen=True, kw_only=True):
    """A number to reach."""

    what: str
    text: str
    value: Callable[[BenchResult], float | None]
    reached: Callable[[float], bool]


def _ratio(key: str) -> Callable[[BenchResult], float | None]:
    return lambda result: result.ratios.get(key)


def _stage(stage: str, field: str) -> Callable[[BenchResult], float | None]:
    def value(result: BenchResult) -> float | None:
        timing = result.stages_ms.get(stage)
        return None if timing is None else float(getattr(timing, field))

    return value


GOALS = (
    BenchGoal(
        what="calc_diff, times faster than stock",
        text=">= 2.2",
        value=_ratio("calc_diff_vs_stock"),
        reached=lambda x: x >= 2.2,
    ),
    BenchGoal(
        what="backward, times faster than stock",
        text=">= 2.0",
        value=_ratio("backward_vs_stock"),
        reached=lambda x: x >= 2.0,
    ),
    BenchGoal(
        what="preparation, times faster than stock",
        text=">= 2.0",
        value=_ratio("preparation_vs_stock"),
        reached=lambda x: x >= 2.0,
    ),
    BenchGoal(
        what="tick, share of Python residuals",
        text="<= 0.5",
        value=_ratio("tick_vs_python"),
        reached=lambda x: x <= 0.5,
    ),
    BenchGoal(
        what="tick, median ms",
        text="<= 6",
        value=_stage("tick", "p50"),
        reached=lambda x: x <= 6.0,
    ),
    BenchGoal(
        what="tick, p99 ms",
        text="<= 10",
        value=_stage("tick", "p99"),
        reached=lambda x: x <= 10.0,
    ),
    BenchGoal(
        what="estimator update, median ms",
        text="<= 0.5",
        value=_stage("ekf", "p50"),
        reached=lambda x: x <= 0.5,
    ),
)


def bench_table(result: BenchResult, last: BenchResult | None) -> str:
    """Stages, solvers, goals, clock, and changes since the last bench."""
    parts = [
        _heading(result),
        _timing_table("stage, ms", result.stages_ms, 3),
        _solver_table(result),
        _goal_table(result),
        _timing_table("lateness of a 1 kHz clock, us", result.jitter_us, 1),
    ]
    if result.notes:
        parts.append("\n".join(result.notes))
    if last is not None:
        parts.append(_changes(result, last))
    return "\n\n".join(parts)


def load_last(folder: Path) -> BenchResult | None:
    """The newest saved bench that can be read."""
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            return msgspec.json.decode(path.read_bytes(), type=BenchResult)
        except (OSError, msgspec.MsgspecError):
            continue
    return None


def _heading(result: BenchResult) -> str:
    loads = (f"{load:.2f}" for load in (result.load_before[0], result.load_after[0]))
    return (
        f"{result.robot}: threads {result.threads}, kernel {result.kernel}, "
        f"{result.cores} cores, load {' to '.join(loads)}"
        + (" (quick)" if result.quick else "")
    )


def _timing_table(title: str, timings: dict[str, StageTiming], decimals: int) -> str:
    rows = [
        [stage, *(number(v, decimals) for v in (t.p50, t.p95, t.p99, t.max))]
        for stage, t in timings.items()
    ]
    return render((title, "p50", "p95", "p99", "max"), rows)


def _solver_table(result: BenchResult) -> str:
    names = list(result.solvers_ms)
    stages = dict.fromkeys(s for times in result.solvers_ms.values() for s in times)
    rows = [
        [stage, *(number(result.solvers_ms[n].get(stage), 2) for n in names)]
        for stage in stages
    ]
    return render(("CPU ms, 1 thread, medians", *names), rows)


def _goal_table(result: BenchResult) -> str:
    rows = []
    for goal in GOALS:
        value = goal.value(result)
        met = None if value is None else goal.reached(value)
        rows.append([goal.what, number(value, 2), goal.text, mark(met)])
    return render(("goal", "reached", "", ""), rows)


def _changes(result: BenchResult, last: BenchResult) -> str:
    rows = []
    for stage, now in result.stages_ms.items():
        before = last.stages_ms.get(stage)
        if before is None or before.p50 <= 0.0:
            continue
        ratio = now.p50 / before.p50
        if abs(ratio - 1.0) > NOTABLE_CHANGE:
            cells = (number(before.p50, 3), number(now.p50, 3), f"{ratio:.2f}x")
            rows.append([stage, *cells])
    for key, value in result.ratios.items():
        was = last.ratios.get(key)
        if value and was and abs(value / was - 1.0) > NOTABLE_CHANGE:
            cells = (number(was, 2), number(value, 2), f"{value / was:.2f}x")
            rows.append([key, *cells])
    if not rows:
        return "no median has changed by more than 10 % since the last bench"
    return render(("changed since the last bench", "last", "now", ""), rows)
