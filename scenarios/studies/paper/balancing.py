"""Balance under a load in both hands, pushes, and the load that tips the robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scenarios.report.evaluation import evaluate as evaluate_run
from scenarios.report.evaluation import experiment_lines
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.paper import Goal
from scenarios.report.scoreboard import Line
from scenarios.report.tables import number, render
from scenarios.run.lab import Lab
from scenarios.run.settings import DEFAULT_ESTIMATOR, NO_ESTIMATOR, Push
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from scenarios.studies.paper.tipping import TippingLoad, find_tipping_loads
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT_BALANCE = (
    "Section IV-A2, Fig. 5. Arms forward, 5 kg on each forearm, ramped over 2 s. "
    "Clean plant. Our arms reach 0.7 m ahead with level forearms; the pushes are ours."
)
ABOUT_TIPPING = (
    "The paper shows one load (10 kg). Here the total load is searched by bisection "
    "between standing and falling by the end of the run."
)
TIPPING_PAPER_KG = 10.0
"""Falls without, stands with the estimator; no other load is reported."""
TIPPING_GOAL_KG = Goal(at_least=14.0)
"""Largest load in both hands it stands with, with the estimator."""
PUSH_N = 100.0
PUSH_S = 0.15
PUSHES = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0)}


def balance(scope: Scope) -> Experiment:
    """10 kg without and with the estimator, and pushes while loaded."""
    runs = {
        "without_estimator": scope.settings("balance", estimator=NO_ESTIMATOR),
        "with_estimator": scope.settings("balance"),
    }
    at_s = runs["with_estimator"].duration_s - 3.5
    for name, (forward, left) in PUSHES.items():
        push = Push(
            at_s=at_s,
            duration_s=PUSH_S,
            forward_N=forward * PUSH_N,
            left_N=left * PUSH_N,
        )
        runs[f"push_{name}"] = scope.settings("balance", push=push)

    def evaluate(lab: Lab, robot: Robot) -> Report:
        from scenarios.report.plots import support_polygon
        from scenarios.report.posture import posture

        records = lab.runs(runs)
        metrics = {name: evaluate_run(r, robot) for name, r in records.items()}
        fallen = [n for n, m in metrics.items() if m.fell and m.estimator]
        return Report(
            lines=_balance_lines(metrics),
            tables={"Pushes while holding the load": _push_table(metrics)},
            data=metrics,
            figures={
                "fig5_posture": lambda: posture(robot, records),
                "fig5_polygon": lambda: support_polygon(records, robot),
            },
            fallen=tuple(fallen),
        )

    return Experiment(
        key="balance",
        title="Balance with a load in both hands",
        about=ABOUT_BALANCE,
        runs=runs,
        evaluate=evaluate,
    )


def tipping(scope: Scope) -> Experiment:
    """The largest load it stands with, without and with the estimator."""
    tolerance_kg = 4.0 if scope.quick else 0.5
    starts = {
        name: scope.settings("balance", estimator=estimator)
        for name, estimator in (("without", NO_ESTIMATOR), ("with", DEFAULT_ESTIMATOR))
    }

    def evaluate(lab: Lab, robot: Robot) -> Report:
        del robot
        found = find_tipping_loads(starts, lab.runs, tolerance_kg=tolerance_kg)
        return Report(
            lines=tipping_lines(found),
            tables={"Every load tried": trials_table(found)},
            data=found,
            figures={"tipping": lambda: _tipping_figure(found)},
        )

    return Experiment(
        key="tipping",
        title="The load that tips the robot",
        about=ABOUT_TIPPING,
        runs={},
        evaluate=evaluate,
    )


def tipping_lines(found: Mapping[str, TippingLoad]) -> list[Line]:
    """Largest standing and smallest falling load of each search."""
    lines = []
    for name, load in found.items():
        helped = load.estimator
        lines.append(
            Line(
                key=f"stands_{name}_kg",
                label=f"largest load it stands with, {name} estimator",
                value=load.stands_kg,
                unit="kg",
                paper=f">= {TIPPING_PAPER_KG:g}"
                if helped
                else f"< {TIPPING_PAPER_KG:g}",
                goal=TIPPING_GOAL_KG if helped else None,
            )
        )
        lines.append(
            Line(
                key=f"falls_{name}_kg",
                label=f"smallest load it falls with, {name} estimator",
                value=load.falls_kg,
                unit="kg",
            )
        )
    return lines


def trials_table(found: Mapping[str, TippingLoad]) -> str:
    """Outcome of every trial."""
    rows = [
        [
            f"{name} estimator",
            number(trial.load_total_kg, 2),
            "stood" if trial.stood else f"fell at {trial.fell_at_s:.1f} s",
        ]
        for name, load in found.items()
        for trial in load.trials
    ]
    return render(("search", "load kg", "outcome"), rows)


def _balance_lines(metrics: Mapping[str, RunMetrics]) -> list[Line]:
    with_it, without = metrics["with_estimator"], metrics["without_estimator"]
    stood = Line(
        key="without_estimator_fell_at_s",
        label="without the estimator it falls after",
        value=_get(without, "fell_at_s"),
        unit="s",
        paper="falls" if without.fell else "falls (ours stands)",
    )
    return [stood, *experiment_lines(with_it)]


def _push_table(metrics: Mapping[str, RunMetrics]) -> str:
    rows = []
    for name, run in metrics.items():
        push: Any = _get(run, "push")
        if push is not None:
            rows.append(
                [
                    name.removeprefix("push_"),
                    number(PUSH_N * PUSH_S, 1),
                    "FELL" if run.fell else "stood",
                    number(push.com_excursion_mm),
                    number(push.cop_margin_min_mm),
                    number(push.recovered_after_s, 2),
                ]
            )
    header = ("push", "Ns", "outcome", "CoM away mm", "CoP margin mm", "back after s")
    return render(header, rows)


def _get(metrics: RunMetrics, field: str) -> Any:
    return getattr(metrics.experiment, field)


def _tipping_figure(found: Mapping[str, TippingLoad]) -> Figure:
    from scenarios.report.figure_style import BLUE, RED, new_figure

    figure = new_figure(8.0, 2.4)
    axis = figure.subplots()
    for row, load in enumerate(found.values()):
        for trial in load.trials:
            mark, color = ("o", BLUE) if trial.stood else ("x", RED)
            axis.plot(trial.load_total_kg, row, mark, color=color, ms=8)
    axis.set_yticks(range(len(found)), [f"{name} estimator" for name in found])
    axis.set_ylim(-0.6, len(found) - 0.4)
    axis.set_xlabel("load in both hands together [kg]; o stood, x fell")
    return figure
