"""How a run of each scenario is judged: its twin, its figures, its pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from scenarios.records.record import RunRecord
from scenarios.report.lines import Experiment, experiment_lines
from scenarios.report.metrics.balance import balance_metrics
from scenarios.report.metrics.loading import loading_metrics
from scenarios.report.metrics.pickup import pickup_metrics
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.metrics.run import measure, unloaded
from scenarios.report.scoreboard import lines_table, verdict
from scenarios.report.tables import run_table
from scenarios.run.settings import RunSettings
from wbmpc.robot import Robot

if TYPE_CHECKING:
    pass

Records = Mapping[str, RunRecord]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What belongs to one scenario.

    Attributes:
        twin: Settings of the unloaded run a loaded one is compared with; None for none.
        measure: Figures beyond those of every run.
    """

    twin: Callable[[RunSettings], RunSettings | None] = unloaded
    measure: Callable[[RunRecord, Robot, RunRecord | None], Experiment] | None = None


def unloaded_replay(settings: RunSettings) -> RunSettings:
    """The same recorded references without load, everything else alike."""
    return msgspec.structs.replace(settings, payload_kg=0.0, faults=())


def no_twin(settings: RunSettings) -> None:
    """Nothing is compared."""
    del settings


_EVALUATIONS = {
    "balance": Evaluation(twin=no_twin, measure=balance_metrics),
    "runtime_loading": Evaluation(twin=no_twin, measure=loading_metrics),
    "squat_pickup": Evaluation(twin=unloaded_replay, measure=pickup_metrics),
}
_PLAIN = Evaluation()


def twin_of(settings: RunSettings) -> RunSettings | None:
    """The run a loaded one is compared with, if there is one."""
    if settings.payload_kg == 0.0:
        return None
    return _of(settings).twin(settings)


def evaluate(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> RunMetrics:
    """Every number of a run, the scenario's own ones included.

    Args:
        record: The run.
        robot: The robot it was run with.
        twin: The run of `twin_of`.
    """
    metrics = measure(record, robot, twin)
    special = _of(record.settings).measure
    if special is None:
        return metrics
    experiment = special(record, robot, twin)
    return msgspec.structs.replace(metrics, experiment=experiment)


def evaluation_text(metrics: RunMetrics) -> str:
    """Everything worth reading about one run."""
    experiment = metrics.experiment
    if experiment is None:
        return run_table(metrics)
    lines = experiment_lines(experiment)
    title = f"{metrics.scenario}, {metrics.plant} plant"
    parts = [run_table(metrics), lines_table(title, lines), verdict(lines)]
    return "\n\n".join(parts)


def _of(settings: RunSettings) -> Evaluation:
    return _EVALUATIONS.get(settings.scenario, _PLAIN)
