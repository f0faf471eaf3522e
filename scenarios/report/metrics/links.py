"""Estimated links against the truth."""

from __future__ import annotations

import msgspec
import numpy as np

from ekf.inertia.pseudo_inertia import pseudo_inertia
from models.arrays import Array
from scenarios.records.parameters import com_m
from scenarios.records.record import LinkSeries, RunRecord
from scenarios.report.metrics import windows
from scenarios.report.metrics.results import LinkMetrics
from scenarios.report.metrics.windows import Mask, Windows

BAND = 0.1
"""Relative error within which an estimate counts as arrived."""
NOMINAL_SHARE = 1e-9
"""Of a link's largest parameter: nearer to nominal than this is nominal."""
REMOVED_BAND_KG = 0.3
"""Mass error within which an estimate counts as back to unloaded."""


def link_metrics(
    side: str, series: LinkSeries, record: RunRecord, parts: Windows
) -> LinkMetrics:
    """Compare one link's estimate with truth."""
    end, settled = parts.end, parts.settled
    truth = LinkMetrics(
        side=side,
        mass_true_kg=windows.mean(series.truth[:, 0], end),
        com_true_m=windows.mean_rows(com_m(series.truth), end),
    )
    if not record.settings.has_estimator:
        return truth
    time, mass, theta = record.time_s, series.estimate[:, 0], series.theta
    mass_in, com_in = _inside_band(series)
    after_removal = windows.last_of(time, parts.removed)
    return msgspec.structs.replace(
        truth,
        mass_kg=windows.mean(mass, end),
        mass_noise_kg=windows.std(mass, end),
        com_m=windows.mean_rows(com_m(series.estimate), end),
        sigma_mass_kg=windows.mean(series.sigma_mass_kg, end),
        alpha=windows.rms_norm(theta[:, 0:1], settled),
        d=windows.rms_norm(theta[:, 1:4], settled),
        s=windows.rms_norm(theta[:, 4:7], settled),
        t=windows.rms_norm(theta[:, 7:10], settled),
        alpha_end=windows.mean(theta[:, 0], end),
        d_end=windows.mean_rows(theta[:, 1:4], end),
        s_end=windows.mean_rows(theta[:, 4:7], end),
        t_end=windows.mean_rows(theta[:, 7:10], end),
        t3_end=windows.mean(theta[:, 9], end),
        time_to_10pct_s=windows.stays_from_s(time, mass_in & com_in, parts.whole),
        mass_time_to_10pct_s=windows.stays_from_s(time, mass_in, parts.whole),
        com_time_to_10pct_s=windows.stays_from_s(time, com_in, parts.whole),
        payload_time_to_10pct_s=_payload_arrival_s(series, time, parts.whole),
        mass_after_removal_kg=windows.mean(mass, after_removal),
        time_to_removed_s=_removal_s(series, time, parts.removed),
        pseudo_inertia_min_eigenvalue=_lowest_estimated(series),
    )


def _inside_band(series: LinkSeries) -> tuple[Mask, Mask]:
    """Whether mass and centre of mass are within 10 % of truth."""
    mass, true = series.estimate[:, 0], series.truth[:, 0]
    com_error = np.linalg.norm(com_m(series.estimate) - com_m(series.truth), axis=1)
    com_size = np.linalg.norm(com_m(series.truth), axis=1)
    return np.abs(mass - true) <= BAND * true, com_error <= BAND * com_size


def _payload_arrival_s(series: LinkSeries, time_s: Array, whole: Mask) -> float | None:
    nominal = series.nominal[0]
    load = series.truth[:, 0] - nominal
    if not load[whole].any():
        return None
    error = np.abs(series.estimate[:, 0] - nominal - load)
    return windows.stays_from_s(time_s, error <= BAND * load, whole)


def _removal_s(series: LinkSeries, time_s: Array, removed: Mask) -> float | None:
    error = np.abs(series.estimate[:, 0] - series.truth[:, 0])
    return windows.stays_from_s(time_s, error <= REMOVED_BAND_KG, removed)


def positive_definite(record: RunRecord) -> bool | None:
    """Whether every inertia written into the MPC was a possible body."""
    if not record.settings.has_estimator or not record.links:
        return None
    lowest = [_lowest_eigenvalue(s.published) for s in record.links.values()]
    return all(value is not None and value > 0.0 for value in lowest)


def _lowest_estimated(series: LinkSeries) -> float | None:
    """Smallest eigenvalue of what is not nominal.

    Nominal links of both sides mirror each other: with them, so would the results.
    """
    told = np.concatenate([series.estimate, series.published])
    away = np.abs(told - series.nominal) > NOMINAL_SHARE * np.abs(series.nominal).max()
    return _lowest_eigenvalue(told[away.any(axis=1)])


def _lowest_eigenvalue(parameters: Array) -> float | None:
    if not len(parameters) or not np.isfinite(parameters).all():
        return None
    return float(np.linalg.eigvalsh(pseudo_inertia(parameters)).min())
