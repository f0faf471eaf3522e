"""Size, colours and line styles of every picture.

Colours are Okabe and Ito's, told apart by colour-blind readers; line styles say the
same again. Matplotlib is used without its global state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scenarios.records.record import RunRecord

    Records = Mapping[str, RunRecord]

DPI = 130
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


def mark_time(axis: Axes, time_s: float) -> None:
    """A vertical line."""
    axis.axvline(time_s, color="0.6", linewidth=0.8, linestyle="-.")
