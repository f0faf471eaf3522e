"""The figure of `wbmpc estimators`, and that of `wbmpc estimate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.studies.estimators.benchmark import Shown
from scenarios.studies.estimators.drift_benchmark import SAMPLES, STEP_AT, DriftRun
from scenarios.studies.estimators.estimation import BAND, Track
from scenarios.studies.estimators.streams.stream import Stream

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 130
# Okabe and Ito's colours; line styles say the same again.
STYLES: dict[str, dict[str, Any]] = {
    "payload_rls": {"color": "#E69F00", "linestyle": "-"},
    "payload_rls_quick": {"color": "#E69F00", "linestyle": ":"},
    "moment_rls_gravity": {"color": "#CC79A7", "linestyle": ":"},
    "moment_rls": {"color": "#CC79A7", "linestyle": "-"},
    "mass_rls_known_com": {"color": "#56B4E9", "linestyle": "--"},
    "momentum_observer": {"color": "#009E73", "linestyle": "-."},
    "ekf": {"color": "#0072B2", "linestyle": "-"},
    "ekf_supervised": {"color": "#0072B2", "linestyle": ":"},
    "batch": {"color": "#D55E00", "linestyle": (0, (1, 3))},
}
OTHER_STYLE: dict[str, Any] = {"color": "#999999", "linestyle": "--"}
"""Of an estimator that nobody gave a style."""
RASTER_SEEDS = 50


def write_estimators_figure(path: Path, shown: Shown) -> None:
    """One panel per stream, mass over time, and one of the drift alarms."""
    panels = len(shown.tracks) + 1
    columns = 4
    rows = -(-panels // columns)
    figure = _figure(4.2 * columns, 3.4 * rows + 0.7)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axis, (name, tracks) in zip(axes, shown.tracks.items(), strict=False):
        _masses(axis, shown.truth[name], tracks)
    _alarms(axes[panels - 1], shown.drift)
    for axis in axes[panels:]:
        axis.set_axis_off()
    _legend(figure, axes)
    figure.savefig(path, dpi=DPI)


def write_estimate_figure(path: Path, stream: Stream, tracks: Sequence[Track]) -> None:
    """Mass over time, with the estimator's own two sigmas."""
    figure = _figure(9.0, 5.0)
    axis = figure.subplots()
    _masses(axis, stream, tracks)
    for track in tracks:
        low, high = (track.mass_kg + s * 2.0 * track.sigma_kg for s in (-1, 1))
        color = STYLES.get(track.estimator, OTHER_STYLE)["color"]
        low = np.maximum(low, 0.0)  # no mass is negative
        axis.fill_between(track.time_s, low, high, color=color, alpha=0.12)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    figure.savefig(path, dpi=DPI)


def _masses(axis: Axes, stream: Stream, tracks: Sequence[Track]) -> None:
    top = max((float(track.mass_kg.max()) for track in tracks), default=1.0)
    if stream.truth_kg is not None:
        truth, time_s = stream.truth_kg, stream.log.time_s
        load = float(truth.max())
        axis.fill_between(
            time_s, truth - BAND * load, truth + BAND * load, color="#DDDDDD"
        )
        axis.plot(time_s, truth, color="#000000", linewidth=0.8, label="truth")
        top = min(top, 1.8 * load)
    for track in tracks:
        axis.plot(
            track.time_s,
            track.mass_kg,
            linewidth=1.3,
            label=track.estimator,
            **STYLES.get(track.estimator, OTHER_STYLE),
        )
    axis.set_ylim(-0.05 * top, 1.05 * top)
    axis.set_title(stream.name, fontsize=10)
    axis.set_xlabel("time [s]")
    axis.set_ylabel("payload [kg]")


def _alarms(axis: Axes, drift: Mapping[str, Sequence[DriftRun]]) -> None:
    names = [name for name in drift if name != "none"]
    for row, name in enumerate(names):
        for seed, run in enumerate(drift[name][:RASTER_SEEDS]):
            events = np.array(run.events)
            height = row + 0.8 * seed / max(len(drift[name]), 1)
            early = events < STEP_AT
            for chosen, color in ((early, "#D55E00"), (~early, "#0072B2")):
                axis.scatter(
                    events[chosen],
                    np.full(int(chosen.sum()), height),
                    s=2.0,
                    color=color,
                )
    axis.axvline(STEP_AT, color="#000000", linewidth=0.8)
    axis.set_yticks([row + 0.4 for row in range(len(names))], names, fontsize=8)
    axis.set_xlim(0, SAMPLES)
    axis.invert_yaxis()
    axis.set_title("drift alarms, payload step at 200; red: too early", fontsize=10)
    axis.set_xlabel("sample")


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    entries: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center",
        ncols=min(len(entries), 9),
        fontsize=9,
    )


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
