"""The same experiment on several twins: who falls, and how far figures spread."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.records.record import RunRecord
from scenarios.report.evaluation import evaluate as evaluate_run
from scenarios.report.evaluation import experiment_lines, twin_of
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.paper import Goal
from scenarios.report.scoreboard import Line
from scenarios.report.spread import spread_table, spreads
from scenarios.run.lab import Lab
from scenarios.run.settings import RunSettings
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from wbmpc.robot import Robot

SEEDED = ("window_washing", "balance", "runtime_loading", "squat_pickup")

ABOUT = (
    "Each seed is another robot: other link masses, torque constants, sensor errors "
    "and noise. With the estimator at the nominal loads nobody may fall."
)


def seeds(scope: Scope, scenarios: Sequence[str] = SEEDED) -> Experiment:
    """Twins of every scenario."""
    runs: dict[str, RunSettings] = {}
    for scenario in scenarios:
        for seed in range(scope.seeds):
            settings = scope.settings(scenario, plant="hardware_twin", seed=seed)
            runs[f"{scenario} {seed}"] = settings
            twin = twin_of(settings)
            if twin is not None:
                runs[f"{scenario} {seed} unloaded"] = twin

    def evaluate(lab: Lab, robot: Robot) -> Report:
        lab.prepare(runs)
        lines, tables, data, fallen = [], {}, {}, []
        for scenario in scenarios:
            metrics = _measure(scenario, scope, runs, lab, robot)
            down = [f"{scenario} {i}" for i, m in enumerate(metrics) if m.fell]
            fallen += down
            rows = spreads([seed_lines(m) for m in metrics])
            tables[scenario] = spread_table(scenario, rows, scope.seeds)
            data[scenario] = rows
            lines.append(_fallen_line(scenario, len(down), scope.seeds))
        return Report(lines=lines, tables=tables, data=data, fallen=tuple(fallen))

    return Experiment(
        key="seeds",
        title=f"{scope.seeds} twins of the hardware",
        about=ABOUT,
        runs=runs,
        evaluate=evaluate,
    )


def seed_lines(metrics: RunMetrics) -> list[Line]:
    """Figures of one run that are compared over seeds: the scenario's, or the tip's."""
    return experiment_lines(metrics) or _tip_lines(metrics)


def _measure(
    scenario: str,
    scope: Scope,
    runs: dict[str, RunSettings],
    lab: Lab,
    robot: Robot,
) -> list[RunMetrics]:
    metrics = []
    for seed in range(scope.seeds):
        name = f"{scenario} {seed}"
        twin: RunRecord | None = None
        if f"{name} unloaded" in runs:
            twin = lab.run(runs[f"{name} unloaded"])
        metrics.append(evaluate_run(lab.run(runs[name]), robot, twin))
    return metrics


def _tip_lines(metrics: RunMetrics) -> list[Line]:
    """Of the loaded arm; the goals of a comparison are for the clean plant."""
    arm = "right" if metrics.arm == "right" else "left"
    tip = metrics.tip[arm]
    link = next(m for m in metrics.links.values() if m.side == arm)
    values = {
        "rmse_y_mm": ("y RMSE from the unloaded path", tip.rmse_y_mm, "mm"),
        "rmse_z_mm": ("z RMSE from the unloaded path", tip.rmse_z_mm, "mm"),
        "mass_kg": ("mass of the loaded forearm at the end", link.mass_kg, "kg"),
        "time_to_10pct_s": ("mass and com within 10 %", link.time_to_10pct_s, "s"),
    }
    return [
        Line(
            key=key,
            label=label,
            value=value,
            unit=unit,
            decimals=2,
        )
        for key, (label, value, unit) in values.items()
    ]


def _fallen_line(scenario: str, fallen: int, count: int) -> Line:
    return Line(
        key=f"{scenario}_fallen",
        label=f"{scenario}: fallen of {count}",
        value=float(fallen),
        decimals=0,
        goal=Goal(at_most=0.0),
    )
