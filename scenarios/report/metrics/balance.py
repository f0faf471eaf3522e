"""Two-handed balance under load and push (arXiv:2610.22176, IV-A2, Fig. 5)."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from scenarios.library.loads import loaded_sides
from scenarios.records.record import RunRecord
from scenarios.report.metrics import windows
from scenarios.report.metrics.support import Stance
from scenarios.run.settings import Push
from wbmpc.robot import Robot

Array = NDArray[np.float64]

SETTLED_MM = 5.0
"""Distance of the centre of mass from its final place that counts as recovered."""


class PushMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """What a push did."""

    impulse_forward_Ns: float
    impulse_left_Ns: float
    com_excursion_mm: float | None
    """Largest horizontal move of the centre of mass from before the push."""
    cop_margin_min_mm: float | None
    """Smallest distance of the CoP from the edge after the push."""
    recovered_after_s: float | None
    """From the push until the centre of mass stays within 5 mm of its final place."""


class BalanceMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Posture and margins; shifts are from the last second before loading."""

    load_total_kg: float
    stood: bool
    fell_at_s: float | None
    pelvis_shift_x_mm: float | None
    """Of the last second; negative is back."""
    pelvis_shift_z_mm: float | None
    pelvis_pitch_max_deg: float | None
    """Largest forward or backward pitch from loading on."""
    com_x_end_mm: float | None
    """Of the mid-foot frame."""
    com_shift_x_mm: float | None
    com_margin_end_mm: float | None
    """Distance of the centre of mass's ground projection from the polygon's edge."""
    com_margin_min_mm: float | None
    cop_margin_end_mm: float | None
    cop_margin_min_mm: float | None
    arm_sag_mm: float | None
    """Loaded tips, mean, height before loading minus height at the end."""
    push: PushMetrics | None


def balance_metrics(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> BalanceMetrics:
    """Compute the figures of one run.

    Args:
        record: The run.
        robot: The robot it was run with.
        twin: Not needed.
    """
    del twin
    settings, time = record.settings, record.time_s
    before = windows.before(time, settings.at_s)
    end, loaded = windows.last(time), time >= settings.at_s
    stance = Stance(robot)
    com = 1e3 * stance.margin_m(record.com_m[:, :2])
    cop = 1e3 * stance.margin_m(stance.cop_m(record))
    pelvis, sides = 1e3 * record.pelvis_m, loaded_sides(settings)
    tips = np.mean([1e3 * record.tips[s].world_m[:, 2] for s in sides], axis=0)

    def shift(values: Array) -> float | None:
        return windows.difference(
            windows.mean(values, end), windows.mean(values, before)
        )

    return BalanceMetrics(
        load_total_kg=settings.payload_kg * len(sides),
        stood=not record.fell,
        fell_at_s=windows.finite(time[-1]) if record.fell else None,
        pelvis_shift_x_mm=shift(pelvis[:, 0]),
        pelvis_shift_z_mm=shift(pelvis[:, 2]),
        pelvis_pitch_max_deg=_largest(pelvis_pitch_deg(record.q), loaded),
        com_x_end_mm=windows.mean(1e3 * record.com_m[:, 0], end),
        com_shift_x_mm=shift(1e3 * record.com_m[:, 0]),
        com_margin_end_mm=windows.mean(com, end),
        com_margin_min_mm=_smallest(com, loaded),
        cop_margin_end_mm=windows.mean(cop, end),
        cop_margin_min_mm=_smallest(cop, loaded),
        arm_sag_mm=windows.scaled(-1.0, shift(tips)),
        push=_push_metrics(record, cop, settings.push) if settings.push else None,
    )


def pelvis_pitch_deg(q: Array) -> Array:
    """Forward pitch (T,) of the base."""
    rotations = (pin.Quaternion(row[3:7]).toRotationMatrix() for row in q)
    return np.rad2deg([np.arctan2(-r[2, 0], r[0, 0]) for r in rotations])


def _push_metrics(record: RunRecord, cop_mm: Array, push: Push) -> PushMetrics:
    time, com = record.time_s, 1e3 * record.com_m[:, :2]
    after = time >= push.at_s
    before, end = windows.before(time, push.at_s, 0.2), windows.last(time, 0.5)
    excursion = None
    if before.any() and after.any():
        moved = com[after] - com[before].mean(axis=0)
        excursion = windows.finite(np.linalg.norm(moved, axis=1).max())
    return PushMetrics(
        impulse_forward_Ns=push.forward_N * push.duration_s,
        impulse_left_Ns=push.left_N * push.duration_s,
        com_excursion_mm=excursion,
        cop_margin_min_mm=_smallest(cop_mm, after),
        recovered_after_s=None
        if record.fell or not after.any()
        else _recovery_s(time[after], com[after], com[end].mean(axis=0)),
    )


def _recovery_s(time_s: Array, com_mm: Array, final_mm: Array) -> float | None:
    away = np.linalg.norm(com_mm - final_mm, axis=1) > SETTLED_MM
    if away[-1]:
        return None
    moved = np.flatnonzero(away)
    return float(time_s[moved[-1] + 1] - time_s[0]) if len(moved) else 0.0


def _largest(values: Array, window: windows.Mask) -> float | None:
    return windows.finite(np.abs(values[window]).max()) if window.any() else None


def _smallest(values: Array, window: windows.Mask) -> float | None:
    chosen = values[window]
    chosen = chosen[np.isfinite(chosen)]
    return windows.finite(chosen.min()) if len(chosen) else None
