"""The calibration of a scale from points in a file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from ekf.errors import EkfError
from ekf.payload.affine_calibration import AffineFit, fit_affine
from models.files import is_file
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.tables import read_csv

TRUE, RAW = "true_kg", "raw_kg"


class CalibratedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One weight."""

    true_kg: float
    raw_kg: float
    corrected_kg: float
    residual_kg: float
    leave_one_out_kg: float | None
    """Error under the line through the other points."""


class CalibrationResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc so101 calibrate` finds."""

    slope: float
    offset_kg: float
    rmse_kg: float
    standard_error_kg: float | None
    r_squared: float
    largest_residual_kg: float
    leave_one_out_rmse_kg: float | None
    points: list[CalibratedPoint]
    mapped_kg: dict[str, float]
    """Calibrated mass by raw reading."""


def read_points(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """True and raw masses of a CSV file.

    Raises:
        ScenarioError: No such file, a broken one, a missing column, or a cell that is
            not a finite number.
    """
    if not is_file(path):
        raise ScenarioError(f"{path}: no such file")
    loaded = read_csv(path)
    if loaded.lost:  # a measured mass must not vanish
        raise ScenarioError(
            f"{path}: {', '.join(loaded.lost)}: every line must have as many cells as "
            "the first"
        )
    table = loaded.columns
    for name in (TRUE, RAW):
        if name not in table:
            columns = ", ".join(filter(None, table)) or "none"
            raise ScenarioError(f"{path}: no column {name}; columns: {columns}")
        bad = np.flatnonzero(~np.isfinite(table[name]))
        if bad.size:
            line = int(bad[0]) + 2
            raise ScenarioError(f"{path}: line {line}: {name} is not a finite number")
    return table[TRUE], table[RAW]


def calibrate_points(path: Path, readings_kg: tuple[float, ...]) -> CalibrationResult:
    """Fit a file, and map some readings.

    Raises:
        ScenarioError: The file cannot be used, its points determine no line, or a
            reading is not finite.
    """
    for reading in readings_kg:
        if not np.isfinite(reading):
            raise ScenarioError(f"--map {reading}: must be a finite number")
    true, raw = read_points(path)
    try:
        fit = fit_affine(true, raw)
    except EkfError as error:
        raise ScenarioError(f"{path}: {error}") from None
    line = fit.calibration
    return CalibrationResult(
        slope=line.slope,
        offset_kg=line.offset_kg,
        rmse_kg=fit.rmse_kg,
        standard_error_kg=fit.standard_error_kg,
        r_squared=fit.r_squared,
        largest_residual_kg=fit.largest_residual_kg,
        leave_one_out_rmse_kg=_finite(fit.leave_one_out_rmse_kg),
        points=_points(true, raw, fit),
        mapped_kg={f"{reading:g}": line.mass_kg(reading) for reading in readings_kg},
    )


def _points(true: np.ndarray, raw: np.ndarray, fit: AffineFit) -> list[CalibratedPoint]:
    left_out = fit.leave_one_out_kg
    return [
        CalibratedPoint(
            true_kg=float(true[i]),
            raw_kg=float(raw[i]),
            corrected_kg=float(fit.corrected_kg[i]),
            residual_kg=float(fit.residual_kg[i]),
            leave_one_out_kg=None if left_out is None else _finite(left_out[i]),
        )
        for i in range(len(true))
    ]


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
