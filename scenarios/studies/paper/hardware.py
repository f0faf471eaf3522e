"""The hardware tests on a simulated twin: runtime loading and pick-up."""

from __future__ import annotations

from scenarios.library.runtime_loading import COM_M, LoadingMetrics
from scenarios.library.scenario import unloaded_replay
from scenarios.records.record import RunRecord
from scenarios.report.evaluation import evaluate as evaluate_run
from scenarios.report.evaluation import experiment_figures, experiment_lines
from scenarios.report.metrics.base_error import base_error
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.scoreboard import Line
from scenarios.report.tables import number, render
from scenarios.run.lab import Lab
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from wbmpc.robot import Robot

ABOUT_LOADING = (
    "Section IV-B1, Fig. 6, Table VI. Arms forward; plates of 7.5 lb and four times "
    "2.5 lb go onto the right forearm, then all come off. Hardware twin, base state "
    "estimated. Recovery is relative to the pre-load estimate. Power is a model of "
    "joints and motors; the paper's includes computers and electronics."
)
ABOUT_PICKUP = (
    "Section IV-B2, Figs 7 and 8, Table VII. Squat and pitch through the quantities of "
    "Table II, 10 lb on the right forearm, stand up, wash; then the same references "
    "replayed unloaded. Hardware twin, base state estimated. Tip errors are from where "
    "the tip would be with spine and arms at their references."
)
TARE_S = 2.0


def loading(scope: Scope) -> Experiment:
    """The staircase on a twin, plain and tared, and on the clean plant."""
    runs = {
        "with_estimator": scope.settings("runtime_loading", plant="hardware_twin"),
        "tared": scope.settings(
            "runtime_loading", plant="hardware_twin", tare_s=TARE_S
        ),
        "clean plant": scope.settings("runtime_loading"),
    }

    def evaluate(lab: Lab, robot: Robot) -> Report:
        records = lab.runs(runs)
        metrics = {name: evaluate_run(r, robot) for name, r in records.items()}
        shown = {"with_estimator": records["with_estimator"]}
        lines = {name: experiment_lines(m) for name, m in metrics.items()}
        lines = {"plain": lines.pop("with_estimator"), **lines}
        return Report(
            lines=lines["plain"],
            tables={
                "Plain, tared, and on the clean plant": beside_table(lines),
                "Staircase": steps_table(metrics),
                "Table VI: centre of mass in the mid-foot frame": com_table(
                    _experiment(metrics["with_estimator"])
                ),
                "Estimated base against the simulator": base_table(records),
            },
            data=metrics,
            figures=experiment_figures(robot, shown),
            fallen=tuple(name for name, m in metrics.items() if m.fell),
        )

    return Experiment(
        key="runtime_loading",
        title="Plates mounted at runtime",
        about=ABOUT_LOADING,
        runs=runs,
        evaluate=evaluate,
    )


def pickup(scope: Scope) -> Experiment:
    """Loaded and replayed unloaded on a twin, and loaded on the clean plant."""
    settings = scope.settings("squat_pickup", plant="hardware_twin")
    clean = scope.settings("squat_pickup")
    runs = {
        "with_estimator": settings,
        "unloaded": unloaded_replay(settings),
        "clean plant": clean,
        "clean unloaded": unloaded_replay(clean),
    }

    def evaluate(lab: Lab, robot: Robot) -> Report:
        records = lab.runs(runs)
        metrics = evaluate_run(records["with_estimator"], robot, records["unloaded"])
        ideal = evaluate_run(records["clean plant"], robot, records["clean unloaded"])
        shown = {name: records[name] for name in ("with_estimator", "unloaded")}
        lines = {"twin": experiment_lines(metrics), "clean": experiment_lines(ideal)}
        return Report(
            lines=lines["twin"],
            tables={
                "Twin beside clean plant": beside_table(lines),
                "Estimated base against the simulator": base_table(records),
            },
            data={"with_estimator": metrics, "clean plant": ideal},
            figures=experiment_figures(robot, shown),
            fallen=tuple(name for name, r in records.items() if r.fell),
        )

    return Experiment(
        key="squat_pickup",
        title="Squat, pick-up and washing",
        about=ABOUT_PICKUP,
        runs=runs,
        evaluate=evaluate,
    )


def steps_table(metrics: dict[str, RunMetrics]) -> str:
    """Recovered share, sag and power of every tread, by run."""
    header = ("run", "load kg", "recovered %", "sag mm", "power W", "other arm kg")
    rows = []
    for name, run in metrics.items():
        result = _experiment(run)
        bias = f"{name}, bias {number(result.bias_kg, 2)} kg"
        for step in result.steps:
            rows.append(
                [
                    bias,
                    number(step.load_kg, 2),
                    number(step.recovered_pct),
                    number(step.sag_mm),
                    number(step.power_W, 0),
                    number(step.other_arm_kg, 2),
                ]
            )
    return render(header, rows)


def com_table(metrics: LoadingMetrics) -> str:
    """Table VI beside the paper's."""
    rows = []
    for axis, com in metrics.com.items():
        mean, low, high, spread = COM_M[axis]
        ours = (com.mean_m, com.min_m, com.max_m)
        rows.append([axis, *(number(v, 3) for v in ours), number(com.spread_mm, 0)])
        paper = (number(v, 3) for v in (mean, low, high))
        rows.append([f"{axis}, paper", *paper, number(spread, 0)])
    return render(("axis", "mean m", "min m", "max m", "spread mm"), rows)


def base_table(records: dict[str, RunRecord]) -> str:
    """RMS error of the estimated base."""
    rows = []
    for name, record in records.items():
        error = base_error(record)
        if error is not None:
            position = (error.position_rms_mm[a] for a in "xyz")
            angle = (error.orientation_rms_deg[a] for a in "xyz")
            cells = [number(v, 2) for v in position] + [number(v, 3) for v in angle]
            rows.append([name, *cells])
    header = ("RMS", "x mm", "y mm", "z mm", "roll deg", "pitch deg", "yaw deg")
    return render(header, rows)


def beside_table(runs: dict[str, list[Line]]) -> str:
    """The same figures of several runs, those of the first one."""
    values = {name: {x.key: x.value for x in lines} for name, lines in runs.items()}
    rows = [
        [line.label, *(number(v.get(line.key), line.decimals) for v in values.values())]
        for line in next(iter(runs.values()))
    ]
    return render(("figure", *runs), rows)


def _experiment(metrics: RunMetrics) -> LoadingMetrics:
    assert isinstance(metrics.experiment, LoadingMetrics)
    return metrics.experiment
