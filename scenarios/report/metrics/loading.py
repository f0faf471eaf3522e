"""Plates mounted at runtime (arXiv:2610.22176, IV-B1, Fig. 6, Table VI)."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scenarios.library.loads import LoadEvent, loaded_sides, staircase
from scenarios.records.record import SIDES, RunRecord
from scenarios.report.metrics import windows
from scenarios.report.metrics.power import PowerModel
from scenarios.report.metrics.support import Stance
from wbmpc.robot import Robot

Array = NDArray[np.float64]


class LoadStep(msgspec.Struct, frozen=True, kw_only=True):
    """One tread of the staircase: means over its last second."""

    load_kg: float
    """Cumulative load on the forearm."""
    recovered_kg: float | None
    """Estimated mass relative to the pre-load estimate."""
    recovered_pct: float | None
    sag_mm: float | None
    """Height of the tip before loading minus now."""
    power_W: float | None
    other_arm_kg: float | None
    """What the estimate puts on the unloaded forearm, relative to before loading."""


class ComRange(msgspec.Struct, frozen=True, kw_only=True):
    """Centre of mass along one axis of the mid-foot frame (Table VI)."""

    mean_m: float | None
    min_m: float | None
    max_m: float | None
    spread_mm: float | None


class LoadingMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """The staircase and its removal."""

    bias_kg: float | None
    """Pre-load estimate of the forearm minus the robot file's."""
    bias_true_kg: float | None
    """Pre-load estimate minus the forearm the plant really has."""
    steps: list[LoadStep]
    recovered_min_pct: float | None
    sag_mm: float | None
    """At full load."""
    returned_mm: float | None
    """Height of the tip at the end minus before loading."""
    mass_after_removal_kg: float | None
    """Estimate at the end relative to the pre-load estimate."""
    power_unloaded_W: float | None
    power_peak_W: float | None
    power_ratio: float | None
    com: dict[str, ComRange]
    """From a second before loading to the end, by axis; true, load included."""
    cop_margin_min_mm: float | None


def loading_metrics(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> LoadingMetrics:
    """Compute the figures of one run.

    Args:
        record: The run.
        robot: The robot it was run with.
        twin: Not needed.
    """
    del twin
    settings, time = record.settings, record.time_s
    side = loaded_sides(settings)[0]
    link = record.links[side]
    before, end = windows.before(time, settings.at_s), windows.last(time)
    removed = settings.remove_at_s is not None and time[-1] > settings.remove_at_s
    height = 1e3 * record.tips[side].world_m[:, 2]
    power = PowerModel().power_W(record, robot)
    steps = _steps(record, power)
    mass = link.estimate[:, 0]
    initial = windows.mean(mass, before) if settings.estimator else None
    peak = steps[-1].power_W if steps else None
    idle_W = windows.mean(power, before)
    shares = [step.recovered_pct for step in steps]
    known = [share for share in shares if share is not None]

    def at_end(values: Array) -> float | None:
        now = windows.mean(values, end) if removed else None
        return windows.difference(now, windows.mean(values, before))

    return LoadingMetrics(
        bias_kg=windows.difference(initial, float(link.nominal[0])),
        bias_true_kg=windows.difference(
            initial, windows.mean(link.truth[:, 0], before)
        ),
        steps=steps,
        recovered_min_pct=min(known) if known and len(known) == len(shares) else None,
        sag_mm=steps[-1].sag_mm if steps else None,
        returned_mm=at_end(height),
        mass_after_removal_kg=at_end(mass) if settings.estimator else None,
        power_unloaded_W=idle_W,
        power_peak_W=peak,
        power_ratio=windows.ratio(peak, idle_W),
        com=com_ranges(record),
        cop_margin_min_mm=_cop_margin_mm(record, robot),
    )


def com_ranges(record: RunRecord) -> dict[str, ComRange]:
    """Table VI: where the centre of mass was from a second before loading on."""
    chosen = record.com_m[record.time_s >= record.settings.at_s - windows.SPAN_S]
    ranges = {}
    for index, axis in enumerate("xyz"):
        values = chosen[:, index]
        if not len(values):
            values = np.array([np.nan])
        ranges[axis] = ComRange(
            mean_m=windows.finite(values.mean()),
            min_m=windows.finite(values.min()),
            max_m=windows.finite(values.max()),
            spread_mm=windows.finite(1e3 * np.ptp(values)),
        )
    return ranges


def _steps(record: RunRecord, power: Array) -> list[LoadStep]:
    settings = record.settings
    schedule = staircase(settings)
    treads = [event for event in schedule if event.mass_kg > 0.0]
    ends = [event.time_s for event in schedule[1:]]
    if settings.remove_at_s is None and treads:
        ends.append(settings.duration_s)
    pairs = zip(treads, ends, strict=True)
    return [_step(record, tread, end_s, power) for tread, end_s in pairs]


def _step(record: RunRecord, tread: LoadEvent, end_s: float, power: Array) -> LoadStep:
    time, side = record.time_s, loaded_sides(record.settings)[0]
    before = windows.before(time, record.settings.at_s)
    span_s = min(windows.SPAN_S, 0.5 * (end_s - tread.time_s))
    now = windows.before(time, end_s, span_s)

    def change(values: Array) -> float | None:
        return windows.difference(
            windows.mean(values, now), windows.mean(values, before)
        )

    recovered = other = None
    if record.settings.estimator:
        idle = SIDES[1 - SIDES.index(side)]
        recovered = change(record.links[side].estimate[:, 0])
        other = change(record.links[idle].estimate[:, 0])
    sag = change(-1e3 * record.tips[side].world_m[:, 2])
    return LoadStep(
        load_kg=tread.mass_kg,
        recovered_kg=recovered,
        recovered_pct=windows.scaled(100.0 / tread.mass_kg, recovered),
        sag_mm=sag,
        power_W=windows.mean(power, now),
        other_arm_kg=other,
    )


def _cop_margin_mm(record: RunRecord, robot: Robot) -> float | None:
    stance = Stance(robot)
    margin = stance.margin_m(stance.cop_m(record))[
        record.time_s >= record.settings.at_s
    ]
    margin = margin[np.isfinite(margin)]
    return windows.finite(1e3 * margin.min()) if len(margin) else None
