"""Rows put together by what was swept: medians, spread, falls, coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from scenarios.report.tables import number, render
from scenarios.sweep.row import FAILED, FELL, Row
from scenarios.sweep.table import Table

BAND = (10.0, 90.0)
"""Percentiles of a band over seeds."""
MOST_KEYS = 3
"""Quantities that the table is broken down by; the others are put together."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Runs with equal values of some swept quantities."""

    values: dict[str, Any]
    runs: int
    failed: int
    fell: int
    mass_error_pct: tuple[float, float] | None
    """Of the load, without its sign: median and 90th percentile."""
    arrival_s: tuple[float, float] | None
    """Until the load stays within 10 %: median and 90th percentile of those that do."""
    arrived: int
    inside_95_pct: float | None
    """Share of the time in which the load was inside its interval, mean over runs."""
    tip_rmse_z_mm: tuple[float, float] | None
    """From the unloaded path: median and 90th percentile."""


def grouped(table: Table) -> list[Group]:
    """Groups in the order of the table."""
    keys = table.swept()[:MOST_KEYS]
    parts: dict[tuple[str, ...], list[Row]] = {}
    for row in table.rows:
        parts.setdefault(tuple(repr(row.get(key)) for key in keys), []).append(row)
    return [_group(keys, rows) for rows in parts.values()]


def groups_text(table: Table) -> str:
    """One line per group."""
    groups = grouped(table)
    if not groups:
        return "no rows yet"
    keys = list(groups[0].values)
    header = (
        *(keys or ["all"]),
        "runs",
        "failed",
        "fell",
        "mass error [%]",
        "within 10 % after [s]",
        "inside 95 % [%]",
        "tip z RMSE [mm]",
    )
    lines = [
        [
            *([_word(group.values[key]) for key in keys] or [""]),
            str(group.runs),
            str(group.failed),
            str(group.fell),
            _pair(group.mass_error_pct, 1),
            f"{_pair(group.arrival_s, 2)} ({group.arrived})",
            number(group.inside_95_pct, 1),
            _pair(group.tip_rmse_z_mm, 1),
        ]
        for group in groups
    ]
    note = "pairs: median / 90th percentile over the runs; in brackets: how many did"
    return f"{render(header, lines)}\n  {note}"


def values_of(rows: Sequence[Row], name: str, *, size: bool = False) -> np.ndarray:
    """Known numbers of a column, without their sign if only the size counts."""
    found = [row.get(name) for row in rows]
    known = np.array([v for v in found if isinstance(v, (int, float))], dtype=float)
    known = known[np.isfinite(known)]
    return np.abs(known) if size else known


def _group(keys: Sequence[str], rows: Sequence[Row]) -> Group:
    errors = [
        100.0 * abs(row["mass_error_kg"]) / row["payload_kg"]
        for row in rows
        if row.get("mass_error_kg") is not None and row["payload_kg"]
    ]
    arrivals = values_of(rows, "loaded_payload_to_10pct_s")
    inside = values_of(rows, "loaded_payload_inside_95_pct")
    return Group(
        values={key: rows[0].get(key) for key in keys},
        runs=len(rows),
        failed=sum(row["status"] == FAILED for row in rows),
        fell=sum(row["status"] == FELL for row in rows),
        mass_error_pct=_middle_and_high(np.array(errors)),
        arrival_s=_middle_and_high(arrivals),
        arrived=len(arrivals),
        inside_95_pct=float(inside.mean()) if len(inside) else None,
        tip_rmse_z_mm=_middle_and_high(values_of(rows, "loaded_tip_rmse_z_mm")),
    )


def _middle_and_high(values: np.ndarray) -> tuple[float, float] | None:
    if not len(values):
        return None
    return float(np.median(values)), float(np.percentile(values, BAND[1]))


def _pair(pair: tuple[float, float] | None, decimals: int) -> str:
    if pair is None:
        return number(None)
    return f"{number(pair[0], decimals)} / {number(pair[1], decimals)}"


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
