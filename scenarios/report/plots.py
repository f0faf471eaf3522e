"""Pictures that every run has, of one run or of several side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scenarios.records.record import SIDES, LinkSeries, RunRecord
from scenarios.report.figure_style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    STYLES,
    compared_runs,
    fell_note,
    legend_outside,
    main_run,
    mark_time,
    new_figure,
    run_note,
    settled_range,
)
from scenarios.report.metrics.support import Stance
from scenarios.report.metrics.tips import tip_error_m
from scenarios.report.metrics.windows import Windows
from scenarios.report.plots_payload import has_report, payload_report
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scenarios.report.figure_style import Records

TERM_COLORS = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK)
COST_DECADES = 1e-8
"""Smallest cost drawn, relative to the largest."""
TERM_LINES = ("-", "--", ":")
"""Colours times lines tell more terms apart than Table I has."""


def run_figures(robot: Robot, records: Records) -> dict[str, Callable[[], Figure]]:
    """Pictures of runs by name, each drawn when asked for.

    Args:
        robot: Robot of all runs.
        records: Runs by name: `unloaded`, `without_estimator`, `with_estimator` and
            `prior_REGIME`; at least one of the second and third. Single-run pictures
            show the one with estimator if there is one.
    """
    shown = {k: records[k] for k in STYLES if k in records}
    figures: dict[str, Callable[[], Figure]] = {
        "tip_paths": lambda: tip_paths(shown),
        "tip_errors": lambda: tip_errors(shown),
        "estimate": lambda: estimates(shown),
        "balance": lambda: support_polygon(shown, robot),
        "foot_forces": lambda: foot_forces(main_run(shown)),
        "cost_by_term": lambda: cost_by_term(main_run(shown)),
        "timing": lambda: timing(main_run(shown)),
    }
    if has_report(main_run(shown)):
        figures["payload"] = lambda: payload_report(
            main_run(shown), new_figure(9.0, 10.0)
        )
    return figures


def tip_paths(records: Records) -> Figure:
    """Both tips in the y-z plane from loading on, as in Fig. 3."""
    figure = new_figure(10.0, 5.2)
    axes = figure.subplots(1, 2, sharey=True)
    for axis, side in zip(axes, SIDES, strict=True):
        for name, record in compared_runs(records):
            window = Windows.of(record).whole
            path = record.tips[side].world_m[window]
            axis.plot(path[:, 1], path[:, 2], linewidth=1.4, **STYLES[name])
        axis.set_title(f"{side} forearm tip{_load_note(main_run(records), side)}")
        axis.set_xlabel("y [m]")
    _frame_paths(axes, records)
    axes[0].set_ylabel("z [m]")
    legend_outside(axes[1])
    figure.suptitle("Forearm tips from loading on, seen from behind")
    return figure


def _frame_paths(axes: Sequence[Axes], records: Records) -> None:
    """Equal scales, and room for every curve; left is left, as seen from behind."""
    paths = [
        [r.tips[side].world_m[Windows.of(r).whole] for _, r in compared_runs(records)]
        for side in SIDES
    ]
    lows = [np.nanmin(np.concatenate(path), axis=0) for path in paths]
    highs = [np.nanmax(np.concatenate(path), axis=0) for path in paths]
    bottom, top = min(low[2] for low in lows), max(high[2] for high in highs)
    width = max(high[1] - low[1] for low, high in zip(lows, highs, strict=True))
    half = 0.54 * max(width, top - bottom, 1e-3)
    for axis, low, high in zip(axes, lows, highs, strict=True):
        middle = 0.5 * (low[1] + high[1])
        axis.set_xlim(middle + half, middle - half)
        axis.set_ylim(0.5 * (bottom + top) - half, 0.5 * (bottom + top) + half)
        axis.set_aspect("equal", adjustable="box")


def tip_errors(records: Records) -> Figure:
    """Deviation of the loaded tip from its unloaded path over time."""
    figure = new_figure(9.0, 6.5)
    axes = figure.subplots(3, 1, sharex=True)
    side = _loaded_side(main_run(records))
    twin = records.get("unloaded")
    for name, record in compared_runs(records):
        if record is twin or twin is None:
            continue
        error_mm = 1e3 * tip_error_m(record, twin, side)
        for row, axis in enumerate(axes):
            axis.plot(record.time_s, error_mm[:, row], **STYLES[name])
    if twin is None:
        axes[0].set_title("no unloaded run to compare with")
    for label, axis in zip("xyz", axes, strict=True):
        axis.set_ylabel(f"{label} error [mm]")
        _mark_load(axis, main_run(records))
    axes[-1].set_xlabel("time [s]")
    legend_outside(axes[0])
    figure.suptitle(f"Deviation of the {side} forearm tip from its unloaded path")
    return figure


def estimates(records: Records) -> Figure:
    """Mass and t3 of both links with truth and two sigma, as in Fig. 4."""
    record = main_run(records)
    figure = new_figure(10.0, 6.5)
    axes = figure.subplots(2, 2, sharex=True)
    for column, side in zip(axes.T, SIDES, strict=True):
        series = record.links.get(side)
        if series is None:
            continue
        _draw_mass(column[0], record, series)
        _draw_t3(column[1], record, series)
        column[0].set_title(f"{side} forearm{_load_note(record, side)}")
        column[1].set_xlabel("time [s]")
        for axis in column:
            _mark_load(axis, record)
    axes[0, 0].set_ylabel("mass [kg]")
    axes[1, 0].set_ylabel("t3, shift of the com [m]")
    legend_outside(axes[0, 1])
    on = record.settings.has_estimator
    title = "Estimated inertia" if on else "Nominal inertia"
    figure.suptitle(f"{title}\n{run_note(record)}")
    return figure


def support_polygon(records: Records, robot: Robot) -> Figure:
    """Centre of mass and of pressure over the support polygon, from above."""
    stance = Stance(robot)
    runs = [(n, r) for n, r in compared_runs(records) if n != "unloaded"]
    figure = new_figure(4.8 * len(runs) + 1.6, 4.4)
    axes = figure.subplots(1, len(runs), squeeze=False, sharex=True, sharey=True)[0]
    for axis, (name, record) in zip(axes, runs, strict=True):
        for sole in stance.soles_m:
            axis.fill(sole[:, 1], sole[:, 0], color="0.85")
        outline = np.vstack([stance.polygon_m, stance.polygon_m[:1]])
        axis.plot(outline[:, 1], outline[:, 0], color="0.45", label="support polygon")
        cop, com = stance.cop_m(record), record.com_m
        axis.plot(cop[:, 1], cop[:, 0], ".", color=ORANGE, markersize=2.5, label="CoP")
        axis.plot(com[:, 1], com[:, 0], color=BLUE, linewidth=1.6, label="CoM")
        axis.plot(*com[-1, [1, 0]], "o", color=BLUE, markersize=6, label="CoM, end")
        axis.set_title(f"{STYLES[name]['label']}{fell_note(record)}")
        axis.set_xlabel("y [m], left is left")
        axis.set_aspect("equal")
        _frame_stance(axis, stance)
    axes[0].set_ylabel("x [m], forward is up")
    legend_outside(axes[-1])
    figure.suptitle("Balance in the mid-foot frame")
    return figure


def foot_forces(record: RunRecord) -> Figure:
    """Vertical force of each foot, true and as estimated from leg torques."""
    figure = new_figure(9.0, 4.5)
    axis = figure.subplots()
    for foot, (side, color) in enumerate(zip(SIDES, (BLUE, RED), strict=True)):
        true = record.wrench_true[:, foot, 2]
        axis.plot(record.time_s, true, color=color, label=f"{side}, true")
        if record.settings.has_estimator:
            estimated = record.wrench_estimated[:, foot, 2]
            label = f"{side}, estimated"
            axis.plot(record.time_s, estimated, ":", color=color, label=label)
    _mark_load(axis, record)
    shown = [record.wrench_true[:, :, 2]]
    if record.settings.has_estimator:
        shown.append(record.wrench_estimated[:, :, 2])
    low, high = settled_range(np.hstack(shown), record.time_s)
    room = 0.1 * max(high - low, 1.0)
    axis.set_ylim(low - room, high + room)
    axis.set_xlabel("time [s]")
    axis.set_ylabel("vertical force [N]")
    legend_outside(axis)
    figure.suptitle(f"Ground on the feet\n{run_note(record)}")
    return figure


def cost_by_term(record: RunRecord) -> Figure:
    """Weighted cost of each row of Table I over time."""
    figure = new_figure(10.0, 5.2)
    axis = figure.subplots()
    for index, (term, cost) in enumerate(record.cost_by_term.items()):
        positive = np.where(cost > 0.0, cost, np.nan)
        line = TERM_LINES[index // len(TERM_COLORS) % len(TERM_LINES)]
        color = TERM_COLORS[index % len(TERM_COLORS)]
        label = term.replace("_", " ")
        axis.plot(record.cost_time_s, positive, line, color=color, label=label)
    if record.cost_by_term:
        axis.set_yscale("log")
        top = max(float(cost.max()) for cost in record.cost_by_term.values())
        axis.set_ylim(top * COST_DECADES, top * 3.0)
    axis.set_xlabel("time [s]")
    axis.set_ylabel("weighted cost over the horizon")
    _mark_load(axis, record)
    legend_outside(axis)
    figure.suptitle(f"Cost by term\n{run_note(record)}")
    return figure


def timing(record: RunRecord) -> Figure:
    """Distribution of the duration of each stage."""
    stages = {k: v[np.isfinite(v)] for k, v in record.timing_ms.items()}
    stages = {k: v for k, v in stages.items() if len(v)}
    figure = new_figure(9.0, 1.2 + 1.8 * max(len(stages), 1))
    axes = figure.subplots(max(len(stages), 1), 1, squeeze=False)[:, 0]
    for axis, (stage, durations) in zip(axes, stages.items(), strict=False):
        p50, p99 = np.percentile(durations, (50, 99))
        end = max(1.15 * p99, 1e-3)
        axis.hist(np.clip(durations, 0.0, end), bins=60, range=(0.0, end), color=SKY)
        axis.axvline(p50, color=BLUE, label=f"p50 {p50:.2f} ms")
        axis.axvline(p99, color=RED, linestyle="--", label=f"p99 {p99:.2f} ms")
        axis.set_ylabel("ticks")
        axis.set_title(f"{stage}, largest {durations.max():.2f} ms", fontsize=10)
        legend_outside(axis)
    axes[-1].set_xlabel("duration [ms]; slower ticks are in the last bin")
    figure.suptitle(f"Duration of each stage\n{run_note(record)}")
    return figure


def _draw_mass(axis: Axes, record: RunRecord, series: LinkSeries) -> None:
    time, mass = record.time_s, series.estimate[:, 0]
    axis.plot(time, series.truth[:, 0], "--", color=BLACK, label="truth")
    if record.settings.has_estimator:
        band = 2.0 * series.sigma_mass_kg
        axis.fill_between(
            time,
            np.maximum(mass - band, 0.0),
            mass + band,
            color=SKY,
            alpha=0.3,
            label="+- 2 sigma",
        )
        published = series.published[:, 0]
        axis.plot(
            time, published, color=ORANGE, linewidth=3.5, label="as given to the MPC"
        )
        axis.plot(time, mass, color=BLUE, label="estimate")
        top = settled_range(mass + band, time)[1]
        axis.set_ylim(0.0, 1.08 * max(top, float(np.nanmax(mass))))


def _draw_t3(axis: Axes, record: RunRecord, series: LinkSeries) -> None:
    nominal = series.nominal[3] / series.nominal[0]
    true = series.truth[:, 3] / series.truth[:, 0] - nominal
    axis.plot(record.time_s, true, "--", color=BLACK, label="truth")
    if record.settings.has_estimator and np.isfinite(series.theta).all():
        axis.plot(record.time_s, series.theta[:, 9], color=BLUE, label="estimate")


def _mark_load(axis: Axes, record: RunRecord) -> None:
    """Vertical lines where the load changes, with one entry of the legend."""
    settings = record.settings
    if settings.payload_kg == 0.0:
        return
    mark_time(axis, settings.at_s, "load changes")
    if settings.remove_at_s is not None:
        mark_time(axis, settings.remove_at_s)


def _load_note(record: RunRecord, side: str) -> str:
    settings = record.settings
    loaded = settings.payload_kg > 0.0 and settings.arm in (side, "both")
    return f", {settings.payload_kg:g} kg" if loaded else ", unloaded"


def _loaded_side(record: RunRecord) -> str:
    return "right" if record.settings.arm == "right" else "left"


def _frame_stance(axis: Axes, stance: Stance) -> None:
    """Show the feet with some floor around them, however far a fall goes."""
    low, high = stance.polygon_m.min(axis=0), stance.polygon_m.max(axis=0)
    axis.set_xlim(high[1] + 0.06, low[1] - 0.06)
    axis.set_ylim(low[0] - 0.06, high[0] + 0.06)
