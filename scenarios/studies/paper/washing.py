"""Window washing: Tables IV and V, Figs 3 and 4."""

from __future__ import annotations

from scenarios.library.window_washing import GOALS
from scenarios.report.paper import PRIOR_GOAL
from scenarios.report.scoreboard import Line
from scenarios.run.lab import Lab
from scenarios.studies.comparison import Comparison, compare, gather, plan_runs
from scenarios.studies.comparison_table import comparison_table
from scenarios.studies.paper.experiment import Experiment, Report, Scope
from wbmpc.robot import Robot

ABOUT = (
    "Section IV-A1, Tables IV and V, Figs 3 and 4. Both forearms wash; 5 kg appear on "
    "the left one at 3 s. Errors are from the unloaded path, from 2 s after loading. "
    "Clean plant, the simulator's state."
)


def washing(scope: Scope) -> Experiment:
    """Unloaded, without and with the estimator, all prior regimes."""
    settings = scope.settings("window_washing")
    runs = plan_runs(settings, priors=not scope.quick)

    def evaluate(lab: Lab, robot: Robot) -> Report:
        records = lab.runs(runs)
        result = compare(gather(records), robot)
        from scenarios.report import plots

        fallen = result.unloaded.fell or result.with_estimator.fell
        return Report(
            lines=_lines(result),
            tables={"Tables IV and V": comparison_table(result)},
            data=result,
            figures={
                "fig3_tip_paths": lambda: plots.tip_paths(records),
                "fig3_tip_errors": lambda: plots.tip_errors(records),
                "fig4_estimate": lambda: plots.estimates(records),
            },
            fallen=("window washing",) if fallen else (),
        )

    return Experiment(
        key="washing",
        title="Window washing",
        about=ABOUT,
        runs=runs,
        evaluate=evaluate,
    )


def _lines(result: Comparison) -> list[Line]:
    lines = [*_tracking(result), *_ratios(result), *_estimate(result)]
    regime = result.priors.get("inertia_only")
    if regime is not None:
        link = next(m for m in regime.links.values() if m.side == result.arm)
        for channel in ("d", "s"):
            lines.append(
                Line(
                    key=f"prior_{channel}",
                    label=f"{channel}, RMS, inertia-only prior",
                    value=getattr(link, channel),
                    decimals=6,
                    paper={"d": "0.00004", "s": "0.00001"}[channel],
                    goal=PRIOR_GOAL,
                )
            )
    return lines


def _tracking(result: Comparison) -> list[Line]:
    lines = []
    for axis in "yz":
        for word in ("without", "with"):
            name, key = f"{word}_estimator", f"rmse_{axis}_mm"
            metrics = getattr(result, name)
            published = getattr(result.paper, name) if result.paper else None
            lines.append(
                Line(
                    key=f"{name}_{key}",
                    label=f"{axis} RMSE {word} estimator",
                    value=getattr(metrics.tip[result.arm], key),
                    unit="mm",
                    paper=getattr(published, key) if published else None,
                    goal=GOALS[key] if word == "with" else None,
                )
            )
    return lines


def _ratios(result: Comparison) -> list[Line]:
    return [
        Line(
            key=f"ratio_{axis}",
            label=f"{axis}, without over with",
            value=getattr(result, f"ratio_{axis}"),
            paper=getattr(result.paper, f"ratio_{axis}") if result.paper else None,
            goal=GOALS.get(f"ratio_{axis}"),
        )
        for axis in "yz"
    ]


def _estimate(result: Comparison) -> list[Line]:
    links = result.with_estimator.links.values()
    link = next(m for m in links if m.side == result.arm)
    published: dict[str, float | str] = {
        "time_to_10pct_s": "within 2",
        "alpha_end": 1.10,
        "t3_end": -0.28,
    }
    labels = {
        "time_to_10pct_s": ("mass and com within 10 %", "s"),
        "alpha_end": ("alpha at the end", ""),
        "t3_end": ("t3 at the end", ""),
    }
    return [
        Line(
            key=key,
            label=label,
            value=getattr(link, key),
            unit=unit,
            decimals=3,
            paper=published[key],
            goal=GOALS[key],
        )
        for key, (label, unit) in labels.items()
    ]
