"""Error of the forearm tips.

The tip error is the loaded run minus the same motion unloaded, at equal times ("from
its unloaded path", arXiv:2610.22176, IV-A1).
"""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.record import RunRecord
from scenarios.report.metrics import windows
from scenarios.report.metrics.results import AxisErrors, TipMetrics
from scenarios.report.metrics.windows import Mask, Windows
from wbmpc.reference import UPPER_BODY
from wbmpc.robot import Robot


def tip_metrics(
    side: str, record: RunRecord, parts: Windows, twin: RunRecord | None
) -> TipMetrics:
    """Deviation of one tip from its unloaded path and from its reference."""
    tip = record.tips[side]
    world = tip_error_m(record, twin, side, "world_m")
    torso = tip_error_m(record, twin, side, "torso_m")
    reference = tip.torso_m - tip.reference_torso_m
    return TipMetrics(
        **msgspec.structs.asdict(axis_errors(world, parts.settled)),
        whole=axis_errors(world, parts.whole),
        torso=axis_errors(torso, parts.settled),
        torso_whole=axis_errors(torso, parts.whole),
        reference=axis_errors(reference, parts.settled),
    )


def tip_error_m(
    record: RunRecord, twin: RunRecord | None, side: str, field: str = "world_m"
) -> Array:
    """Loaded minus unloaded tip (T, 3) at equal times; NaN where there is no twin.

    Args:
        record: The loaded run.
        twin: The unloaded run.
        side: Which tip.
        field: `world_m` or `torso_m` of `TipSeries`.
    """
    path: Array = getattr(record.tips[side], field)
    if twin is None:
        return np.full_like(path, np.nan)
    unloaded = getattr(twin.tips[side], field)
    columns = [
        np.interp(record.time_s, twin.time_s, unloaded[:, axis], right=np.nan)
        for axis in range(3)
    ]
    return path - np.column_stack(columns)


def axis_errors(error_m: Array, window: Mask) -> AxisErrors:
    """RMSE and bias by axis in mm of an error (T, 3) in m."""
    error_mm, known = 1e3 * error_m, window & np.isfinite(error_m).all(axis=1)
    columns = dict(zip("xyz", error_mm.T, strict=True))
    values = {f"rmse_{a}_mm": windows.rms(c, known) for a, c in columns.items()}
    values |= {f"bias_{a}_mm": windows.mean(c, known) for a, c in columns.items()}
    return AxisErrors(**values)


def reference_tip_m(
    record: RunRecord, robot: Robot, side: str, *, fixed_pelvis: bool = False
) -> Array:
    """Where a tip (T, 3) would be with spine and arms at their references.

    Args:
        record: The run.
        robot: The robot it was run with.
        side: Which tip.
        fixed_pelvis: On the pelvis at home instead of where it is.
    """
    model = robot.full_model
    data, frame = model.createData(), frame_index(model, robot.arms[side].tip_frame)
    upper = 7 + robot.joints_full(*UPPER_BODY)
    rows = np.empty((len(record.q), 3))
    for row, q, reference in zip(rows, record.q, record.q_upper_ref, strict=True):
        posed = robot.home_q_full.copy() if fixed_pelvis else q.copy()
        posed[upper] = reference
        pin.framesForwardKinematics(model, data, posed)
        row[:] = data.oMf[frame].translation
    return rows
