"""Error of the estimated base against the simulator's state."""

from __future__ import annotations

import numpy as np

from models.arrays import Array
from scenarios.records.record import SIDES, RunRecord
from scenarios.report.metrics.results import BaseErrorMetrics
from scenarios.report.metrics.windows import finite
from wbmpc.robot import BASE


def base_error(record: RunRecord) -> BaseErrorMetrics | None:
    """Compare the base the controller used with the true one.

    Returns:
        None if the controller saw the simulator's state, or nobody knows it.
    """
    base = record.base
    if base is None or not len(base.position_m) or not record.has_truth:
        return None
    position_mm = 1e3 * (base.position_m - record.q[:, :3])
    turn_deg = np.rad2deg(rotation_error_rad(record.q[:, 3:7], base.quaternion_xyzw))
    twist = 1e3 * (base.twist - record.v[:, :BASE])
    return BaseErrorMetrics(
        position_rms_mm=_rms_by_axis(position_mm),
        position_max_mm=finite(np.linalg.norm(position_mm, axis=1).max()),
        orientation_rms_deg=_rms_by_axis(turn_deg),
        orientation_max_deg=finite(np.linalg.norm(turn_deg, axis=1).max()),
        linear_velocity_rms_mm_per_s=_rms_by_axis(twist[:, :3]),
        angular_velocity_rms_mrad_per_s=_rms_by_axis(twist[:, 3:]),
        standing_pct={
            side: finite(100.0 * base.contacts[:, i].mean())
            for i, side in enumerate(SIDES)
        },
    )


def rotation_error_rad(true_xyzw: Array, estimated_xyzw: Array) -> Array:
    """Rotation vectors (T, 3) from true to estimated orientation, in true axes."""
    from scipy.spatial.transform import Rotation  # 0.3 s to import

    true, estimated = map(Rotation.from_quat, (true_xyzw, estimated_xyzw))
    error: Array = (true.inv() * estimated).as_rotvec()
    return error


def _rms_by_axis(rows: Array) -> dict[str, float | None]:
    values = np.sqrt(np.mean(np.square(rows), axis=0))
    return {axis: finite(values[i]) for i, axis in enumerate("xyz")}
