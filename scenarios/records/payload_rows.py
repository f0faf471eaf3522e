"""Payload reports as rows of a record, and as what is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ekf import PayloadReport, SupervisedEstimate
from models.arrays import Array
from scenarios.records.record import SIDES, PayloadSeries, SupervisionSeries

_FLOATS = (
    "mass_kg",
    "sigma_mass_kg",
    "smallest_kg",
    "com_m",
    "sigma_com_m",
    "observability",
)


def report_rows(supervised: SupervisedEstimate) -> dict[str, Any]:
    """One tick of every report and of the supervisor, by name."""
    row: dict[str, Any] = {}
    for side, report in zip(SIDES, supervised.reports, strict=True):
        row |= {f"{side}_payload_{name}": getattr(report, name) for name in _FLOATS}
        row[f"{side}_payload_state"] = report.state.value
    unexplained = supervised.unexplained
    row["test_ratio"] = float(supervised.test_ratio.max())
    row["rows_left_out"] = float(supervised.left_out.sum())
    row["unexplained_kg"] = 0.0 if unexplained is None else unexplained.weight_kg
    return row


def take_payload(side: str, rows: dict[str, Any]) -> PayloadSeries | None:
    """Take a link's reports out of the rows of a whole run."""
    if f"{side}_payload_state" not in rows:
        return None
    states = rows.pop(f"{side}_payload_state")
    return PayloadSeries(
        state=tuple(str(state) for state in states),
        **{name: rows.pop(f"{side}_payload_{name}") for name in _FLOATS},
    )


def take_supervision(rows: dict[str, Any]) -> SupervisionSeries | None:
    """Take the supervisor's series out of the rows of a whole run."""
    if "test_ratio" not in rows:
        return None
    names = ("test_ratio", "rows_left_out", "unexplained_kg")
    return SupervisionSeries(**{name: rows.pop(name) for name in names})


def drawn_report(report: PayloadReport) -> Array:
    """(7,) mass, centre and its standard deviations; zeros without a load."""
    if not report.mass_kg > 0.0:
        return np.zeros(7)
    return np.concatenate(([report.mass_kg], report.com_m, report.sigma_com_m))


def drawn_series(payload: PayloadSeries | None, tick: int) -> Array:
    """(7,) the same of one tick of a record."""
    if payload is None or not payload.mass_kg[tick] > 0.0:
        return np.zeros(7)
    mass = payload.mass_kg[tick : tick + 1]
    return np.concatenate((mass, payload.com_m[tick], payload.sigma_com_m[tick]))
