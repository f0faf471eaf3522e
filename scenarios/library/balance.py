"""Two-handed balance under load and push (arXiv:2610.22176, IV-A2, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from scenarios.library.loads.schedule import loaded_sides
from scenarios.library.motions.arms_forward import reach_forward
from scenarios.library.scenario import Defaults, Scenario
from scenarios.report.paper import Goal

if TYPE_CHECKING:
    from models.arrays import Array
    from scenarios.library.scenario import Figures
    from scenarios.records.record import RunRecord
    from scenarios.report.figure_style import Records
    from scenarios.report.scoreboard import Line
    from scenarios.run.settings import Push
    from wbmpc.robot import Robot

GOALS = {
    "cop_margin_end_mm": Goal(at_least=0.0),
    "com_margin_end_mm": Goal(at_least=0.0),
    "pelvis_shift_x_mm": Goal(at_most=0.0),
}
"""10 kg in both hands, with the estimator: it stands, the pelvis moved back."""
SETTLED_MM = 5.0
"""Distance of the centre of mass from its final place that counts as recovered."""


class PushMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Effect of a push."""

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


def measure_balance(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> BalanceMetrics:
    """Compute the figures of one run; it needs no twin."""
    import numpy as np

    from scenarios.report.metrics import windows
    from scenarios.report.metrics.body import pelvis_pitch_deg
    from scenarios.report.metrics.support import Stance

    del twin
    settings, time = record.settings, record.time_s
    before = windows.before(time, settings.at_s)
    end, loaded = windows.last(time), time >= settings.at_s
    stance, sides = Stance(robot), loaded_sides(settings)
    com, pelvis = 1e3 * record.com_m, 1e3 * record.pelvis_m
    com_margin = 1e3 * stance.margin_m(record.com_m[:, :2])
    cop_margin = 1e3 * stance.margin_m(stance.cop_m(record))
    tips = np.mean([1e3 * record.tips[s].world_m[:, 2] for s in sides], axis=0)
    pitch = pelvis_pitch_deg(record.q)
    push = settings.push
    return BalanceMetrics(
        load_total_kg=settings.payload_kg * len(sides),
        stood=not record.fell,
        fell_at_s=windows.finite(time[-1]) if record.fell else None,
        pelvis_shift_x_mm=windows.change(pelvis[:, 0], before, end),
        pelvis_shift_z_mm=windows.change(pelvis[:, 2], before, end),
        pelvis_pitch_max_deg=windows.largest_size(pitch, loaded),
        com_x_end_mm=windows.mean(com[:, 0], end),
        com_shift_x_mm=windows.change(com[:, 0], before, end),
        com_margin_end_mm=windows.mean(com_margin, end),
        com_margin_min_mm=windows.smallest(com_margin, loaded),
        cop_margin_end_mm=windows.mean(cop_margin, end),
        cop_margin_min_mm=windows.smallest(cop_margin, loaded),
        arm_sag_mm=windows.scaled(-1.0, windows.change(tips, before, end)),
        push=None if push is None else _measure_push(record, cop_margin, push),
    )


def _measure_push(record: RunRecord, cop_margin_mm: Array, push: Push) -> PushMetrics:
    import numpy as np

    from scenarios.report.metrics import windows

    time, com = record.time_s, 1e3 * record.com_m[:, :2]
    after = time >= push.at_s
    before, end = windows.before(time, push.at_s, 0.2), windows.last(time, 0.5)
    excursion = recovered = None
    if before.any() and after.any():
        moved = np.linalg.norm(com - com[before].mean(axis=0), axis=1)
        excursion = windows.finite(moved[after].max())
    if after.any() and not record.fell:
        away = np.linalg.norm(com - com[end].mean(axis=0), axis=1)
        recovered = windows.stays_from_s(time, away <= SETTLED_MM, after)
    return PushMetrics(
        impulse_forward_Ns=push.forward_N * push.duration_s,
        impulse_left_Ns=push.left_N * push.duration_s,
        com_excursion_mm=excursion,
        cop_margin_min_mm=windows.smallest(cop_margin_mm, after),
        recovered_after_s=recovered,
    )


def balance_lines(measured: BalanceMetrics) -> Iterator[Line]:
    """Posture, margins, and what a push did."""
    from scenarios.report.scoreboard import field_line

    rows = {
        "pelvis_shift_x_mm": ("pelvis shift, forward", "moves back"),
        "com_shift_x_mm": ("CoM shift, forward", None),
        "com_margin_end_mm": ("CoM inside the polygon, end", "inside"),
        "com_margin_min_mm": ("CoM inside the polygon, smallest", None),
        "cop_margin_end_mm": ("CoP inside the polygon, end", "inside"),
        "cop_margin_min_mm": ("CoP inside the polygon, smallest", None),
        "arm_sag_mm": ("sag of the loaded tips", None),
        "pelvis_pitch_max_deg": ("pelvis pitch, largest", "upright"),
    }
    for key, (label, published) in rows.items():
        yield field_line(measured, key, label, paper=published, goal=GOALS.get(key))
    pushed = {
        "impulse_forward_Ns": "push, forward",
        "impulse_left_Ns": "push, left",
        "com_excursion_mm": "CoM excursion after the push",
        "cop_margin_min_mm": "CoP margin after the push, smallest",
        "recovered_after_s": "CoM back within 5 mm after",
    }
    if measured.push is not None:
        for key, label in pushed.items():
            yield field_line(measured.push, key, label, prefix="push_", decimals=2)


def balance_figures(robot: Robot, records: Records) -> Figures:
    """Postures over time."""
    from scenarios.report.posture import posture

    return {"fig5_posture": lambda: posture(robot, records)}


SCENARIO = Scenario(
    name="balance",
    summary="both arms reach forward; each forearm is loaded slowly",
    motion=reach_forward,
    defaults=Defaults(arm="both", ramp_s=2.0),
    quick={"duration_s": 8.0},
    twin=None,
    measures=measure_balance,
    lines=balance_lines,
    figures=balance_figures,
)
