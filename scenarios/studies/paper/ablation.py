"""Which imperfection of the twin costs what."""

from __future__ import annotations

from typing import Any

from scenarios.library.runtime_loading import LoadingMetrics
from scenarios.library.squat_pickup import PickupMetrics
from scenarios.report.evaluation import evaluate as evaluate_run
from scenarios.report.evaluation import twin_of
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.scoreboard import Line
from scenarios.report.tables import number, render
from scenarios.run.lab import Lab
from scenarios.run.settings import RunSettings
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from wbmpc.plant.imperfections import SWITCHES
from wbmpc.robot import Robot

ABOUT = (
    "Runtime loading on the twin with one imperfection left out at a time: what gets "
    "better shows what that imperfection costs. 'All' is the twin, 'none' the clean "
    "plant with estimated base, and 'friction unknown' the twin whose friction neither "
    "low level nor estimator knows. The pick-up is repeated for the suspects only."
)
SUSPECTS = ("friction", "torque_constant", "masses")


def ablation(scope: Scope) -> Experiment:
    """The staircase, once per imperfection."""
    runs = _twins(scope, "runtime_loading", tuple(SWITCHES))
    runs["none"] = scope.settings(
        "runtime_loading", plant="hardware_twin", ideal=tuple(SWITCHES)
    )
    pickups = _twins(scope, "squat_pickup", SUSPECTS)

    def evaluate(lab: Lab, robot: Robot) -> Report:
        metrics = {n: evaluate_run(r, robot) for n, r in lab.runs(runs).items()}
        picked = {
            name: evaluate_run(lab.run(settings), robot, lab.run(_replay(settings)))
            for name, settings in pickups.items()
        }
        everything = {**metrics, **{f"pick-up, {n}": m for n, m in picked.items()}}
        return Report(
            lines=_lines(metrics),
            tables={
                "Runtime loading, one imperfection left out": _table(metrics),
                "Pick-up, one imperfection left out": _pickup_table(picked),
            },
            data=everything,
            fallen=tuple(name for name, m in everything.items() if m.fell),
        )

    return Experiment(
        key="ablation",
        title="What each imperfection costs",
        about=ABOUT,
        runs={
            **runs,
            **{f"pick-up, {n}": s for n, s in pickups.items()},
            **{f"pick-up unloaded, {n}": _replay(s) for n, s in pickups.items()},
        },
        evaluate=evaluate,
    )


def _twins(
    scope: Scope, scenario: str, switches: tuple[str, ...]
) -> dict[str, RunSettings]:
    """The whole twin, one whose friction is not known, and one without each switch."""
    asked: dict[str, dict[str, Any]] = {"all": {}}
    asked["friction unknown"] = {"friction_compensation": False}
    asked |= {f"without {name}": {"ideal": (name,)} for name in switches}
    return {
        name: scope.settings(scenario, plant="hardware_twin", **changes)
        for name, changes in asked.items()
    }


def _replay(settings: RunSettings) -> RunSettings:
    twin = twin_of(settings)
    assert twin is not None
    return twin


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


def _pickup_table(metrics: dict[str, RunMetrics]) -> str:
    rows = []
    for name, run in metrics.items():
        result = run.experiment
        assert isinstance(result, PickupMetrics)
        assert result.replay is not None
        values = (
            number(result.bias_kg, 2),
            number(result.recovered_pct),
            number(result.tip.rmse_y_mm),
            number(result.tip.rmse_z_mm),
            number(result.replay.rmse_y_mm),
            number(result.replay.rmse_z_mm),
        )
        rows.append([name + (" FELL" if run.fell else ""), *values])
    header = ("imperfections", "bias kg", "recovered %", "loaded y mm", "z mm")
    return render((*header, "unloaded y mm", "z mm"), rows)


def _recovery_error_pct(metrics: LoadingMetrics) -> float | None:
    """Largest deviation from 100 % over the treads."""
    shares = [step.recovered_pct for step in metrics.steps]
    known = [abs(share - 100.0) for share in shares if share is not None]
    return max(known) if known and len(known) == len(shares) else None


def _loading(metrics: RunMetrics) -> LoadingMetrics:
    assert isinstance(metrics.experiment, LoadingMetrics)
    return metrics.experiment
