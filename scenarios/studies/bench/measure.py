"""Everything that the bench measures."""

from __future__ import annotations

import os
from collections.abc import Callable

from scenarios.records.versions import installed_versions
from scenarios.report.metrics.results import StageTiming
from scenarios.report.metrics.timing import percentiles
from scenarios.run.estimator_settings import checked_robot
from scenarios.run.settings import RunSettings
from scenarios.studies.bench.report import BenchResult
from scenarios.studies.bench.solvers import SQP, Request, measure_in_child
from scenarios.studies.bench.stages import StageBench
from wbmpc.ocp.variant import FASTEST, PYTHON, STOCK, kernel_name
from wbmpc.realtime import measure_jitter, realtime_process

JITTER_PERIOD_S = 1e-3
JITTER_PRIORITY = 60
PREPARATION = ("calc", "calc_diff", "backward")

Progress = Callable[[str], None]
"""Called with what is measured next."""


def run_bench(
    name: str, overrides: tuple[str, ...], *, quick: bool, progress: Progress
) -> BenchResult:
    """Measure everything.

    Args:
        name: Of a shipped robot, or its settings.toml.
        overrides: Changes of its settings.
        quick: Fewer repetitions.
        progress: Is told what is measured next.

    Raises:
        ModelsError: Unknown robot or settings key, or a child process that dies.
    """
    robot = checked_robot(name, overrides)
    load_before = os.getloadavg()
    progress("stages of the closed loop")
    ticks = 100 if quick else 600
    settings = RunSettings(
        robot=name,
        overrides=overrides,
        at_s=0.25 * ticks * robot.settings.mpc.tick_dt_s,
        duration_s=ticks * robot.settings.mpc.tick_dt_s,
    )
    stages = StageBench(settings, robot)
    stages_ms = stages.run(ticks)
    solvers_ms, notes = _solvers(name, overrides, quick, progress)
    progress("jitter of the clock")
    jitter_us, refused = _jitter(200 if quick else 2000)
    return BenchResult(
        robot=robot.settings.name,
        quick=quick,
        stages_ms=stages_ms,
        line_search_trials=_trials(stages.trials),
        ratios=ratios(solvers_ms),
        solvers_ms=solvers_ms,
        jitter_us=jitter_us,
        threads=robot.settings.mpc.threads,
        kernel=kernel_name(),
        cores=_cores(),
        load_before=load_before,
        load_after=os.getloadavg(),
        notes=[*notes, *refused],
        versions=installed_versions(),
    )


def ratios(solvers_ms: dict[str, dict[str, float]]) -> dict[str, float | None]:
    """Ratios of medians, each within one process."""
    fast, stock = solvers_ms[FASTEST.name], solvers_ms[STOCK.name]
    python = solvers_ms[PYTHON.name]
    beside_python = solvers_ms[_beside(PYTHON.name)]
    sqp = solvers_ms.get(SQP)
    prepared = [sum(t[stage] for stage in PREPARATION) for t in (stock, fast)]
    python_per_stock = python["tick"] / beside_python["tick"]
    return {
        "calc_diff_vs_stock": stock["calc_diff"] / fast["calc_diff"],
        "backward_vs_stock": stock["backward"] / fast["backward"],
        "preparation_vs_stock": prepared[0] / prepared[1],
        "tick_vs_stock": fast["tick"] / stock["tick"],
        "tick_vs_python": fast["tick"] / stock["tick"] / python_per_stock,
        "iteration_vs_stock": fast["iteration"] / stock["iteration"],
        "iteration_vs_mim_solvers": fast["iteration"] / sqp["iteration"]
        if sqp
        else None,
    }


def _beside(name: str) -> str:
    """Key of the stock times that were taken in the process of another contender."""
    return f"{STOCK.name} beside {name}"


def _solvers(
    name: str, overrides: tuple[str, ...], quick: bool, progress: Progress
) -> tuple[dict[str, dict[str, float]], list[str]]:
    def measure(names: tuple[str, ...]) -> dict[str, dict[str, float]]:
        request = Request(
            names=names,
            repeats=10 if quick else 40,
            robot=name,
            overrides=overrides,
        )
        return measure_in_child(request)

    progress("solvers, compiled and stock")
    times = measure((FASTEST.name, STOCK.name, SQP))
    progress("solvers, residuals in Python")
    slow = measure((PYTHON.name, STOCK.name))
    times[PYTHON.name] = slow[PYTHON.name]
    times[_beside(PYTHON.name)] = slow[STOCK.name]
    return times, [] if SQP in times else [f"{SQP}: not installed"]


def _jitter(cycles: int) -> tuple[dict[str, StageTiming], tuple[str, ...]]:
    normal = measure_jitter(JITTER_PERIOD_S, cycles)
    with realtime_process(JITTER_PRIORITY) as granted:
        punctual = measure_jitter(JITTER_PERIOD_S, cycles)
    jitter_us = {"normal process": percentiles(list(1e6 * normal))}
    if granted.scheduler != "normal":
        jitter_us[granted.scheduler] = percentiles(list(1e6 * punctual))
    return jitter_us, granted.refused


def _trials(counts: list[int]) -> StageTiming | None:
    return percentiles([float(n) for n in counts]) if counts else None


def _cores() -> int:
    """Cores this process may use; all of them where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
