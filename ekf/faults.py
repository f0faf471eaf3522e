"""Faults in the data of one sample, as values: nothing here raises."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array

_NORM_TOLERANCE = 1e-3  # a quaternion further off than this is not a rotation


class FaultKind(Enum):
    """Kind of a fault in the data of a sample."""

    DIMENSION = "dimension"
    """An array has the wrong shape, or is not made of numbers."""
    NON_FINITE = "non_finite"
    """An array holds NaN or infinity."""
    CONFIGURATION = "configuration"
    """A quaternion in q does not have unit norm (an all-zero q, for instance)."""
    TIME_STEP = "time_step"
    """The time step is not finite and positive."""
    MISSING = "missing"
    """An input this filter needs was not given."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault.

    Attributes:
        kind: Kind of fault.
        reason: Sentence that names the field, the value and the rule.
    """

    kind: FaultKind
    reason: str


def to_array(values: Any) -> Array:
    """``values`` as a float array; an empty one if they are not numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def to_float(value: Any) -> float:
    """``value`` as a float; NaN if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def find_array_fault(
    fields: Iterable[tuple[str, Array, tuple[int, ...]]],
) -> Fault | None:
    """First array that has the wrong shape or is not finite.

    Args:
        fields: (name, array, expected shape) of each array.
    """
    fields = list(fields)
    for name, array, shape in fields:
        if array.shape != shape:
            reason = f"{name} has shape {array.shape}: it must be {shape}"
            return Fault(kind=FaultKind.DIMENSION, reason=reason)
    if np.isfinite(np.concatenate([array.ravel() for _, array, _ in fields])).all():
        return None
    name, array = next((n, a) for n, a, _ in fields if not np.isfinite(a).all())
    bad = int(np.flatnonzero(~np.isfinite(array))[0])
    reason = f"{name}[{bad}] = {array.flat[bad]}: it must be finite"
    return Fault(kind=FaultKind.NON_FINITE, reason=reason)


def find_configuration_fault(model: pin.Model, q: Array) -> Fault | None:
    """Fault if a quaternion in ``q`` does not have unit norm."""
    if pin.isNormalized(model, q, _NORM_TOLERANCE):
        return None
    reason = "q holds a quaternion (x, y, z, w) whose norm is not 1"
    return Fault(kind=FaultKind.CONFIGURATION, reason=reason)


def find_time_step_fault(dt_s: float) -> Fault | None:
    """Fault if the time step is not finite and positive."""
    if np.isfinite(dt_s) and dt_s > 0.0:
        return None
    reason = f"dt_s = {dt_s}: it must be finite and > 0"
    return Fault(kind=FaultKind.TIME_STEP, reason=reason)
