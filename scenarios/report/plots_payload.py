"""The payload report of a run as a picture: how much, how sure, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ekf.supervisor.link_monitor import LinkState
from ekf.supervisor.observability import CHANNELS
from scenarios.records.record import SIDES, PayloadSeries, RunRecord
from scenarios.report.figure_style import legend_outside, run_note, settled_range
from scenarios.report.metrics.payload import Z95

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STATE_COLORS = {
    LinkState.NOMINAL: "#FFFFFF",
    LinkState.ACQUIRING: "#E69F00",
    LinkState.TRACKING: "#56B4E9",
    LinkState.FROZEN: "#999999",
    LinkState.LOST: "#D55E00",
}


def has_report(record: RunRecord) -> bool:
    """Whether a run has what is drawn here."""
    return record.supervision is not None


def payload_report(record: RunRecord, figure: Figure) -> Figure:
    """Fill an empty figure: payloads with their intervals, observability, the gate.

    Args:
        record: A run with estimator.
        figure: Empty.
    """
    axes = figure.subplots(4, 1, sharex=True, height_ratios=(3, 3, 2, 2))
    for axis, side in zip(axes, SIDES, strict=False):
        payload = record.links[side].payload
        assert payload is not None
        _draw_payload(axis, record, payload, side)
    loaded = max(
        SIDES, key=lambda side: float(record.drawn_loads_kg[:, _at(side)].max())
    )
    _draw_observability(axes[2], record, loaded)
    _draw_supervision(axes[3], record)
    axes[-1].set_xlabel("time [s]")
    title = "Payload report: mass, its 95 % interval, and what is believed"
    figure.suptitle(f"{title}\n{run_note(record)}")
    return figure


def _at(side: str) -> int:
    return SIDES.index(side)


def _draw_payload(
    axis: Axes, record: RunRecord, payload: PayloadSeries, side: str
) -> None:
    time, truth = record.time_s, record.payload_kg[:, _at(side)]
    half = Z95 * payload.sigma_mass_kg
    low, high = np.maximum(payload.mass_kg - half, 0.0), payload.mass_kg + half
    state = np.array(payload.state)
    largest = float(np.nanmax([*truth, *payload.mass_kg, 0.5]))
    top = max(1.15 * largest, min(1.1 * settled_range(high, time)[1], 3.0 * largest))
    for kind, color in STATE_COLORS.items():
        where = state == kind.value
        if where.any() and kind is not LinkState.NOMINAL:
            axis.fill_between(
                time, 0, top, where=where, color=color, alpha=0.15, label=kind.value
            )
    axis.fill_between(time, low, high, color="#0072B2", alpha=0.25, label="95 %")
    axis.plot(time, truth, "--", color="#000000", label="truth")
    axis.plot(time, payload.mass_kg, color="#0072B2", label="report")
    axis.plot(
        time, payload.smallest_kg, ":", color="#D55E00", label="smallest noticeable"
    )
    axis.set_ylim(0.0, top)
    axis.set_ylabel(f"{side} payload [kg]")
    legend_outside(axis)


def _draw_observability(axis: Axes, record: RunRecord, side: str) -> None:
    payload = record.links[side].payload
    assert payload is not None
    start, end = float(record.time_s[0]), float(record.time_s[-1])
    shown = axis.imshow(
        payload.observability.T,
        aspect="auto",
        vmin=0.0,
        vmax=1.0,
        cmap="Blues",
        interpolation="nearest",
        extent=(start, end, len(CHANNELS) - 0.5, -0.5),
    )
    axis.set_yticks(range(len(CHANNELS)), CHANNELS, fontsize=6)
    axis.set_ylabel(f"{side}: seen in\nthe last second")
    figure = axis.get_figure()
    assert figure is not None
    figure.colorbar(shown, ax=axis, label="0: hidden, 1: seen", pad=0.01)


def _draw_supervision(axis: Axes, record: RunRecord) -> None:
    series = record.supervision
    assert series is not None
    ratio = np.maximum(series.test_ratio, 1e-4)
    axis.semilogy(record.time_s, ratio, color="#009E73", label="largest test ratio")
    axis.axhline(1.0, color="#000000", linewidth=0.8, linestyle="--")
    axis.set_ylabel("gate [-]")
    other = axis.twinx()
    other.plot(
        record.time_s, series.unexplained_kg, color="#CC79A7", label="unexplained"
    )
    other.set_ylabel("unexplained [kg]")
    lines = [*axis.get_lines()[:1], *other.get_lines()]
    axis.legend(
        lines,
        [str(line.get_label()) for line in lines],
        loc="upper left",
        bbox_to_anchor=(1.16, 1.0),
        fontsize=8,
    )
