"""Rotation vectors and matrices; plain numpy, for loops at 1 kHz."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Array = NDArray[np.float64]


def skew(vector: Array) -> Array:
    """(3, 3) matrix of the cross product."""
    x, y, z = vector.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def exp_rotation(vector: Array) -> Array:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    cross = skew(vector)
    angle = math.sqrt(float(vector @ vector))
    if angle < 1e-6:
        return np.eye(3) + cross + 0.5 * cross @ cross
    first = math.sin(angle) / angle
    second = (1.0 - math.cos(angle)) / angle**2
    return np.eye(3) + first * cross + second * cross @ cross


def log_rotation(rotation: Array) -> Array:
    """Rotation vector of a rotation matrix."""
    return np.array(pin.log3(rotation))


def orthonormal(rotation: Array) -> Array:
    """Nearest rotation to first order: undoes the drift of repeated products."""
    return rotation @ (1.5 * np.eye(3) - 0.5 * rotation.T @ rotation)


def xyzw_from_rotation(rotation: Array) -> Array:
    """Unit quaternion of a rotation matrix."""
    quaternion = np.array(pin.Quaternion(rotation).coeffs())
    return quaternion / np.linalg.norm(quaternion)
