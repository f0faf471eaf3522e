"""Everything that a run leaves in its folder."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scenarios.records.record import RunRecord
from scenarios.records.run_folder import RunFolder
from scenarios.records.versions import installed_versions
from scenarios.report.evaluation import experiment_figures
from scenarios.report.figure_style import main_run
from scenarios.report.layouts.foxglove import foxglove_layout
from scenarios.report.layouts.plotjuggler import plotjuggler_layout
from scenarios.run.estimator_settings import supervisor_settings
from scenarios.run.settings import RunSettings
from wbmpc.robot import Robot


def run_key(settings: RunSettings) -> str:
    """Name of a run in plots and files."""
    return "with_estimator" if settings.has_estimator else "without_estimator"


def write_run_files(
    folder: RunFolder,
    *,
    robot: Robot,
    result: msgspec.Struct,
    text: str,
    records: Mapping[str, RunRecord],
    pictures: bool = True,
) -> None:
    """Numbers, table, settings, versions, logs, animation and pictures.

    Args:
        folder: Where to.
        robot: Of all runs.
        result: Numbers of the run or comparison.
        text: The same as a table.
        records: Runs by name; with or without estimator at least, the first of which
            is shown.
        pictures: Whether to draw any.
    """
    from scenarios.records.mcap_log import write_log
    from scenarios.report.replay_page import write_animation

    shown = main_run(records)
    other = records.get("without_estimator") if shown.settings.has_estimator else None
    folder.write_json("metrics.json", result)
    folder.write_text("table.txt", text + "\n")
    settings = {
        "run": shown.settings,
        "robot": robot.settings,
        "supervisor": supervisor_settings(robot),
    }
    folder.write_json("settings.json", settings)
    folder.write_json("versions.json", installed_versions())
    for key, record in records.items():
        name = "log.mcap" if record is shown else f"log-{key}.mcap"
        folder.write(name, lambda p, r=record: write_log(p, r))  # type: ignore[misc]
    folder.write("replay.html", lambda p: write_animation(p, robot, shown, other))
    folder.write_text("layouts/foxglove.json", foxglove_layout())
    folder.write_text("layouts/plotjuggler.xml", plotjuggler_layout())
    if pictures:
        _draw(folder, robot, records)


def _draw(folder: RunFolder, robot: Robot, records: Mapping[str, RunRecord]) -> None:
    """Pictures, if there is anything to draw them with."""
    try:
        from scenarios.report.plots import run_figures

        folder.draw(run_figures(robot, records))
        folder.draw(experiment_figures(robot, records))
    except ImportError as error:
        folder.leave_out("plots", error)
