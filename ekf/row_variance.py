"""Variances of torque rows as given by a user."""

from typing import Any

import numpy as np

from ekf.arrays import Array
from ekf.errors import DimensionError, InvalidSettingError


def row_variance(field: str, values: Any, rows: int) -> Array:
    """(rows,) variances from one number or one each.

    Raises:
        DimensionError: If there are neither one nor ``rows`` of them.
        InvalidSettingError: If one is not finite and positive.
    """
    array = np.array(values, dtype=np.float64)
    if array.shape not in ((), (rows,)):
        raise DimensionError(field, array.shape, (rows,))
    if not (np.isfinite(array).all() and (array > 0.0).all()):
        raise InvalidSettingError(field, values, "must be finite and > 0")
    return np.broadcast_to(array, (rows,)).copy()
