"""Spread of every figure over several seeds."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from scenarios.report.paper import Goal
from scenarios.report.scoreboard import Line
from scenarios.report.tables import mark, number, render


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """One figure over seeds; runs where it is unknown are left out."""

    key: str
    label: str
    unit: str
    decimals: int
    count: int
    min: float | None
    median: float | None
    max: float | None
    std: float | None
    goal: Goal | None
    met_count: int | None
    """Seeds that meet the goal; None without a goal."""


def spreads(seeds: Sequence[Sequence[Line]]) -> list[Spread]:
    """Gather lines of equal key over seeds, in the order of the first seed."""
    table: dict[str, list[Line]] = {}
    for lines in seeds:
        for line in lines:
            table.setdefault(line.key, []).append(line)
    return [_spread(lines) for lines in table.values()]


def spread_table(title: str, rows: Sequence[Spread], seeds: int) -> str:
    """Text table."""
    header = (title, "min", "median", "max", "std", "goal", "met by")
    return render(header, [_cells(row, seeds) for row in rows])


def _cells(row: Spread, seeds: int) -> list[str]:
    unit = f" [{row.unit}]" if row.unit else ""
    values = (row.min, row.median, row.max, row.std)
    met = ""
    if row.met_count is not None:
        met = f"{row.met_count} of {seeds} {mark(row.met_count == seeds)}"
    return [
        f"{row.label}{unit}",
        *(number(value, row.decimals) for value in values),
        "" if row.goal is None else str(row.goal),
        met,
    ]


def _spread(lines: Sequence[Line]) -> Spread:
    first = lines[0]
    known = np.array([line.value for line in lines if line.value is not None])
    values: dict[str, float | None] = dict.fromkeys(("min", "median", "max", "std"))
    if len(known):
        values = {
            "min": float(known.min()),
            "median": float(np.median(known)),
            "max": float(known.max()),
            "std": float(known.std()),
        }
    met = None
    if first.goal is not None:
        met = sum(line.met is True for line in lines)
    return Spread(
        key=first.key,
        label=first.label,
        unit=first.unit,
        decimals=first.decimals,
        count=len(known),
        goal=first.goal,
        met_count=met,
        **values,
    )
