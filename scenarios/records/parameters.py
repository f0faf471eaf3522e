"""Quantities read off inertial parameters along a run."""

from __future__ import annotations

from models.arrays import Array


def com_m(parameters: Array) -> Array:
    """Centre of mass (T, 3) of parameters (T, 10) [m, m c, I]."""
    return parameters[:, 1:4] / parameters[:, 0:1]
