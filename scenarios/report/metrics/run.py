"""Computes the numbers of one run.

The tip error is the loaded run minus the same motion unloaded, at equal times ("from
its unloaded path", arXiv:2610.22176, IV-A1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import msgspec
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from scenarios.records.record import SIDES, Deadlines, LinkSeries, RunRecord, TipSeries
from scenarios.records.versions import installed_versions
from scenarios.report.metrics.base_error import base_error
from scenarios.report.metrics.payload import payload_metrics
from scenarios.report.metrics.results import (
    AxisErrors,
    ComMetrics,
    DeadlineMetrics,
    GroundMetrics,
    LinkMetrics,
    RunMetrics,
    StageTiming,
    TipMetrics,
)
from scenarios.report.metrics.support import Stance
from scenarios.run.settings import RunSettings
from wbmpc.robot import BASE, Robot

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SETTLE_S = 2.0
"""Time after loading at which the settled window starts."""
END_S = 1.0
"""Values "at the end" are means over this last part of the loaded window."""
BAND = 0.1
"""Relative error within which an estimate counts as arrived."""
SHOULDER_JOINTS = 3
"""Before the elbow; what comes after it is wrist."""
REMOVED_BAND_KG = 0.3
"""Mass error within which an estimate counts as back to unloaded."""
GRAVITY = 9.81
AXES = ("x", "y", "z")


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Parts of a run as masks over its ticks.

    Attributes:
        before: The last second before loading.
        whole: From loading to removal or the end.
        settled: From `SETTLE_S` after the load is fully on.
        end: The last second of `whole`.
        removed: From removal on.
    """

    before: Mask
    whole: Mask
    settled: Mask
    end: Mask
    removed: Mask

    @classmethod
    def of(cls, record: RunRecord) -> Windows:
        """Windows of a run."""
        time, settings = record.time_s, record.settings
        stop_s = np.inf if settings.remove_at_s is None else settings.remove_at_s
        whole = (time >= settings.at_s) & (time < stop_s)
        last_s = time[whole][-1] if whole.any() else np.inf
        return cls(
            before=(time < settings.at_s) & (time >= settings.at_s - END_S),
            whole=whole,
            settled=whole & (time >= settings.at_s + settings.ramp_s + SETTLE_S),
            end=whole & (time > last_s - END_S),
            removed=time >= stop_s,
        )


def measure(
    record: RunRecord, robot: Robot, twin: RunRecord | None = None
) -> RunMetrics:
    """Compute every number of a run.

    Args:
        record: The run.
        robot: The robot it was run with.
        twin: The same run unloaded; without it tip errors are None.
    """
    settings, windows = record.settings, Windows.of(record)
    links = {
        series.link: link_metrics(side, series, record, windows)
        for side, series in record.links.items()
    }
    return RunMetrics(
        scenario=settings.scenario,
        robot=record.robot,
        estimator=settings.estimator,
        prior=settings.prior,
        seed=settings.seed,
        duration_s=_duration_s(record),
        fell=record.fell,
        real_time_factor=_ratio(_duration_s(record), record.wall_s),
        payload_kg=settings.payload_kg,
        arm=settings.arm,
        links=links,
        payloads=payload_metrics(record),
        tip={s: tip_metrics(s, record, windows, twin) for s in record.tips},
        elbow_rms_deg={s: _elbow_rms_deg(s, record, robot, windows) for s in SIDES},
        com=_com_metrics(record, windows),
        ground=_ground_metrics(record, robot, windows),
        plant=settings.plant,
        base_estimator=None if settings.uses_truth else settings.base_estimator,
        base_error=base_error(record),
        joint_velocity_rms_rad_per_s=_rms(record.v[windows.settled, BASE:]),
        torque_saturated_pct=_saturated_pct(record),
        published_positive_definite=_positive_definite(record),
        timing_ms=_timing(record),
        deadlines=_deadlines(record.deadlines),
        solve_status=dict(Counter(record.status)),
        faults=dict(record.faults),
        events=[f"{time_s:.2f} s: {what}" for time_s, what in record.events],
        versions=installed_versions(),
    )


def link_metrics(
    side: str, series: LinkSeries, record: RunRecord, windows: Windows
) -> LinkMetrics:
    """Compare one link's estimate with truth."""
    estimated, end = record.settings.estimator, windows.end
    mass = series.estimate[:, 0]
    theta = series.theta

    def if_estimated(value: float | None) -> float | None:
        return value if estimated else None

    def theta_end(first: int, last: int) -> tuple[float, ...] | None:
        return _mean_rows(theta[end, first:last]) if estimated else None

    mass_in, com_in = _inside_band(series)

    def arrival(inside: Mask) -> float | None:
        return if_estimated(_stays_from_s(record.time_s, inside, windows.whole))

    removed = windows.removed
    return LinkMetrics(
        side=side,
        mass_kg=if_estimated(_mean(mass[end])),
        mass_true_kg=_mean(series.truth[end, 0]),
        mass_noise_kg=if_estimated(_std(mass[end])),
        com_m=_mean_rows(com_m(series.estimate)[end]) if estimated else None,
        com_true_m=_mean_rows(com_m(series.truth)[end]),
        sigma_mass_kg=if_estimated(_mean(series.sigma_mass_kg[end])),
        alpha=if_estimated(_rms_norm(theta[windows.settled, 0:1])),
        d=if_estimated(_rms_norm(theta[windows.settled, 1:4])),
        s=if_estimated(_rms_norm(theta[windows.settled, 4:7])),
        t=if_estimated(_rms_norm(theta[windows.settled, 7:10])),
        alpha_end=if_estimated(_mean(theta[end, 0])),
        d_end=theta_end(1, 4),
        s_end=theta_end(4, 7),
        t_end=theta_end(7, 10),
        t3_end=if_estimated(_mean(theta[end, 9])),
        time_to_10pct_s=arrival(mass_in & com_in),
        mass_time_to_10pct_s=arrival(mass_in),
        com_time_to_10pct_s=arrival(com_in),
        payload_time_to_10pct_s=if_estimated(
            _payload_arrival_s(series, record, windows)
        ),
        mass_after_removal_kg=if_estimated(_mean(mass[_last_second(record, removed)])),
        time_to_removed_s=if_estimated(_removal_s(series, record, windows)),
        pseudo_inertia_min_eigenvalue=if_estimated(_min_eigenvalue(series)),
    )


def tip_metrics(
    side: str, record: RunRecord, windows: Windows, twin: RunRecord | None
) -> TipMetrics:
    """Deviation of one tip from its unloaded path and from its reference."""
    tip = record.tips[side]
    world = tip_error_m(record, twin, side, "world_m")
    torso = tip_error_m(record, twin, side, "torso_m")
    reference = tip.torso_m - tip.reference_torso_m
    return TipMetrics(
        **msgspec.structs.asdict(axis_errors(world, windows.settled)),
        whole=axis_errors(world, windows.whole),
        torso=axis_errors(torso, windows.settled),
        torso_whole=axis_errors(torso, windows.whole),
        reference=axis_errors(reference, windows.settled),
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
    path = _path(record.tips[side], field)
    if twin is None:
        return np.full_like(path, np.nan)
    unloaded = _path(twin.tips[side], field)
    columns = [
        np.interp(record.time_s, twin.time_s, unloaded[:, axis], right=np.nan)
        for axis in range(3)
    ]
    return path - np.column_stack(columns)


def axis_errors(error_m: Array, window: Mask) -> AxisErrors:
    """RMSE and bias by axis in mm of an error (T, 3) in m."""
    chosen = error_m[window]
    chosen = 1e3 * chosen[np.isfinite(chosen).all(axis=1)]
    values = {f"rmse_{a}_mm": _rms(chosen[:, i]) for i, a in enumerate(AXES)}
    values |= {f"bias_{a}_mm": _mean(chosen[:, i]) for i, a in enumerate(AXES)}
    return AxisErrors(**values)


def com_m(parameters: Array) -> Array:
    """Centre of mass (T, 3) of parameters (T, 10) [m, m c, I]."""
    return parameters[:, 1:4] / parameters[:, 0:1]


def pseudo_inertia(parameters: Array) -> Array:
    """Pseudo-inertia matrices (T, 4, 4) of parameters (T, 10), Pinocchio's order.

    Gamma = [[Sigma, h], [h^T, m]] with Sigma = tr(I)/2 E - I (Rucker & Wensing 2022).
    """
    xx, xy, yy, xz, yz, zz = parameters[:, 4:10].T
    gamma = np.empty((len(parameters), 4, 4))
    gamma[:, 0, 0] = (yy + zz - xx) / 2
    gamma[:, 1, 1] = (xx + zz - yy) / 2
    gamma[:, 2, 2] = (xx + yy - zz) / 2
    gamma[:, 0, 1] = gamma[:, 1, 0] = -xy
    gamma[:, 0, 2] = gamma[:, 2, 0] = -xz
    gamma[:, 1, 2] = gamma[:, 2, 1] = -yz
    gamma[:, 3, :3] = gamma[:, :3, 3] = parameters[:, 1:4]
    gamma[:, 3, 3] = parameters[:, 0]
    return gamma


def _path(tip: TipSeries, field: str) -> Array:
    path: Array = getattr(tip, field)
    return path


def _inside_band(series: LinkSeries) -> tuple[Mask, Mask]:
    """Whether mass and centre of mass are within 10 % of truth."""
    mass, true = series.estimate[:, 0], series.truth[:, 0]
    com_error = np.linalg.norm(com_m(series.estimate) - com_m(series.truth), axis=1)
    com_size = np.linalg.norm(com_m(series.truth), axis=1)
    return np.abs(mass - true) <= BAND * true, com_error <= BAND * com_size


def _payload_arrival_s(
    series: LinkSeries, record: RunRecord, windows: Windows
) -> float | None:
    nominal = series.nominal[0]
    load = series.truth[:, 0] - nominal
    if not load[windows.whole].any():
        return None
    error = np.abs(series.estimate[:, 0] - nominal - load)
    return _stays_from_s(record.time_s, error <= BAND * load, windows.whole)


def _removal_s(series: LinkSeries, record: RunRecord, windows: Windows) -> float | None:
    error = np.abs(series.estimate[:, 0] - series.truth[:, 0])
    return _stays_from_s(record.time_s, error <= REMOVED_BAND_KG, windows.removed)


def _stays_from_s(time_s: Array, inside: Mask, window: Mask) -> float | None:
    """Time from the window's start until `inside` holds to the window's end."""
    times, held = time_s[window], inside[window]
    if not len(held) or not held[-1]:
        return None
    outside = np.flatnonzero(~held)
    first = outside[-1] + 1 if len(outside) else 0
    return float(times[first] - times[0])


def _min_eigenvalue(series: LinkSeries) -> float | None:
    both = np.concatenate([series.estimate, series.published])
    return _lowest_eigenvalue(both)


def _lowest_eigenvalue(parameters: Array) -> float | None:
    if not len(parameters) or not np.isfinite(parameters).all():
        return None
    return float(np.linalg.eigvalsh(pseudo_inertia(parameters)).min())


def _positive_definite(record: RunRecord) -> bool | None:
    if not record.settings.estimator or not record.links:
        return None
    lowest = [_lowest_eigenvalue(s.published) for s in record.links.values()]
    return all(value is not None and value > 0.0 for value in lowest)


def _elbow_rms_deg(
    side: str, record: RunRecord, robot: Robot, windows: Windows
) -> float | None:
    groups = robot.settings.groups
    upper = (*groups.spine, *groups.left_arm, *groups.right_arm)
    arm = groups.left_arm if side == "left" else groups.right_arm
    elbow = arm[min(SHOULDER_JOINTS, len(arm) - 1)]
    angle = record.q[:, 7 + record.joint_names.index(elbow)]
    error = angle - record.q_upper_ref[:, upper.index(elbow)]
    return _rms(np.rad2deg(error[windows.settled]))


def _com_metrics(record: RunRecord, windows: Windows) -> ComMetrics:
    com_mm = 1e3 * record.com_m
    drift = None
    if windows.before.any() and windows.end.any():
        shift = com_mm[windows.end].mean(axis=0) - com_mm[windows.before].mean(axis=0)
        drift = _finite(np.linalg.norm(shift[:2]))
    spread = np.ptp(com_mm, axis=0) if len(com_mm) else np.full(3, np.nan)
    return ComMetrics(
        drift_mm=drift,
        spread_mm={a: _finite(spread[i]) for i, a in enumerate(AXES)},
    )


def _ground_metrics(record: RunRecord, robot: Robot, windows: Windows) -> GroundMetrics:
    stance, whole = Stance(robot), windows.whole
    cop = stance.cop_m(record)[whole]
    cop = cop[np.isfinite(cop).all(axis=1)]
    bare = record.robot_mass_kg
    bare = pin.computeTotalMass(robot.full_model) if bare is None else bare
    mass = bare + record.payload_kg.sum(axis=1)
    weight = GRAVITY * mass[whole]
    true = record.wrench_true[whole, :, 2].sum(axis=1)
    share = 100 * (record.wrench_estimated[whole, :, 2].sum(axis=1) - true) / weight
    estimated = record.settings.estimator
    return GroundMetrics(
        cop_min_margin_mm=_finite(1e3 * stance.margin_m(cop).min())
        if len(cop)
        else None,
        vertical_error_rms_pct=_rms(share) if estimated else None,
        vertical_error_bias_pct=_mean(share) if estimated else None,
        weight_error_pct=_mean(100 * (true - weight) / weight),
    )


def _saturated_pct(record: RunRecord) -> float | None:
    at_limit = np.abs(record.tau_Nm) >= record.torque_limit_Nm * (1 - 1e-9)
    return _mean(np.where(at_limit, 100.0, 0.0).ravel())


def _timing(record: RunRecord) -> dict[str, StageTiming]:
    table = {}
    for stage, durations in record.timing_ms.items():
        finite = durations[np.isfinite(durations)]
        if len(finite):
            p50, p95, p99 = np.percentile(finite, (50, 95, 99))
            table[stage] = StageTiming(
                p50=float(p50), p95=float(p95), p99=float(p99), max=float(finite.max())
            )
    return table


def _deadlines(kept: Deadlines | None) -> DeadlineMetrics | None:
    if kept is None:
        return None
    return DeadlineMetrics(
        control_missed_pct=100.0 * kept.control_missed / max(1, kept.control_total),
        control_missed=kept.control_missed,
        control_longest_row=kept.control_longest_row,
        steps_late_pct=100.0 * kept.steps_late / max(1, kept.steps_total),
        scheduler=kept.scheduler,
        memory_locked=kept.memory_locked,
        refused=kept.refused,
    )


def _last_second(record: RunRecord, window: Mask) -> Mask:
    if not window.any():
        return window
    return window & (record.time_s > record.time_s[window][-1] - END_S)


def _duration_s(record: RunRecord) -> float:
    """Simulated time, the last tick included."""
    time = record.time_s
    return float(2 * time[-1] - time[-2] - time[0]) if len(time) > 1 else 0.0


def unloaded(settings: RunSettings) -> RunSettings:
    """Settings of the run that tip errors are measured against.

    The same motion without load and without estimator: a path that does not depend
    on what is being judged.
    """
    return msgspec.structs.replace(settings, payload_kg=0.0, estimator=False, faults=())


def _ratio(over: float, under: float) -> float | None:
    return _finite(over / under) if under > 0 else None


def _mean(values: Array) -> float | None:
    return _finite(values.mean()) if len(values) else None


def _std(values: Array) -> float | None:
    return _finite(values.std()) if len(values) else None


def _rms(values: Array) -> float | None:
    return _finite(np.sqrt(np.mean(np.square(values)))) if values.size else None


def _rms_norm(rows: Array) -> float | None:
    """RMS over time of the norm of each row."""
    return _rms(np.linalg.norm(rows, axis=1)) if len(rows) else None


def _mean_rows(rows: Array) -> tuple[float, ...] | None:
    if not len(rows) or not np.isfinite(rows).all():
        return None
    return tuple(float(x) for x in rows.mean(axis=0))


def _finite(value: float | np.floating) -> float | None:
    return float(value) if np.isfinite(value) else None
