"""The line through weighed masses: published figures, exact lines, broken points."""

from __future__ import annotations

import numpy as np
import pytest

from ekf.errors import (
    DegenerateFitError,
    DimensionError,
    EkfError,
    InvalidSettingError,
)
from ekf.payload.affine_calibration import AffineCalibration, fit_affine

TRUE = (0.0, 0.090, 0.181, 0.273)
RAW = (-0.00868, 0.19758, 0.39084, 0.62816)


def test_published_figures() -> None:
    """Those of the SO-101's four weights, to the printed digits."""
    fit = fit_affine(TRUE, RAW)
    assert round(fit.calibration.slope, 5) == 2.31217
    assert round(fit.calibration.offset_kg, 5) == -0.01248
    assert round(1e3 * fit.rmse_kg, 2) == 3.97
    assert fit.standard_error_kg is not None
    assert round(1e3 * fit.standard_error_kg, 2) == 5.62
    assert round(fit.r_squared, 5) == 0.99848
    assert round(1e3 * fit.largest_residual_kg, 2) == 6.57
    assert round(fit.calibration.mass_kg(0.4246), 4) == 0.1890


def test_leave_one_out_is_a_fit_through_the_others() -> None:
    fit = fit_affine(TRUE, RAW)
    assert fit.leave_one_out_kg is not None
    slope, offset = np.polyfit(TRUE[1:], RAW[1:], 1)
    assert fit.leave_one_out_kg[0] == pytest.approx((RAW[0] - offset) / slope)
    assert fit.leave_one_out_rmse_kg > fit.rmse_kg


def test_an_exact_line_is_found_and_inverted() -> None:
    true = np.linspace(0.0, 0.5, 7)
    fit = fit_affine(true, 1.7 * true - 0.02)
    assert fit.corrected_kg == pytest.approx(true)
    assert fit.rmse_kg == pytest.approx(0.0, abs=1e-12)
    assert fit.r_squared == pytest.approx(1.0)


def test_two_points_have_no_standard_error() -> None:
    fit = fit_affine((0.0, 0.2), (0.01, 0.5))
    assert fit.standard_error_kg is None and fit.leave_one_out_rmse_kg is None


def test_a_reading_beyond_the_projection_is_mapped_unclamped() -> None:
    assert AffineCalibration(slope=2.0, offset_kg=0.1).mass_kg(1.5) == 0.7


@pytest.mark.parametrize(
    ("true", "raw", "error", "told"),
    [
        ((0.1,), (0.2,), DimensionError, "true_kg"),
        ((0.0, 0.1), (0.0, 0.2, 0.3), DimensionError, "raw_kg"),
        ((0.0, np.nan), (0.0, 0.2), InvalidSettingError, r"true_kg\[1\] = nan"),
        ((0.0, 0.1), (np.inf, 0.2), InvalidSettingError, r"raw_kg\[0\] = inf"),
        ((0.0, -0.1), (0.0, 0.2), InvalidSettingError, r"true_kg\[1\] = -0.1"),
        ((0.1, 0.1), (0.1, 0.2), DegenerateFitError, "two different"),
        ((0.0, 0.1), (0.2, 0.1), DegenerateFitError, "must grow"),
        (("a", "b"), (0.2, 0.1), DimensionError, "true_kg"),
    ],
)
def test_points_that_determine_no_line(
    true: tuple, raw: tuple, error: type[EkfError], told: str
) -> None:
    with pytest.raises(error, match=told):
        fit_affine(true, raw)


@pytest.mark.parametrize(
    ("slope", "offset"), [(0.0, 0.0), (np.nan, 0.0), (1.0, np.inf)]
)
def test_lines_that_cannot_be_inverted(slope: float, offset: float) -> None:
    with pytest.raises(InvalidSettingError):
        AffineCalibration(slope=slope, offset_kg=offset)
