"""Pictures in the manner of the paper's Figs 5 to 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scenarios.library.loads import loaded_sides, staircase
from scenarios.records.record import RunRecord
from scenarios.report.metrics.balance import pelvis_pitch_deg
from scenarios.report.metrics.pickup import reference_tip_m, washing_window
from scenarios.report.metrics.power import PowerModel
from scenarios.report.plots import (
    BLACK,
    BLUE,
    ORANGE,
    RED,
    SKY,
    STYLES,
    balance,
    main_run,
    new_figure,
)
from scenarios.report.stick_figure import StickFigure
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Records = Mapping[str, RunRecord]

POSES = 6
POSE_SPACING_M = 0.95


def experiment_figures(
    robot: Robot, records: Records
) -> dict[str, Callable[[], Figure]]:
    """Pictures of the scenario that was run, by file name.

    Args:
        robot: Robot of all runs.
        records: `unloaded`, `without_estimator`, `with_estimator`, those there are.
    """
    run = main_run(records)
    if run.settings.scenario == "balance":
        return {"fig5_posture": lambda: posture(robot, records)}
    if run.settings.scenario == "runtime_loading":
        return {
            "fig6_runtime_loading": lambda: runtime_loading(robot, run),
            "com_in_polygon": lambda: balance(records, robot),
        }
    if run.settings.scenario == "squat_pickup":
        replay = records.get("unloaded")
        return {
            "fig7_squat": lambda: squat(run),
            "fig8_paths": lambda: pickup_paths(robot, run, replay),
            "squat_posture": lambda: posture(robot, {"with_estimator": run}),
        }
    return {}


def posture(robot: Robot, records: Records) -> Figure:
    """Side views over time, one row a run, as in Fig. 5."""
    names = [n for n in ("without_estimator", "with_estimator") if n in records]
    figure = new_figure(12.0, 3.4 * len(names) + 0.4)
    axes = figure.subplots(len(names), 1, squeeze=False)[:, 0]
    stick = StickFigure(robot)
    for axis, name in zip(axes, names, strict=True):
        record = records[name]
        _draw_poses(axis, stick, record)
        fell = f", fell at {record.time_s[-1]:.1f} s" if record.fell else ""
        axis.set_title(f"{STYLES[name]['label']}{fell}")
    return figure


def _draw_poses(axis: Axes, stick: StickFigure, record: RunRecord) -> None:
    start_s = max(record.settings.at_s - 1.0, 0.0)
    times = np.linspace(start_s, record.time_s[-1], POSES)
    for index, time_s in enumerate(times):
        tick = min(np.searchsorted(record.time_s, time_s), len(record.time_s) - 1)
        shift = POSE_SPACING_M * index
        loads = record.payload_kg[tick]
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


def runtime_loading(robot: Robot, record: RunRecord) -> Figure:
    """Estimated mass over the staircase, height of the tip and power, as in Fig. 6."""
    side = loaded_sides(record.settings)[0]
    link, time = record.links[side], record.time_s
    figure = new_figure(9.0, 8.0)
    mass, height, power = figure.subplots(3, 1, sharex=True)
    mass.plot(time, link.truth[:, 0], "--", color=BLACK, label="truth")
    mass.plot(time, link.estimate[:, 0], color=BLUE, label="estimate")
    idle = record.links["left" if side == "right" else "right"]
    mass.plot(time, idle.estimate[:, 0], ":", color=ORANGE, label="other forearm")
    mass.set_ylabel(f"{side} forearm [kg]")
    mass.legend(loc="upper left", fontsize=8)
    height.plot(time, 1e3 * record.tips[side].world_m[:, 2], color=BLUE)
    height.set_ylabel("height of the tip [mm]")
    watts = PowerModel().power_W(record, robot)
    power.plot(time, watts, color=SKY, linewidth=0.6)
    power.plot(time, _smooth(watts, 50), color=BLUE)
    power.set_ylim(0.0, max(1.3 * float(np.percentile(watts, 99)), 1.0))
    power.set_ylabel("joint power, model [W]")
    power.set_xlabel("time [s]")
    for axis in (mass, height, power):
        for event in staircase(record.settings):
            axis.axvline(event.time_s, color="0.6", linewidth=0.8, linestyle="-.")
    figure.suptitle("Plates mounted at runtime")
    return figure


def squat(record: RunRecord) -> Figure:
    """Height, pitch and estimated mass over the pick-up, as in Fig. 7."""
    side, time = loaded_sides(record.settings)[0], record.time_s
    figure = new_figure(9.0, 8.0)
    height, pitch, mass = figure.subplots(3, 1, sharex=True)
    height.plot(time, record.com_ref_m[:, 2], "--", color=BLACK, label="reference")
    height.plot(time, record.com_m[:, 2], color=BLUE, label="CoM, load included")
    height.set_ylabel("CoM height [m]")
    height.legend(loc="lower right", fontsize=8)
    if record.pelvis_pitch_ref_rad is not None:
        asked = np.rad2deg(record.pelvis_pitch_ref_rad)
        pitch.plot(time, asked, "--", color=BLACK)
    pitch.plot(time, pelvis_pitch_deg(record.q), color=BLUE)
    pitch.set_ylabel("pelvis pitch [deg]")
    link = record.links[side]
    mass.plot(time, link.truth[:, 0], "--", color=BLACK, label="truth")
    mass.plot(time, link.estimate[:, 0], color=BLUE, label="estimate")
    mass.set_ylabel(f"{side} forearm [kg]")
    mass.set_xlabel("time [s]")
    for axis in (height, pitch, mass):
        axis.axvline(record.settings.at_s, color="0.6", linewidth=0.8, linestyle="-.")
    figure.suptitle("Squat, pick-up, washing")
    return figure


def pickup_paths(robot: Robot, record: RunRecord, replay: RunRecord | None) -> Figure:
    """Washing path of the loaded tip with its reference, as in Fig. 8."""
    side = loaded_sides(record.settings)[0]
    runs = [(record, BLUE, "-", f"loaded, {record.settings.payload_kg:.1f} kg")]
    if replay is not None:
        runs.append((replay, RED, "--", "unloaded replay"))
    figure = new_figure(10.0, 5.5)
    grid = figure.add_gridspec(2, 2)
    path = figure.add_subplot(grid[:, 0])
    errors = [figure.add_subplot(grid[row, 1]) for row in range(2)]
    for run, color, style, label in runs:
        window = washing_window(run)
        reference = reference_tip_m(run, robot, side)
        tip = run.tips[side].world_m
        if run is record:
            chosen = reference[window]
            path.plot(chosen[:, 1], chosen[:, 2], ":", color=BLACK, label="reference")
        path.plot(tip[window, 1], tip[window, 2], style, color=color, label=label)
        for axis, column in zip(errors, (1, 2), strict=True):
            off = 1e3 * (tip - reference)[window, column]
            axis.plot(run.time_s[window], off, style, color=color, label=label)
    _finish_paths(path, errors, side)
    return figure


def _finish_paths(path: Axes, errors: Sequence[Axes], side: str) -> None:
    path.set_aspect("equal", adjustable="datalim")
    path.invert_xaxis()
    path.set_xlabel("y [m]")
    path.set_ylabel("z [m]")
    path.set_title(f"{side} forearm tip while washing, seen from behind")
    path.legend(loc="best", fontsize=8)
    for axis, name in zip(errors, "yz", strict=True):
        axis.axhline(0.0, color="0.6", linewidth=0.8)
        axis.set_ylabel(f"{name} from the reference [mm]")
    errors[-1].set_xlabel("time [s]")


def _smooth(values: Array, ticks: int) -> Array:
    kernel = np.ones(min(ticks, len(values))) / min(ticks, len(values))
    return np.convolve(values, kernel, mode="same")
