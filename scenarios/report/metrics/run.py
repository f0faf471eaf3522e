"""Computes the numbers of one run that every scenario has."""

from __future__ import annotations

from collections import Counter

import numpy as np

from scenarios.records.record import RunRecord
from scenarios.records.versions import installed_versions
from scenarios.report.metrics import windows
from scenarios.report.metrics.base_error import base_error
from scenarios.report.metrics.body import com_metrics, elbow_rms_deg, ground_metrics
from scenarios.report.metrics.links import link_metrics, positive_definite
from scenarios.report.metrics.payload import payload_metrics
from scenarios.report.metrics.results import RunMetrics
from scenarios.report.metrics.timing import deadline_metrics, stage_timing
from scenarios.report.metrics.tips import tip_metrics
from scenarios.report.metrics.windows import Windows
from wbmpc.robot import BASE, Robot


def measure(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> RunMetrics:
    """Compute every number of a run.

    Args:
        record: The run.
        robot: The robot it was run with.
        twin: The same run unloaded; without it tip errors are None.
    """
    settings, parts = record.settings, Windows.of(record)
    links = {
        series.link: link_metrics(side, series, record, parts)
        for side, series in record.links.items()
    }
    return RunMetrics(
        scenario=settings.scenario,
        robot=record.robot,
        estimator=settings.has_estimator,
        estimator_name=settings.estimator,
        prior=settings.prior,
        seed=settings.seed,
        duration_s=_duration_s(record),
        fell=record.fell,
        real_time_factor=_real_time_factor(record),
        payload_kg=settings.payload_kg,
        arm=settings.arm,
        links=links,
        payloads=payload_metrics(record),
        tip={s: tip_metrics(s, record, parts, twin) for s in record.tips},
        elbow_rms_deg=elbow_rms_deg(record, robot, parts),
        com=com_metrics(record, parts),
        ground=ground_metrics(record, robot, parts),
        plant=settings.plant,
        base_estimator=None if settings.uses_truth else settings.base_estimator,
        base_error=base_error(record),
        joint_velocity_rms_rad_per_s=windows.rms(record.v[:, BASE:], parts.settled),
        torque_saturated_pct=_saturated_pct(record),
        published_positive_definite=positive_definite(record),
        timing_ms=stage_timing(record),
        deadlines=deadline_metrics(record.deadlines),
        solve_status=dict(Counter(record.status)),
        faults=dict(record.faults),
        events=[f"{time_s:.2f} s: {what}" for time_s, what in record.events],
        versions=installed_versions(),
    )


def _saturated_pct(record: RunRecord) -> float | None:
    at_limit = np.abs(record.tau_Nm) >= record.torque_limit_Nm * (1 - 1e-9)
    percent = np.where(at_limit, 100.0, 0.0).ravel()
    return windows.finite(percent.mean()) if len(percent) else None


def _duration_s(record: RunRecord) -> float:
    """Simulated time, the last tick included."""
    time = record.time_s
    if len(time) < 2:
        return 0.0
    steps = np.diff(time)
    if steps[-1] > 1.5 * np.median(steps):  # ticks were missed just before the last
        return float(time[-1] + np.median(steps) - time[0])
    return float(2 * time[-1] - time[-2] - time[0])


def _real_time_factor(record: RunRecord) -> float | None:
    duration_s = _duration_s(record)
    return windows.finite(duration_s / record.wall_s) if record.wall_s > 0 else None
