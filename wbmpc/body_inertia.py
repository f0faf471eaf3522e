"""Whether ten numbers are a rigid body's inertia."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.arrays import Array

ROUND_OFF = 1e-9
"""Of a flat or point-like body's moments, which lie on the edge of what is possible."""


def checked_inertia(parameters: Any) -> Array:
    """Ten inertial parameters of a body that can exist.

    The second moments of the mass about its centre must not be negative in any
    direction, which with a positive mass is to say that the pseudo-inertia is positive
    semi-definite. Flat and point-like bodies are possible.

    Args:
        parameters: (10,) [m, m c, I about the joint frame], Pinocchio's order.

    Raises:
        ValueError: Not ten finite numbers, or those of no possible body.
    """
    try:
        numbers: Array = np.asarray(parameters, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"inertia {parameters!r}: must be ten numbers") from None
    if numbers.shape != (10,):
        raise ValueError(f"inertia of shape {numbers.shape}: must be (10,)")
    if not np.isfinite(numbers).all():
        raise ValueError(f"inertia {numbers.tolist()}: must be finite")
    mass_kg = numbers[0]
    if mass_kg <= 0.0:
        raise ValueError(f"mass {mass_kg:g} kg: must be positive")
    least = _least_second_moment(numbers)
    if not least >= -ROUND_OFF * abs(numbers[[4, 6, 9]]).sum():
        raise ValueError(
            f"inertia with a second moment of {least:g} kg m2: must not be negative"
        )
    return numbers


def _least_second_moment(numbers: Array) -> float:
    """Smallest eigenvalue of the mass's second moments about its centre, kg m2.

    NaN where numbers are too large to tell.
    """
    xx, xy, yy, xz, yz, zz = numbers[4:]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    with np.errstate(over="ignore", invalid="ignore"):
        about_joint = np.trace(tensor) / 2 * np.eye(3) - tensor
        center_m = numbers[1:4] / numbers[0]
        about_center = about_joint - np.outer(center_m, numbers[1:4])
    if not np.isfinite(about_center).all():
        return float("nan")
    return float(np.linalg.eigvalsh(about_center)[0])
