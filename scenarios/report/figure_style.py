"""Size, colours and line styles of every picture.

Colours are Okabe and Ito's, told apart by colour-blind readers; line styles say the
same again. Matplotlib is used without its global state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from models.arrays import Array
    from scenarios.records.record import RunRecord

    Records = Mapping[str, RunRecord]

DPI = 130
START_S = 0.2
"""The robot settles on its feet so long; axes do not stretch for it."""
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
STYLES: dict[str, dict[str, Any]] = {
    "unloaded": {"color": BLACK, "linestyle": "--", "label": "unloaded"},
    "without_estimator": {"color": RED, "linestyle": "-", "label": "no estimator"},
    "with_estimator": {"color": BLUE, "linestyle": "-", "label": "estimator"},
    "prior_none": {"color": ORANGE, "linestyle": ":", "label": "no prior"},
    "prior_inertia_only": {"color": SKY, "linestyle": ":", "label": "inertia-only"},
    "prior_all": {"color": GREEN, "linestyle": ":", "label": "all-channel prior"},
}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches, outside matplotlib's global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def main_run(records: Records) -> RunRecord:
    """Run that single-run pictures show.

    Raises:
        KeyError: There is neither a run with nor one without estimator.
    """
    if "with_estimator" in records:
        return records["with_estimator"]
    return records["without_estimator"]


def compared_runs(records: Records) -> list[tuple[str, RunRecord]]:
    """The three runs of a comparison by name, those there are."""
    names = ("unloaded", "without_estimator", "with_estimator")
    return [(name, records[name]) for name in names if name in records]


def fell_note(record: RunRecord) -> str:
    """When a run fell, to be put after its name."""
    return f", fell at {record.time_s[-1]:.1f} s" if record.fell else ""


def run_note(record: RunRecord) -> str:
    """Which run a picture shows, as its last line of the title."""
    settings = record.settings
    name = settings.estimator if settings.has_estimator else "none"
    return f"{record.robot}, {settings.scenario}, estimator: {name}{fell_note(record)}"


def mark_time(axis: Axes, time_s: float, label: str = "") -> None:
    """A vertical line; a label puts it into the legend."""
    style: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "linestyle": "-."}
    axis.axvline(time_s, label=label or None, **style)


def settled_range(values: Array, time_s: Array) -> tuple[float, float]:
    """Lowest and highest value once the start of a run is over.

    Args:
        values: (T,) or (T, n); what is no number is left out.
        time_s: (T,)
    """
    kept = values[time_s >= time_s[0] + START_S]
    kept = kept[np.isfinite(kept)]
    return (float(kept.min()), float(kept.max())) if kept.size else (0.0, 1.0)


def legend_outside(axis: Axes, **options: Any) -> None:
    """A legend to the right of an axis, where it hides nothing."""
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, **options)
