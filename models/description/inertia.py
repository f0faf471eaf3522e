r"""Which inertia tensors are possible, and the nearest one that is.

A tensor I about the centre of mass belongs to a body of positive density if its second
moments $\Sigma = \frac12 \mathrm{tr}(I) E - I$ are positive definite (triangle
inequality, Wensing, Kim & Slotine, RA-L 2018). With the mass they are the eigenvalues
of the pseudo-inertia at the centre of mass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array

ROUNDING = 1e-6
"""Eigenvalues within this share of the largest one count as zero."""
POINT_M = 1e-6
"""A body smaller than this is a point."""
FLOOR = 1e-2
"""Smallest second moment of a repaired tensor, as a share of its largest one."""


def second_moments(tensor_kgm2: Array) -> Array:
    """Second moments (3, 3) [kg m^2] of an inertia tensor about the same point."""
    return 0.5 * np.trace(tensor_kgm2) * np.eye(3) - tensor_kgm2


def tensor_of(moments_kgm2: Array) -> Array:
    """Inertia tensor (3, 3) of second moments; the inverse of `second_moments`."""
    return np.trace(moments_kgm2) * np.eye(3) - moments_kgm2


def smallest_eigenvalue(mass_kg: float, tensor_kgm2: Array) -> float:
    """Of the pseudo-inertia at the centre of mass: blkdiag(second moments, mass)."""
    moments = np.linalg.eigvalsh(second_moments(tensor_kgm2))
    return float(min(moments[0], mass_kg))


def is_impossible(mass_kg: float, tensor_kgm2: Array) -> bool:
    """A second moment is negative beyond rounding."""
    moments = np.linalg.eigvalsh(second_moments(tensor_kgm2))
    return bool(moments[0] < -_rounding(mass_kg, moments))


def is_flat(mass_kg: float, tensor_kgm2: Array) -> bool:
    """A second moment is zero within rounding: a point, a line or a sheet."""
    moments = np.linalg.eigvalsh(second_moments(tensor_kgm2))
    return bool(abs(moments[0]) <= _rounding(mass_kg, moments))


def is_slack(mass_kg: float, tensor_kgm2: Array) -> bool:
    """There is an axis about which turning takes no torque: a point or a line."""
    moments = np.linalg.eigvalsh(tensor_kgm2)
    return bool(moments[0] <= _rounding(mass_kg, moments))


def nearest_possible(tensor_kgm2: Array) -> Array:
    """Tensor whose second moments are nearest in the Frobenius norm.

    Second moments below 1 % of the largest are raised to it; without a positive one
    there is no such tensor and the result is zero.
    """
    moments, axes = np.linalg.eigh(second_moments(tensor_kgm2))
    raised = np.maximum(moments, FLOOR * max(moments[-1], 0.0))
    return tensor_of(axes @ np.diag(raised) @ axes.T)


def _rounding(mass_kg: float, moments_kgm2: NDArray[np.floating]) -> float:
    return max(ROUNDING * float(np.abs(moments_kgm2).max()), mass_kg * POINT_M**2)
