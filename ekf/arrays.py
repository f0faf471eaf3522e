"""The array type of the package and the checks made at construction."""

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ekf.errors import DimensionError, InvalidSettingError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int_]

SMALLEST_VARIANCE = 1e-12
"""Below this a variance of a measurement leaves a filter nothing but round-off."""


def frozen(values: Any) -> Array:
    """Return a read-only float copy of ``values``."""
    copy = np.array(values, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def require_last_axis(field: str, values: Any, size: int) -> Array:
    """Return ``values`` as floats after checking the length of the last axis.

    Raises:
        DimensionError: If the last axis is not ``size`` long.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        raise DimensionError(field, array.shape, ("...", size))
    return array


def require_positive(field: str, value: Any, *, or_zero: bool = False) -> float:
    """Return ``value`` as a float after checking that it is finite and positive.

    Raises:
        InvalidSettingError: If it is not a finite positive number.
    """
    rule = f"must be a finite number {'>=' if or_zero else '>'} 0"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidSettingError(field, value, rule)
    number = float(value)
    if not math.isfinite(number) or number < 0 or (number == 0 and not or_zero):
        raise InvalidSettingError(field, value, rule)
    return number


def require_count(field: str, value: int) -> int:
    """A positive whole number.

    Raises:
        InvalidSettingError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidSettingError(field, value, "must be an integer >= 1")
    return value


def require_finite(field: str, values: Any, shape: tuple[int, ...]) -> Array:
    """Return ``values`` as floats after checking their shape and that all are finite.

    Raises:
        DimensionError: If the shape is another.
        InvalidSettingError: If a value is not a finite number.
    """
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSettingError(field, values, "must be numbers") from None
    if array.shape != shape:
        raise DimensionError(field, array.shape, shape)
    if not np.isfinite(array).all():
        raise InvalidSettingError(field, values, "must be finite")
    return array


def row_variance(field: str, values: Any, rows: int) -> Array:
    """(rows,) variances from one number or one each.

    Raises:
        DimensionError: If there are neither one nor ``rows`` of them.
        InvalidSettingError: If one is not finite or below `SMALLEST_VARIANCE`.
    """
    array = np.array(values, dtype=np.float64)
    if array.shape not in ((), (rows,)):
        raise DimensionError(field, array.shape, (rows,))
    if not (np.isfinite(array).all() and (array >= SMALLEST_VARIANCE).all()):
        rule = f"must be finite and >= {SMALLEST_VARIANCE:g}"
        raise InvalidSettingError(field, values, rule)
    return np.broadcast_to(array, (rows,)).copy()
