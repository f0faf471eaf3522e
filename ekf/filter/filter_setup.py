"""Checks of what a filter is set up with."""

from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, require_positive
from ekf.errors import DimensionError, InvalidSettingError
from ekf.model_lookup import root_dofs


def input_shapes(model: pin.Model, n_feet: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the signals of one sample, by name."""
    return {
        "q": (model.nq,),
        "v": (model.nv,),
        "a": (model.nv,),
        "tau_joints": (model.nv - root_dofs(model),),
        "wrenches": (n_feet, 6),
    }


def positive_variances(field: str, values: Any, size: int) -> Array:
    """A diagonal of variances.

    Raises:
        DimensionError: If it has another length.
        InvalidSettingError: If a value is not finite and positive.
    """
    array = np.array(values, dtype=np.float64)
    if array.shape != (size,):
        raise DimensionError(field, array.shape, (size,))
    if not (np.isfinite(array).all() and (array > 0).all()):
        raise InvalidSettingError(field, values, "must be finite and > 0")
    return array


def covariance_matrix(values: Any, size: int) -> Array:
    """A covariance given as a number times identity, a diagonal, or in full.

    Raises:
        DimensionError: If the shape is none of these.
        InvalidSettingError: If it is not finite, symmetric and positive semi-definite.
    """
    field = "initial_covariance"
    array = np.array(values, dtype=np.float64)
    if array.ndim == 0:
        return np.eye(size) * require_positive(field, float(array))
    if array.shape == (size,):
        array = np.diag(array)
    if array.shape != (size, size):
        raise DimensionError(field, array.shape, (size, size))
    rule = "must be finite, symmetric and positive semi-definite"
    if not np.isfinite(array).all() or not np.allclose(array, array.T):
        raise InvalidSettingError(field, values, rule)
    if np.linalg.eigvalsh(array)[0] < -1e-12 * np.abs(array).max():
        raise InvalidSettingError(field, values, rule)
    return array
