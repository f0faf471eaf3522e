"""Pick-up and washing with a load in one hand (IV-B2, Figs 7 and 8, Table VII)."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from scenarios.library.loads import loaded_sides
from scenarios.library.motions.squat_pickup import (
    RISE_AT_S,
    SQUAT_AT_S,
    SQUAT_S,
    WASH_AT_S,
)
from scenarios.library.motions.window_washing import WashingMotion
from scenarios.records.record import RunRecord
from scenarios.report.metrics import windows
from scenarios.report.metrics.balance import pelvis_pitch_deg
from scenarios.report.metrics.results import AxisErrors
from scenarios.report.metrics.run import axis_errors
from scenarios.report.metrics.support import Stance
from wbmpc.reference import UPPER_BODY
from wbmpc.robot import Robot

Array = NDArray[np.float64]

HOLD_S = 1.0
"""Offsets while squatting are means over this time at the end of a hold."""


class PhaseOffsets(msgspec.Struct, frozen=True, kw_only=True):
    """Mean of value minus reference in each phase."""

    standing: float | None
    squatting: float | None
    """Before the load."""
    squatting_loaded: float | None
    washing: float | None

    def largest(self) -> float | None:
        """Largest size of any phase's offset."""
        sizes = [abs(v) for v in msgspec.structs.astuple(self) if v is not None]
        return max(sizes) if sizes else None


class PickupMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the squat, loaded or its unloaded replay."""

    load_kg: float
    tip: AxisErrors
    """Loaded side while washing, from where it would be with spine and arms at their
    references on the pelvis as it is, world axes (Table VII)."""
    tip_fixed_pelvis: AxisErrors
    """The same from the path of a robot whose pelvis stays at home: pelvis and leg
    motion counts too."""
    replay: AxisErrors | None
    """`tip` of the unloaded replay."""
    replay_fixed_pelvis: AxisErrors | None
    recovered_pct: float | None
    """Estimated load, relative to the pre-load estimate, mean while washing."""
    recovered_end_pct: float | None
    """The same over the last second."""
    bias_kg: float | None
    """Pre-load estimate of the forearm minus the robot file's."""
    mass_min_kg: float | None
    """Smallest estimate from loading on; the paper's dips under the nominal mass."""
    other_arm_kg: float | None
    """What the estimate puts on the unloaded forearm while washing."""
    com_height_offset_mm: PhaseOffsets
    com_height_offset_max_mm: float | None
    com_height_rmse_mm: float | None
    pelvis_pitch_offset_deg: PhaseOffsets
    pelvis_pitch_rmse_deg: float | None
    squat_depth_mm: float | None
    """How much lower than at home the centre of mass was while squatting."""
    cop_margin_min_mm: float | None


def pickup_metrics(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> PickupMetrics:
    """Compute the figures of one run.

    Args:
        record: The run.
        robot: The robot it was run with.
        twin: The unloaded replay of the same references.
    """
    settings, time = record.settings, record.time_s
    side = loaded_sides(settings)[0]
    height = 1e3 * (record.com_m[:, 2] - record.com_ref_m[:, 2])
    heights = _phases(record, height)
    pitch = pelvis_pitch_deg(record.q) - np.rad2deg(_pitch_reference(record))
    stance = Stance(robot)
    margin = 1e3 * stance.margin_m(stance.cop_m(record))
    everything = np.ones(len(time), dtype=bool)
    squat = windows.before(time, settings.at_s)
    depth = windows.mean(1e3 * (record.com_m[0, 2] - record.com_m[:, 2]), squat)
    return PickupMetrics(
        load_kg=settings.payload_kg,
        tip=_tip(record, robot, side),
        tip_fixed_pelvis=_tip_fixed_pelvis(record, robot, side),
        replay=_tip(twin, robot, side) if twin else None,
        replay_fixed_pelvis=_tip_fixed_pelvis(twin, robot, side) if twin else None,
        **_mass_figures(record, side),
        com_height_offset_mm=heights,
        com_height_offset_max_mm=heights.largest(),
        com_height_rmse_mm=windows.rms(height, everything),
        pelvis_pitch_offset_deg=_phases(record, pitch),
        pelvis_pitch_rmse_deg=windows.rms(pitch, everything),
        squat_depth_mm=depth,
        cop_margin_min_mm=windows.finite(np.nanmin(margin)),
    )


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
    data, frame = model.createData(), model.getFrameId(robot.arms[side].tip_frame)
    upper = 7 + robot.joints_full(*UPPER_BODY)
    rows = np.empty((len(record.q), 3))
    for row, q, reference in zip(rows, record.q, record.q_upper_ref, strict=True):
        posed = robot.home_q_full.copy() if fixed_pelvis else q.copy()
        posed[upper] = reference
        pin.framesForwardKinematics(model, data, posed)
        row[:] = data.oMf[frame].translation
    return rows


def washing_window(record: RunRecord) -> windows.Mask:
    """Ticks of the washing motion, its approach left out."""
    start_s = WASH_AT_S + WashingMotion().approach_s
    return record.time_s >= start_s


def _tip(record: RunRecord, robot: Robot, side: str) -> AxisErrors:
    error = record.tips[side].world_m - reference_tip_m(record, robot, side)
    return axis_errors(error, washing_window(record))


def _tip_fixed_pelvis(record: RunRecord, robot: Robot, side: str) -> AxisErrors:
    path = reference_tip_m(record, robot, side, fixed_pelvis=True)
    return axis_errors(record.tips[side].world_m - path, washing_window(record))


def _mass_figures(record: RunRecord, side: str) -> dict[str, float | None]:
    settings, link = record.settings, record.links[side]
    names = ("recovered_pct", "recovered_end_pct", "bias_kg", "mass_min_kg")
    figures: dict[str, float | None] = dict.fromkeys((*names, "other_arm_kg"))
    if not settings.estimator:
        return figures
    mass, washing = link.estimate[:, 0], washing_window(record)
    other = record.links["left" if side == "right" else "right"].estimate[:, 0]
    before = windows.before(record.time_s, settings.at_s)
    initial = windows.mean(mass, before)
    figures["bias_kg"] = windows.difference(initial, float(link.nominal[0]))
    loaded = record.time_s >= settings.at_s
    if loaded.any():
        figures["mass_min_kg"] = windows.finite(mass[loaded].min())
    figures["other_arm_kg"] = windows.difference(
        windows.mean(other, washing), windows.mean(other, before)
    )
    if settings.payload_kg:
        share = 100.0 / settings.payload_kg
        end = washing & windows.last(record.time_s)
        for name, window in (("recovered_pct", washing), ("recovered_end_pct", end)):
            gained = windows.difference(windows.mean(mass, window), initial)
            figures[name] = windows.scaled(share, gained)
    return figures


def _phases(record: RunRecord, values: Array) -> PhaseOffsets:
    time, at_s = record.time_s, record.settings.at_s
    squatting = windows.before(time, at_s, HOLD_S)
    if at_s < SQUAT_AT_S + SQUAT_S + HOLD_S:
        squatting = np.zeros_like(squatting)
    return PhaseOffsets(
        standing=windows.mean(values, windows.between(time, 0.5, SQUAT_AT_S)),
        squatting=windows.mean(values, squatting),
        squatting_loaded=windows.mean(values, windows.before(time, RISE_AT_S, HOLD_S)),
        washing=windows.mean(values, washing_window(record)),
    )


def _pitch_reference(record: RunRecord) -> Array:
    pitch = record.pelvis_pitch_ref_rad
    return np.zeros(len(record.time_s)) if pitch is None else pitch
