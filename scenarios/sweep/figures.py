"""Pictures of a sweep: one figure against what was swept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.report.figure_style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    new_figure,
)
from scenarios.sweep.groups import BAND, values_of
from scenarios.sweep.row import Row
from scenarios.sweep.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Figures = dict[str, Callable[[], Figure]]

SHOWN = (
    "mass_error_kg",
    "loaded_payload_to_10pct_s",
    "loaded_payload_inside_95_pct",
    "loaded_tip_rmse_z_mm",
)
"""Figures that the page shows against each swept quantity."""
COLOURS = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK)
MOST_LINES = len(COLOURS)


def sweep_figures(table: Table) -> Figures:
    """Pictures by file name: lines against each swept quantity, a map of the first two.

    A quantity that is not known in any run has no picture.
    """
    swept = table.swept() or ["seed"]
    figures: Figures = {}
    for name in SHOWN:
        if not len(values_of(table.rows, name)):
            continue
        for quantity in swept:
            figures[f"{name}-{quantity}"] = partial(line_figure, table, quantity, name)
        if len(swept) > 1:
            figures[f"{name}-map"] = partial(
                map_figure, table, swept[0], swept[1], name
            )
    return figures


def line_figure(table: Table, quantity: str, name: str) -> Figure:
    """Medians with the band from the 10th to the 90th percentile.

    Where another quantity has a few values only, each has a line of its own.

    Args:
        table: All rows.
        quantity: Column against which is drawn.
        name: Column of what is drawn.
    """
    figure = new_figure(6.4, 3.8)
    axis = figure.add_subplot()
    places = _places(table.column(quantity))
    other = _other(table, quantity)
    lines = _lines(table.rows, other)
    for colour, (label, rows) in zip(COLOURS, lines.items(), strict=False):
        _draw_line(axis, rows, quantity, name, places, colour, label)
    _label(axis, quantity, name, places)
    if other is not None:
        axis.legend(title=other, frameon=False)
    return figure


def map_figure(table: Table, across: str, up: str, name: str) -> Figure:
    """Medians over all other quantities and seeds as a heat map of two."""
    columns, rows = (_values(table.column(q)) for q in (across, up))
    grid = np.full((len(rows), len(columns)), np.nan)
    for i, y in enumerate(rows):
        for j, x in enumerate(columns):
            chosen = [r for r in table.rows if r.get(across) == x and r.get(up) == y]
            known = values_of(chosen, name)
            if len(known):
                grid[i, j] = np.median(known)
    figure = new_figure(6.4, 3.8)
    axis = figure.add_subplot()
    image = axis.imshow(grid, aspect="auto", origin="lower", cmap="cividis")
    axis.set_xticks(range(len(columns)), [_word(v) for v in columns])
    axis.set_yticks(range(len(rows)), [_word(v) for v in rows])
    axis.set_xlabel(across)
    axis.set_ylabel(up)
    figure.colorbar(image, label=f"{name}, median")
    return figure


def _draw_line(
    axis: Axes,
    rows: Sequence[Row],
    quantity: str,
    name: str,
    places: dict[Any, float],
    colour: str,
    label: str,
) -> None:
    x, middle, low, high = [], [], [], []
    for value, place in places.items():
        known = values_of([r for r in rows if r.get(quantity) == value], name)
        if len(known):
            x.append(place)
            middle.append(float(np.median(known)))
            low.append(float(np.percentile(known, BAND[0])))
            high.append(float(np.percentile(known, BAND[1])))
    axis.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axis.plot(x, middle, color=colour, marker="o", markersize=4, label=label)


def _label(axis: Axes, quantity: str, name: str, places: dict[Any, float]) -> None:
    if any(isinstance(value, str) for value in places):
        axis.set_xticks(list(places.values()), [_word(v) for v in places])
    axis.set_xlabel(quantity)
    axis.set_ylabel(f"{name}\nmedian, 10th to 90th percentile")
    axis.grid(alpha=0.3)


def _other(table: Table, quantity: str) -> str | None:
    """Another swept quantity that has few enough values for a line each."""
    for name in table.swept():
        if name != quantity and len(_values(table.column(name))) <= MOST_LINES:
            return name
    return None


def _lines(rows: Sequence[Row], other: str | None) -> dict[str, list[Row]]:
    if other is None:
        return {"": list(rows)}
    return {
        _word(value): [row for row in rows if row.get(other) == value]
        for value in _values([row.get(other) for row in rows])
    }


def _places(values: Sequence[Any]) -> dict[Any, float]:
    """Where each value stands: numbers at themselves, words side by side."""
    found = _values(values)
    if all(isinstance(v, (int, float)) for v in found):
        return {value: float(value) for value in found}
    return {value: float(place) for place, value in enumerate(found)}


def _values(values: Sequence[Any]) -> list[Any]:
    """Different ones: numbers by size, then words, nothing last."""
    found = dict.fromkeys(values)
    return sorted(found, key=lambda v: (isinstance(v, str), v is None, v or 0))


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
