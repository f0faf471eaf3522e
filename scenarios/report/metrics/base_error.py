"""Error of the estimated base against the simulator's state."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from scenarios.records.record import SIDES, RunRecord
from scenarios.report.metrics.results import BaseErrorMetrics
from wbmpc.conventions import rotation_from_xyzw
from wbmpc.robot import BASE

Array = NDArray[np.float64]

AXES = ("x", "y", "z")


def base_error(record: RunRecord) -> BaseErrorMetrics | None:
    """Compare the base the controller used with the true one.

    Returns:
        None if the controller saw the simulator's state.
    """
    base = record.base
    if base is None or not len(base.position_m):
        return None
    position_mm = 1e3 * (base.position_m - record.q[:, :3])
    turn_deg = np.rad2deg(rotation_error_rad(record.q[:, 3:7], base.quaternion_xyzw))
    twist = 1e3 * (base.twist - record.v[:, :BASE])
    return BaseErrorMetrics(
        position_rms_mm=_rms_by_axis(position_mm),
        position_max_mm=_finite(np.linalg.norm(position_mm, axis=1).max()),
        orientation_rms_deg=_rms_by_axis(turn_deg),
        orientation_max_deg=_finite(np.linalg.norm(turn_deg, axis=1).max()),
        linear_velocity_rms_mm_per_s=_rms_by_axis(twist[:, :3]),
        angular_velocity_rms_mrad_per_s=_rms_by_axis(twist[:, 3:]),
        standing_pct={
            side: _finite(100.0 * base.contacts[:, i].mean())
            for i, side in enumerate(SIDES)
        },
    )


def rotation_error_rad(true_xyzw: Array, estimated_xyzw: Array) -> Array:
    """Rotation vectors (T, 3) from true to estimated orientation, in true axes."""
    pairs = zip(true_xyzw, estimated_xyzw, strict=True)
    return np.array(
        [
            pin.log3(rotation_from_xyzw(true).T @ rotation_from_xyzw(estimated))
            for true, estimated in pairs
        ]
    )


def _rms_by_axis(rows: Array) -> dict[str, float | None]:
    values = np.sqrt(np.mean(np.square(rows), axis=0))
    return {axis: _finite(values[i]) for i, axis in enumerate(AXES)}


def _finite(value: float | np.floating) -> float | None:
    return float(value) if np.isfinite(value) else None
