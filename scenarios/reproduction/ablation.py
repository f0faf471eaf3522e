"""Which imperfection of the twin costs what."""

from __future__ import annotations

from scenarios.evaluation import evaluate as evaluate_run
from scenarios.lab import Lab
from scenarios.metrics_loading import LoadingMetrics
from scenarios.reproduction.experiment import Experiment, Report, Scope
from scenarios.results import RunMetrics
from scenarios.scoreboard import Line
from scenarios.tables import number, render
from wbmpc.plant.imperfections import SWITCHES
from wbmpc.robot import Robot

ABOUT = (
    "Runtime loading on the twin with one imperfection left out at a time: what gets "
    "better shows what that imperfection costs. 'All' is the twin, 'none' the clean "
    "plant with estimated base."
)


def ablation(scope: Scope) -> Experiment:
    """The staircase once an imperfection."""
    leave_out: dict[str, tuple[str, ...]] = {"all": ()}
    leave_out |= {f"without {name}": (name,) for name in SWITCHES}
    leave_out["none"] = tuple(SWITCHES)
    runs = {
        name: scope.settings("runtime_loading", plant="hardware_twin", ideal=ideal)
        for name, ideal in leave_out.items()
    }

    def evaluate(lab: Lab, robot: Robot) -> Report:
        metrics = {n: evaluate_run(r, robot) for n, r in lab.runs(runs).items()}
        return Report(
            lines=_lines(metrics),
            tables={"One imperfection left out": _table(metrics)},
            data=metrics,
            fallen=tuple(name for name, m in metrics.items() if m.fell),
        )

    return Experiment(
        key="ablation",
        title="What each imperfection costs",
        about=ABOUT,
        runs=runs,
        evaluate=evaluate,
    )


def _lines(metrics: dict[str, RunMetrics]) -> list[Line]:
    return [
        Line(
            key=f"{name}_recovery_error_pct".replace(" ", "_"),
            label=f"largest error of recovery, {name}",
            value=_recovery_error_pct(_loading(run)),
            unit="%",
        )
        for name, run in metrics.items()
    ]


def _table(metrics: dict[str, RunMetrics]) -> str:
    header = (
        "imperfections",
        "bias kg",
        "recovery error %",
        "sag mm",
        "returned mm",
        "after removal kg",
        "CoM x spread mm",
    )
    rows = []
    for name, run in metrics.items():
        result = _loading(run)
        values = (
            number(result.bias_kg, 2),
            number(_recovery_error_pct(result)),
            number(result.sag_mm),
            number(result.returned_mm),
            number(result.mass_after_removal_kg, 2),
            number(result.com["x"].spread_mm),
        )
        rows.append([name + (" FELL" if run.fell else ""), *values])
    return render(header, rows)


def _recovery_error_pct(metrics: LoadingMetrics) -> float | None:
    """Largest deviation from 100 % over the treads."""
    shares = [step.recovered_pct for step in metrics.steps]
    known = [abs(share - 100.0) for share in shares if share is not None]
    return max(known) if known and len(known) == len(shares) else None


def _loading(metrics: RunMetrics) -> LoadingMetrics:
    assert isinstance(metrics.experiment, LoadingMetrics)
    return metrics.experiment
