"""Runs an estimator over a stream and measures how it did."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from ekf import EkfError, JointSample, PayloadEstimator, PayloadReport, identify
from ekf.inertia.pseudo_inertia import is_consistent
from ekf.payload.payload_torque import locate
from models.arrays import Array
from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.run.estimators import ESTIMATORS, find_estimator
from scenarios.studies.estimators.streams.stream import Stream, aligned

BATCH = "batch"
"""The offline reference is no streaming estimator, but has a name among them."""
NAMES = (*ESTIMATORS, BATCH)
COMPARED = tuple(n for n in NAMES if n == BATCH or ESTIMATORS[n].compared)
"""Those without the variants of another one."""
BAND = 0.1
"""Relative width of the band around the true mass."""
END_S = 1.0
"""Span at the end of a stream over which error, noise and calibration are taken."""
SETTLE_S = 0.3
"""The offline reference leaves out this long after the payload appeared."""


@dataclass(frozen=True, kw_only=True)
class Track:
    """Output of an estimator along a stream, T samples.

    Attributes:
        estimator: Its name.
        time_s: (T,) times.
        mass_kg: (T,) payload mass.
        sigma_kg: (T,) its standard deviation as the estimator reports it.
        payload: (10,) payload parameters at the end, about the joint frame.
        consistent: Whether link plus payload was a rigid body at every sample.
        us_per_sample: Median duration of learning one sample; the mean offline.
        counts: What became of the samples.
        offline: Whether it saw the whole stream at once.
        report: What a supervised estimator says at the end.
        events: What it says happened, one sentence each with its time.
    """

    estimator: str
    time_s: Array
    mass_kg: Array
    sigma_kg: Array
    payload: Array
    consistent: bool
    us_per_sample: float
    counts: dict[str, int]
    offline: bool = False
    report: PayloadReport | None = None
    events: tuple[str, ...] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One estimator on one stream; see `docs/estimators.md` for the columns."""

    stream: str
    estimator: str
    time_to_10pct_s: float | None
    final_error_kg: float | None
    noise_kg: float
    false_alarms: float
    us_per_sample: float
    consistent: bool
    nees: float | None
    seeds: int = 1


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of estimators, the offline reference among them, each once.

    Raises:
        UnknownNameError: One of them does not exist.
    """
    for name in names:
        if name not in NAMES:
            raise UnknownNameError("estimator", name, NAMES)
    return tuple(dict.fromkeys(names))


def run_estimator(name: str, stream: Stream) -> Track:
    """Feed a stream to a fresh estimator, or to the offline reference.

    Raises:
        UnknownNameError: No such estimator.
        ScenarioError: The offline reference found no usable sample.
    """
    if name == BATCH:
        return _run_batch(stream)
    estimator = find_estimator(name).on_stream(stream.robot)
    samples = list(stream.log)
    return _follow(name, estimator, samples, _nominal(stream))


def measure_track(track: Track, stream: Stream) -> Row:
    """Compare with the truth."""
    end = track.time_s >= track.time_s[-1] - END_S
    error = nees = arrival = None
    alarms = 0
    if stream.truth_kg is not None and stream.at_s is not None:
        truth = np.interp(track.time_s, stream.log.time_s, stream.truth_kg)
        deviation = track.mass_kg - truth
        error = float(np.mean(deviation[end]))
        variance = np.maximum(track.sigma_kg[end] ** 2, 1e-300)
        nees = float(np.mean(deviation[end] ** 2 / variance))
        band = BAND * float(truth[-1])
        if not track.offline:
            arrival = time_to_band_s(track.time_s, deviation, stream.at_s, band)
            before = track.time_s < stream.at_s
            alarms = count_entries(np.abs(deviation[before]) > band)
    return Row(
        stream=stream.name,
        estimator=track.estimator,
        time_to_10pct_s=arrival,
        final_error_kg=error,
        noise_kg=float(np.std(track.mass_kg[end])),
        false_alarms=alarms,
        us_per_sample=track.us_per_sample,
        consistent=track.consistent,
        nees=nees,
    )


def time_to_band_s(
    time_s: Array, deviation: Array, at_s: float, band: float
) -> float | None:
    """Time after `at_s` from which the deviation stays inside; None if never."""
    outside = np.flatnonzero((np.abs(deviation) > band) & (time_s >= at_s))
    if not len(outside):
        return 0.0
    first = outside[-1] + 1
    return float(time_s[first] - at_s) if first < len(time_s) else None


def count_entries(outside: NDArray[np.bool_]) -> int:
    """How often a condition became true."""
    return int(np.count_nonzero(np.diff(outside.astype(int), prepend=0) > 0))


def combine(rows: list[Row]) -> Row:
    """One row for the same stream with several seeds.

    Median arrival (None if half of them never arrive), root mean square final error,
    means of the rest; consistent only if all are.
    """
    arrivals = [
        np.inf if r.time_to_10pct_s is None else r.time_to_10pct_s for r in rows
    ]
    arrival = float(np.median(arrivals))
    errors = [r.final_error_kg for r in rows if r.final_error_kg is not None]
    nees = [r.nees for r in rows if r.nees is not None]
    return msgspec.structs.replace(
        rows[0],
        time_to_10pct_s=arrival if np.isfinite(arrival) else None,
        final_error_kg=float(np.sqrt(np.mean(np.square(errors)))) if errors else None,
        noise_kg=float(np.mean([r.noise_kg for r in rows])),
        false_alarms=float(np.mean([r.false_alarms for r in rows])),
        us_per_sample=float(np.median([r.us_per_sample for r in rows])),
        consistent=all(r.consistent for r in rows),
        nees=float(np.mean(nees)) if nees else None,
        seeds=len(rows),
    )


def _follow(
    name: str,
    estimator: PayloadEstimator,
    samples: list[JointSample],
    nominal: Array,
) -> Track:
    mass, sigma, durations = np.empty((3, len(samples)))
    consistent = True
    for k, sample in enumerate(samples):
        started = time.perf_counter()
        estimator.learn_one(sample)
        durations[k] = time.perf_counter() - started
        mass[k], sigma[k] = estimator.predict_one(), estimator.sigma_mass_kg
        consistent &= is_consistent(nominal + estimator.payload_parameters)
    return Track(
        estimator=name,
        time_s=np.array([sample.time_s for sample in samples]),
        mass_kg=mass,
        sigma_kg=sigma,
        payload=estimator.payload_parameters,
        consistent=consistent,
        us_per_sample=1e6 * float(np.median(durations)),
        report=getattr(estimator, "report", None),
        events=tuple(
            f"{event.time_s:.2f} s {event.sentence()}"
            for event in getattr(estimator, "events", ())
        ),
        counts={status.value: n for status, n in estimator.counts.items()},
    )


def _run_batch(stream: Stream) -> Track:
    prepared = aligned(stream)
    log, robot = prepared.log, stream.robot
    since = -np.inf if stream.at_s is None else stream.at_s + SETTLE_S
    samples = [sample for sample in log if sample.time_s >= since]
    started = time.perf_counter()
    if not samples:
        raise ScenarioError(f"{stream.name}: no sample after the payload appeared")
    try:
        result = identify(
            robot.model,
            robot.links,
            samples,
            feet=robot.feet,
            torque_variance=robot.torque_variance,
        )
    except EkfError as error:
        raise ScenarioError(f"{stream.name}: {BATCH}: {error}") from None
    cost = 1e6 * (time.perf_counter() - started) / len(samples)
    payload = result.parameters[0] - _nominal(stream)
    ones = np.ones(len(log))
    return Track(
        estimator=BATCH,
        time_s=log.time_s,
        mass_kg=max(payload[0], 0.0) * ones,
        sigma_kg=result.sigma_mass_kg[0] * ones,
        payload=payload,
        consistent=is_consistent(result.parameters[0]),
        us_per_sample=cost,
        counts={"used": result.n_samples, "missing": result.n_missing},
        offline=True,
    )


def _nominal(stream: Stream) -> Array:
    joint, _ = locate(stream.robot.model, stream.robot.link)
    parameters: Array = stream.robot.model.inertias[joint].toDynamicParameters()
    return parameters
