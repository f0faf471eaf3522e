"""Whole-body figures: centre of mass, ground, pelvis, elbows, torques."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from scenarios.records.record import SIDES, RunRecord
from scenarios.report.metrics import windows
from scenarios.report.metrics.results import ComMetrics, GroundMetrics
from scenarios.report.metrics.support import Stance
from scenarios.report.metrics.windows import Windows
from wbmpc.conventions import GRAVITY_M_PER_S2
from wbmpc.robot import Robot

SHOULDER_JOINTS = 3
"""Before the elbow; what comes after it is wrist."""


def com_metrics(record: RunRecord, parts: Windows) -> ComMetrics:
    """How far the centre of mass went."""
    com_mm, drift = 1e3 * record.com_m, None
    if parts.before.any() and parts.end.any():
        shift = com_mm[parts.end].mean(axis=0) - com_mm[parts.before].mean(axis=0)
        drift = windows.finite(np.linalg.norm(shift[:2]))
    spread = np.ptp(com_mm, axis=0) if len(com_mm) else np.full(3, np.nan)
    return ComMetrics(
        drift_mm=drift,
        spread_mm={a: windows.finite(spread[i]) for i, a in enumerate("xyz")},
    )


def ground_metrics(record: RunRecord, robot: Robot, parts: Windows) -> GroundMetrics:
    """Margin of the centre of pressure, and forces against weight."""
    stance, whole = Stance(robot), parts.whole
    bare = record.robot_mass_kg
    bare = pin.computeTotalMass(robot.full_model) if bare is None else bare
    weight = GRAVITY_M_PER_S2 * (bare + record.payload_kg.sum(axis=1))
    true = record.wrench_true[:, :, 2].sum(axis=1)
    share = 100 * (record.wrench_estimated[:, :, 2].sum(axis=1) - true) / weight
    estimated = record.settings.has_estimator
    margin_mm = 1e3 * stance.margin_m(stance.cop_m(record))
    return GroundMetrics(
        cop_min_margin_mm=windows.smallest(margin_mm, whole),
        vertical_error_rms_pct=windows.rms(share, whole) if estimated else None,
        vertical_error_bias_pct=windows.mean(share, whole) if estimated else None,
        weight_error_pct=windows.mean(100 * (true - weight) / weight, whole),
    )


def elbow_rms_deg(
    record: RunRecord, robot: Robot, parts: Windows
) -> dict[str, float | None]:
    """Elbows against their references by side, settled window."""
    groups = robot.settings.groups
    upper = (*groups.spine, *groups.left_arm, *groups.right_arm)
    found = {}
    for side, arm in zip(SIDES, (groups.left_arm, groups.right_arm), strict=True):
        elbow = arm[min(SHOULDER_JOINTS, len(arm) - 1)]
        angle = record.q[:, 7 + record.joint_names.index(elbow)]
        error = angle - record.q_upper_ref[:, upper.index(elbow)]
        found[side] = windows.rms(np.rad2deg(error), parts.settled)
    return found


def pelvis_pitch_deg(q: Array) -> Array:
    """Forward pitch (T,) of the base in configurations (T, nq)."""
    from scipy.spatial.transform import Rotation  # 0.3 s to import

    rotation = Rotation.from_quat(q[:, 3:7]).as_matrix()
    pitch: Array = np.rad2deg(np.arctan2(-rotation[:, 2, 0], rotation[:, 0, 0]))
    return pitch
