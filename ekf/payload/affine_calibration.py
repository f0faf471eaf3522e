"""A straight line from true masses to what an instrument reads, and back."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ekf.arrays import Array, frozen, require_positive
from ekf.errors import DegenerateFitError, DimensionError, InvalidSettingError
from ekf.faults import to_array

PARAMETERS = 2
"""Slope and offset: what a fit takes from the degrees of freedom."""


@dataclass(frozen=True, kw_only=True)
class AffineCalibration:
    r"""The line :math:`m_{raw} = s\, m + o`, used backwards.

    Attributes:
        slope: s, raw kilograms per kilogram.
        offset_kg: o.
    """

    slope: float
    offset_kg: float

    def __post_init__(self) -> None:
        """Refuse a line that cannot be inverted.

        Raises:
            InvalidSettingError: The slope is not finite and positive, or the offset
                not finite.
        """
        require_positive("slope", self.slope)
        if not math.isfinite(self.offset_kg):
            raise InvalidSettingError("offset_kg", self.offset_kg, "must be finite")

    def mass_kg(self, raw_kg: float) -> float:
        """True mass of a reading. Not clamped: that comes after, not before."""
        return (raw_kg - self.offset_kg) / self.slope


@dataclass(frozen=True, kw_only=True)
class AffineFit:
    r"""A fitted calibration and how far to trust it.

    Residuals are corrected minus true masses, n points, p = 2 parameters. The root
    mean square divides their squares by n and flatters a fit through few points; the
    standard error divides by n - p.

    Attributes:
        calibration: The line.
        corrected_kg: (n,) masses the readings are mapped to.
        residual_kg: (n,) corrected minus true.
        rmse_kg: Root mean square of the residuals.
        standard_error_kg: Residual standard error; None with two points.
        r_squared: Of the raw readings.
        largest_residual_kg: The largest magnitude.
        leave_one_out_kg: (n,) error at each point of the line through the others; None
            with two points.
    """

    calibration: AffineCalibration
    corrected_kg: Array
    residual_kg: Array
    rmse_kg: float
    standard_error_kg: float | None
    r_squared: float
    largest_residual_kg: float
    leave_one_out_kg: Array | None

    @property
    def leave_one_out_rmse_kg(self) -> float | None:
        """Root mean square of the leave-one-out errors."""
        errors = self.leave_one_out_kg
        return None if errors is None else float(np.sqrt(np.mean(errors**2)))


def fit_affine(true_kg: Any, raw_kg: Any) -> AffineFit:
    """Least squares of the readings on the true masses.

    Args:
        true_kg: (n,) weighed masses, at least two different ones.
        raw_kg: (n,) what the instrument read, before any projection.

    Raises:
        DimensionError: The lengths differ, or there are fewer than two points.
        InvalidSettingError: A value is not finite, or a true mass is negative.
        DegenerateFitError: All true masses are equal, or the readings fall.
    """
    true, raw = _checked(true_kg, raw_kg)
    calibration, r_squared = _line(true, raw)
    corrected = (raw - calibration.offset_kg) / calibration.slope
    residual = corrected - true
    squares, degrees = float(residual @ residual), len(true) - PARAMETERS
    return AffineFit(
        calibration=calibration,
        corrected_kg=frozen(corrected),
        residual_kg=frozen(residual),
        rmse_kg=math.sqrt(squares / len(true)),
        standard_error_kg=math.sqrt(squares / degrees) if degrees else None,
        r_squared=r_squared,
        largest_residual_kg=float(np.abs(residual).max()),
        leave_one_out_kg=_leave_one_out(true, raw),
    )


def _checked(true_kg: Any, raw_kg: Any) -> tuple[Array, Array]:
    true, raw = to_array(true_kg), to_array(raw_kg)
    if true.ndim != 1 or len(true) < PARAMETERS:
        raise DimensionError("true_kg", true.shape, ("2 or more",))
    if raw.shape != true.shape:
        raise DimensionError("raw_kg", raw.shape, true.shape)
    for name, values in (("true_kg", true), ("raw_kg", raw)):
        for index, value in enumerate(values.tolist()):
            if not math.isfinite(value):
                raise InvalidSettingError(f"{name}[{index}]", value, "must be finite")
    for index, value in enumerate(true.tolist()):
        if value < 0.0:
            raise InvalidSettingError(f"true_kg[{index}]", value, "must be >= 0")
    return true, raw


def _line(true: Array, raw: Array) -> tuple[AffineCalibration, float]:
    """The line, and the coefficient of determination."""
    # Slow to load, and most users of this package never come here.
    from scipy.stats import linregress

    spread = float(np.sum((true - true.mean()) ** 2))
    if spread <= 1e-12 * max(1.0, float(true @ true)):
        raise DegenerateFitError(
            f"all true masses are {true[0]:g} kg: a line needs two different ones"
        )
    line = linregress(true, raw)
    slope, offset_kg = float(line.slope), float(line.intercept)
    if not slope > 0.0:
        raise DegenerateFitError(
            f"slope = {slope:.5g}: readings must grow with the true mass"
        )
    calibration = AffineCalibration(slope=slope, offset_kg=offset_kg)
    return calibration, float(line.rvalue) ** 2


def _leave_one_out(true: Array, raw: Array) -> Array | None:
    """Each point's error under the line through the others, where there is one."""
    if len(true) <= PARAMETERS:
        return None
    errors: Sequence[float] = [
        _left_out(np.delete(true, i), np.delete(raw, i), true[i], raw[i])
        for i in range(len(true))
    ]
    return frozen(errors)


def _left_out(true: Array, raw: Array, true_i: float, raw_i: float) -> float:
    try:
        return _line(true, raw)[0].mass_kg(raw_i) - true_i
    except DegenerateFitError:
        return math.nan
