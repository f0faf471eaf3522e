"""Side views of a run over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scenarios.records.record import RunRecord
from scenarios.report.figure_style import (
    BLUE,
    STYLES,
    compared_runs,
    fell_note,
    new_figure,
)
from scenarios.report.stick_figure import StickFigure
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scenarios.report.figure_style import Records

POSES = 6
POSE_SPACING_M = 0.95


def posture(robot: Robot, records: Records) -> Figure:
    """Side views over time, one row per run, as in Fig. 5 of arXiv:2610.22176.

    Args:
        robot: Robot of all runs.
        records: Runs `without_estimator` and `with_estimator`, those there are.
    """
    runs = [(n, r) for n, r in compared_runs(records) if n != "unloaded"]
    figure = new_figure(12.0, 3.4 * len(runs) + 0.4)
    axes = figure.subplots(len(runs), 1, squeeze=False)[:, 0]
    stick = StickFigure(robot)
    for axis, (name, record) in zip(axes, runs, strict=True):
        _draw_poses(axis, stick, record)
        axis.set_title(f"{STYLES[name]['label']}{fell_note(record)}")
    return figure


def _draw_poses(axis: Axes, stick: StickFigure, record: RunRecord) -> None:
    start_s = max(record.settings.at_s - 1.0, 0.0)
    times = np.linspace(start_s, record.time_s[-1], POSES)
    for index, time_s in enumerate(times):
        tick = min(np.searchsorted(record.time_s, time_s), len(record.time_s) - 1)
        shift = POSE_SPACING_M * index
        loads = record.drawn_loads_kg[tick]
        stick.draw(axis, record.q[tick], loads, offset_m=shift)
        com = record.com_m[tick, 0] + shift
        axis.plot([com, com], [0.0, record.com_m[tick, 2]], ":", color=BLUE)
        axis.plot(com, record.com_m[tick, 2], "o", color=BLUE, ms=6)
        axis.annotate(f"{time_s:.1f} s", (shift, -0.12), ha="center", fontsize=9)
    axis.axhline(0.0, color="0.6", linewidth=1.0)
    axis.set_aspect("equal")
    axis.set_ylim(-0.18, 1.65)
    axis.set_xlim(-0.5, POSE_SPACING_M * (len(times) - 1) + 0.8)
    axis.set_axis_off()
