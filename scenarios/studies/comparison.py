"""One scenario unloaded, without and with the estimator, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from scenarios.library.catalogue import find_scenario
from scenarios.library.run_settings import PAPER_ROBOT
from scenarios.library.scenario import unloaded
from scenarios.records.record import RunRecord
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.metrics.run import measure
from scenarios.report.metrics.windows import ratio
from scenarios.report.paper import Goal, PaperFigures, PublishedComparison
from scenarios.run.settings import (
    DEFAULT_ESTIMATOR,
    NO_ESTIMATOR,
    PriorName,
    RunSettings,
)
from wbmpc.robot import Robot

PRIOR_REGIMES: tuple[PriorName, ...] = ("none", "inertia_only", "all")
PUBLISHED = "ekf_published"
VARIANTS = {
    "none": NO_ESTIMATOR,
    "published": PUBLISHED,
    "plain": "ekf",
    "supervised": DEFAULT_ESTIMATOR,
    "supervised_unplaced": "ekf_supervised_unplaced",
}
"""Estimators of `--estimators`: without one, the published filter with Table III as
printed, the same with our variances, and under its supervisor, which knows or does not
know where a load is held."""
_PRIOR, _VARIANT, _TABLE_V = "prior_", "estimator_", "table_v_"


class GoalResult(msgspec.Struct, frozen=True, kw_only=True):
    """One figure against its goal; `met` is None where there is no value."""

    value: float | None
    goal: str
    met: bool | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Runs without and with the estimator side by side, beside the paper.

    Attributes:
        scenario: Name of the scenario.
        arm: Loaded side whose figures are compared.
        with_estimator: Numbers of the run with estimator.
        without_estimator: Numbers of the run without.
        unloaded: Numbers of the run that tip errors are measured against.
        ratio_x: RMSE without over RMSE with, settled window, world.
        ratio_y: The same for y.
        ratio_z: The same for z.
        goals: Figures against their goals, where the scenario has goals.
        paper: Published figures, where there are any.
        priors: Runs of the other prior regimes by name (Table V).
        estimators: Runs of every variant of the filter by the names of `VARIANTS`.
        table_v: Runs of the published filter by prior regime.
    """

    scenario: str
    arm: str
    with_estimator: RunMetrics
    without_estimator: RunMetrics
    unloaded: RunMetrics
    ratio_x: float | None
    ratio_y: float | None
    ratio_z: float | None
    goals: dict[str, GoalResult]
    paper: PaperFigures | None
    priors: dict[str, RunMetrics]
    estimators: dict[str, RunMetrics] = {}
    table_v: dict[str, RunMetrics] = {}


@dataclass(frozen=True, kw_only=True)
class ComparisonRuns:
    """Records behind a comparison."""

    unloaded: RunRecord
    without_estimator: RunRecord
    with_estimator: RunRecord
    priors: Mapping[str, RunRecord] = field(default_factory=dict)
    estimators: Mapping[str, RunRecord] = field(default_factory=dict)
    table_v: Mapping[str, RunRecord] = field(default_factory=dict)


def plan_runs(
    settings: RunSettings, *, priors: bool, estimators: bool = False
) -> dict[str, RunSettings]:
    """Settings of every run a comparison needs, by name, from those with estimator.

    Prior regimes other than the asked one are named `prior_REGIME`, variants of the
    filter `estimator_NAME`, regimes of the published filter `table_v_REGIME`.
    """
    replace = msgspec.structs.replace
    runs = {
        "unloaded": unloaded(settings),
        "without_estimator": replace(settings, estimator=NO_ESTIMATOR),
        "with_estimator": settings,
    }
    if priors:
        for regime in PRIOR_REGIMES:
            if regime != settings.prior:
                runs[f"{_PRIOR}{regime}"] = replace(settings, prior=regime)
    if estimators:
        for name, estimator in VARIANTS.items():
            runs[f"{_VARIANT}{name}"] = replace(settings, estimator=estimator)
        for regime in PRIOR_REGIMES:
            runs[f"{_TABLE_V}{regime}"] = replace(
                settings, estimator=PUBLISHED, prior=regime
            )
    return runs


def gather(records: Mapping[str, RunRecord]) -> ComparisonRuns:
    """Sort records named as in `plan_runs`."""
    return ComparisonRuns(
        unloaded=records["unloaded"],
        without_estimator=records["without_estimator"],
        with_estimator=records["with_estimator"],
        priors=_named(records, _PRIOR),
        estimators=_named(records, _VARIANT),
        table_v=_named(records, _TABLE_V),
    )


def _named(records: Mapping[str, RunRecord], prefix: str) -> dict[str, RunRecord]:
    """Those whose name begins so, by the rest of it."""
    return {
        name.removeprefix(prefix): record
        for name, record in records.items()
        if name.startswith(prefix)
    }


def compare(runs: ComparisonRuns, robot: Robot) -> Comparison:
    """Measure all runs against the unloaded one."""
    settings = runs.with_estimator.settings
    arm = loaded_arm(settings)
    with_it = measure(runs.with_estimator, robot, runs.unloaded)
    without = measure(runs.without_estimator, robot, runs.unloaded)
    ratios = {
        f"ratio_{axis}": ratio(
            getattr(without.tip[arm], f"rmse_{axis}_mm"),
            getattr(with_it.tip[arm], f"rmse_{axis}_mm"),
        )
        for axis in "xyz"
    }
    published = published_comparison(settings)

    def measured(records: Mapping[str, RunRecord]) -> dict[str, RunMetrics]:
        return {n: measure(r, robot, runs.unloaded) for n, r in records.items()}

    others = measured(runs.priors)
    return Comparison(
        scenario=settings.scenario,
        arm=arm,
        with_estimator=with_it,
        without_estimator=without,
        unloaded=measure(runs.unloaded, robot),
        goals=_judge(published.goals, with_it, arm, ratios) if published else {},
        paper=published.paper if published else None,
        priors=({settings.prior: with_it} | others) if others else {},
        estimators=measured(runs.estimators),
        table_v=measured(runs.table_v),
        **ratios,
    )


def loaded_arm(settings: RunSettings) -> str:
    """Side whose figures are reported: the loaded one, left if both are."""
    return "left" if settings.arm == "both" else settings.arm


def published_comparison(settings: RunSettings) -> PublishedComparison | None:
    """The paper's figures and our goals, if they are about such a run."""
    scenario = find_scenario(settings.scenario)
    papers_load = settings.payload_kg == scenario.defaults.payload_kg
    if settings.robot != PAPER_ROBOT or not papers_load:
        return None
    return scenario.published


def loaded_link(metrics: RunMetrics, arm: str) -> str | None:
    """Name of the estimated link of an arm."""
    return next((name for name, m in metrics.links.items() if m.side == arm), None)


def _judge(
    goals: Mapping[str, Goal],
    metrics: RunMetrics,
    arm: str,
    ratios: Mapping[str, float | None],
) -> dict[str, GoalResult]:
    """Ratios, figures of the tip and figures of the link, by name, against goals."""
    name = loaded_link(metrics, arm)
    values = {**ratios, **msgspec.structs.asdict(metrics.tip[arm])}
    if name is not None:
        values |= msgspec.structs.asdict(metrics.links[name])
    return {
        key: GoalResult(
            value=values.get(key), goal=str(goal), met=goal.met(values.get(key))
        )
        for key, goal in goals.items()
    }
