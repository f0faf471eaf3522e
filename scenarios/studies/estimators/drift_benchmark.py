"""Drift detectors on the two-link robot: who fires when nothing has changed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from ekf.learning.drift_aware_learner import DriftAwareResidualDynamicsLearner
from ekf.learning.residual_learner import ResidualDynamicsLearner
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.two_link import two_link_stream

SAMPLES, STEP_AT = 400, 200
DEADLINE = 20
"""Samples after the step within which a detector shall fire."""

STREAMS: dict[str, dict[str, Any]] = {
    "payload step": {},
    "payload step, 5x noise": {"noise_tau": 0.1},
    "payload doubles": {"payload_kg": (0.5, 1.0)},
    "friction step": {
        "payload_kg": (2.0, 2.0),
        "viscous": (0.5, 1.5),
        "coulomb": (0.1, 0.3),
        "noise_tau": 0.0,
    },
}
"""Changes of `two_link_stream`; 0 to 0.5 kg with 0.02 Nm of noise by default. In the
last two part of the torque is outside the learner's features before the step already.
"""
DETECTORS: dict[str, dict[str, Any]] = {
    "none": {},
    "hampel": {"trigger": "hampel"},
    "cusum h=5": {"trigger": "cusum", "drift_h": 5.0},
    "cusum h=10": {"trigger": "cusum", "drift_h": 10.0},
    "cusum h=20": {"trigger": "cusum", "drift_h": 20.0},
    "innovation": {"trigger": "innovation"},
}


class DriftRow(msgspec.Struct, frozen=True, kw_only=True):
    """One detector on one kind of step, several seeds.

    Attributes:
        stream: What changes.
        detector: Which one; `none` is the plain learner.
        seeds: How many runs.
        runs_with_false_alarm: Runs in which it fired before the step.
        false_alarms: Mean number of alarms before the step.
        detected: Runs in which it fired within 20 samples after the step.
        clean: Runs that did so without a false alarm.
        delay_median: Samples from the step to the first alarm after it.
        delay_max: The longest of them.
        error_before_Nm: RMS torque error of the learner, samples 100 to 199.
        error_after_Nm: The same, samples 210 to 259.
        us_per_sample: Median duration of learning one sample.
    """

    stream: str
    detector: str
    seeds: int
    runs_with_false_alarm: int
    false_alarms: float
    detected: int
    clean: int
    delay_median: float | None
    delay_max: int | None
    error_before_Nm: float  # noqa: N815
    error_after_Nm: float  # noqa: N815
    us_per_sample: float


@dataclass(frozen=True, kw_only=True)
class DriftRun:
    """One run.

    Attributes:
        events: Samples at which the detector fired.
        error_before_Nm: RMS torque error before the step, converged.
        error_after_Nm: RMS torque error soon after the step.
        us_per_sample: Median duration of learning one sample.
    """

    events: tuple[int, ...]
    error_before_Nm: float
    error_after_Nm: float
    us_per_sample: float


def benchmark_drift(seeds: int) -> tuple[list[DriftRow], dict[str, list[DriftRun]]]:
    """All detectors on all steps; also the runs of the payload step by detector."""
    rows, shown = [], {}
    for stream_name, changes in STREAMS.items():
        streams = [two_link_stream(seed, **changes) for seed in range(seeds)]
        for detector, settings in DETECTORS.items():
            runs = [run_detector(stream, settings) for stream in streams]
            rows.append(summarise(stream_name, detector, runs))
            if stream_name == "payload step":
                shown[detector] = runs
    return rows, shown


def run_detector(stream: Stream, settings: Mapping[str, Any]) -> DriftRun:
    """Learn a stream with a detector; without settings, with the plain learner."""
    learner = _learner(stream, settings)
    errors, durations = [], []
    for sample in stream.log:
        assert sample.a is not None
        predicted = learner.predict_torque(sample.q, sample.v, sample.a)
        errors.append(sample.tau - predicted)
        started = time.perf_counter()
        learner.learn_one(sample)
        durations.append(time.perf_counter() - started)
    squares = np.square(errors)
    return DriftRun(
        events=getattr(learner, "events", ()),
        error_before_Nm=float(np.sqrt(squares[100:STEP_AT].mean())),
        error_after_Nm=float(np.sqrt(squares[STEP_AT + 10 : STEP_AT + 60].mean())),
        us_per_sample=1e6 * float(np.median(durations)),
    )


def summarise(stream: str, detector: str, runs: list[DriftRun]) -> DriftRow:
    """One row of several runs."""
    early = [[e for e in run.events if e < STEP_AT] for run in runs]
    late = [[e - STEP_AT for e in run.events if e >= STEP_AT] for run in runs]
    delays = [min(events) for events in late if events]
    in_time = [bool(events) and min(events) < DEADLINE for events in late]
    clean = [hit and not bad for hit, bad in zip(in_time, early, strict=True)]
    return DriftRow(
        stream=stream,
        detector=detector,
        seeds=len(runs),
        runs_with_false_alarm=sum(map(bool, early)),
        false_alarms=float(np.mean([len(events) for events in early])),
        detected=sum(in_time),
        clean=sum(clean),
        delay_median=float(np.median(delays)) if delays else None,
        delay_max=max(delays) if delays else None,
        error_before_Nm=float(np.mean([run.error_before_Nm for run in runs])),
        error_after_Nm=float(np.mean([run.error_after_Nm for run in runs])),
        us_per_sample=float(np.median([run.us_per_sample for run in runs])),
    )


def _learner(stream: Stream, settings: Mapping[str, Any]) -> ResidualDynamicsLearner:
    model = stream.robot.model
    if not settings:
        return ResidualDynamicsLearner(model, lam=0.99)
    return DriftAwareResidualDynamicsLearner(model, lam=0.99, **settings)
