"""A run of any scenario in numbers, words and pictures: what all have, and its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from scenarios.library.catalogue import find_scenario
from scenarios.records.record import RunRecord
from scenarios.report.figure_style import main_run
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.metrics.run import measure
from scenarios.report.scoreboard import Line, lines_table, verdict
from scenarios.report.tables import run_table
from scenarios.run.settings import RunSettings
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def twin_of(settings: RunSettings) -> RunSettings | None:
    """The run a loaded one is compared with, if there is one."""
    twin = find_scenario(settings.scenario).twin
    return None if twin is None or settings.payload_kg == 0.0 else twin(settings)


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
    measures = find_scenario(record.settings.scenario).measures
    if measures is None:
        return metrics
    return msgspec.structs.replace(metrics, experiment=measures(record, robot, twin))


def experiment_lines(metrics: RunMetrics) -> list[Line]:
    """Table rows of the scenario's own figures; none if it has none."""
    if metrics.experiment is None:
        return []
    return list(find_scenario(metrics.scenario).lines(metrics.experiment))


def experiment_figures(
    robot: Robot, records: Mapping[str, RunRecord]
) -> dict[str, Callable[[], Figure]]:
    """The scenario's own pictures by file name.

    Args:
        robot: Robot of all runs.
        records: `unloaded`, `without_estimator`, `with_estimator`, those there are.
    """
    scenario = find_scenario(main_run(records).settings.scenario)
    return scenario.figures(robot, records)


def evaluation_text(metrics: RunMetrics) -> str:
    """Everything worth reading about one run."""
    if metrics.experiment is None:
        return run_table(metrics)
    lines = experiment_lines(metrics)
    title = f"{metrics.scenario}, {metrics.plant} plant"
    parts = [run_table(metrics), lines_table(title, lines)]
    if any(line.goal is not None for line in lines):
        parts.append(verdict(lines))
    return "\n\n".join(parts)
