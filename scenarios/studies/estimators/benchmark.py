"""All payload estimators on all streams: the numbers of one fair comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from ekf import PayloadRLS
from scenarios.run.estimation_robot import EstimationRobot
from scenarios.studies.estimators.drift_benchmark import (
    DriftRow,
    DriftRun,
    benchmark_drift,
)
from scenarios.studies.estimators.estimation import (
    BAND,
    BATCH,
    COMPARED,
    Row,
    Track,
    combine,
    measure_track,
    run_estimator,
    time_to_band_s,
)
from scenarios.studies.estimators.streams.robots import panda
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.streams.synthetic_arm import (
    ArmStreamSettings,
    synthetic_arm,
)
from scenarios.studies.estimators.streams.two_link import two_link_stream
from scenarios.workers.crew import Call

Progress = Callable[[str], None]

DRIFT = "drift detectors"

ARM_STREAMS: dict[str, dict[str, Any]] = {
    "arm": {},
    "arm_offset": {"payload_com_m": (0.05, 0.0, 0.1), "payload_radius_m": 0.05},
    "arm_noisy": {"noise_q": 3e-3, "noise_v": 3e-2, "noise_tau": 0.5},
    "arm_friction": {"viscous": 1.0, "coulomb": 0.5},
    "arm_weight_only": {"weight_only": True},
}
"""Panda, 5 kg on link 7 at t = 2 s, 50 Hz, 8 s, with these changes."""
UNORDERED = ("payload_rls", "moment_rls", "mass_rls_known_com", "ekf", BATCH)
"""Estimators that make sense of samples that do not follow one another."""
LAMS = (0.95, 0.99, 0.999)
TABLE_TIMES_S = (0.5, 1.5, 2.5, 3.5, 5.0, 7.0)


class LamRow(msgspec.Struct, frozen=True, kw_only=True):
    """`PayloadRLS` with one forgetting factor on the arm with a weight-only payload."""

    lam: float
    mass_kg: dict[str, float]
    """Estimate by time in s."""
    end_kg: float
    largest_before_kg: float
    smallest_kg: float
    time_to_10pct_s: float | None
    us_per_sample: float


class EstimatorsResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc estimators` measures."""

    rows: list[Row]
    drift: list[DriftRow]
    payload_rls: list[LamRow]
    quick: bool


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Data of the figure."""

    tracks: dict[str, list[Track]]
    truth: dict[str, Stream]
    drift: dict[str, list[DriftRun]]


@dataclass(frozen=True, kw_only=True)
class Part:
    """All estimators on one kind of stream.

    Attributes:
        rows: Their figures over all seeds.
        tracks: Their estimates on the first seed.
        stream: Of the first seed.
    """

    rows: list[Row]
    tracks: list[Track]
    stream: Stream


def benchmark(
    *, quick: bool, jobs: int = 1, progress: Progress = lambda _: None
) -> tuple[EstimatorsResult, Shown]:
    """Run everything.

    Args:
        quick: One seed and no humanoid, whose stream has to be simulated.
        jobs: Parts at a time, each in a worker process; 1 for all in this one.
        progress: Called with a word before or, in workers, after each part.

    Raises:
        ModelsError: A stream cannot be made.
    """
    seeds, drifts = (1, 5) if quick else (10, 50)
    names = [*ARM_STREAMS, "two_link", "so101_motors", "so101_servos"]
    calls: dict[str, Call] = {name: (measure_part, (name, seeds)) for name in names}
    if not quick:
        calls["humanoid_washing"] = measure_part, ("humanoid_washing", seeds)
    calls[DRIFT] = benchmark_drift, (drifts,)
    found = _made_here(calls, progress) if jobs == 1 else _made(calls, jobs, progress)
    drift, shown = found.pop(DRIFT)
    parts: dict[str, Part] = {name: found[name] for name in calls if name != DRIFT}
    progress("forgetting factors")
    result = EstimatorsResult(
        rows=[row for part in parts.values() for row in part.rows],
        drift=drift,
        payload_rls=forgetting_table(panda()),
        quick=quick,
    )
    return result, Shown(
        tracks={name: part.tracks for name, part in parts.items()},
        truth={name: part.stream for name, part in parts.items()},
        drift=shown,
    )


def measure_part(name: str, seeds: int) -> Part:
    """All estimators on the streams of one name."""
    streams = _streams(name, seeds)
    rows, tracks = [], []
    for estimator in UNORDERED if name == "two_link" else COMPARED:
        runs = [run_estimator(estimator, stream) for stream in streams]
        tracks.append(runs[0])
        pairs = zip(runs, streams, strict=True)
        rows.append(combine([measure_track(*pair) for pair in pairs]))
    return Part(rows=rows, tracks=tracks, stream=streams[0])


def _made_here(calls: Mapping[str, Call], progress: Progress) -> dict[str, Any]:
    found = {}
    for name, (function, args) in calls.items():
        progress(name)
        found[name] = function(*args)
    return found


def _made(calls: Mapping[str, Call], jobs: int, progress: Progress) -> dict[str, Any]:
    from scenarios.workers.cluster import local_crew

    found = {}
    with local_crew(min(jobs, len(calls))) as crew:
        for done in crew.each(calls):
            failure = done.failure()
            if failure is not None:
                raise failure
            progress(done.name)
            found[done.name] = done.value
    return found


def forgetting_table(robot: EstimationRobot) -> list[LamRow]:
    """`PayloadRLS` with three forgetting factors on the weight-only stream."""
    stream = synthetic_arm(robot, ArmStreamSettings(weight_only=True))
    return [_forgetting(stream, lam) for lam in LAMS]


def _forgetting(stream: Stream, lam: float) -> LamRow:
    estimator = PayloadRLS(stream.robot.model, stream.robot.link, lam)
    mass, durations = [], []
    for sample in list(stream.log):
        started = time.perf_counter()
        estimator.learn_one(sample)
        durations.append(time.perf_counter() - started)
        mass.append(estimator.predict_one())
    time_s, masses = stream.log.time_s, np.array(mass)
    assert stream.truth_kg is not None and stream.at_s is not None
    load = float(stream.truth_kg[-1])
    arrival = time_to_band_s(time_s, masses - stream.truth_kg, stream.at_s, BAND * load)
    return LamRow(
        lam=lam,
        mass_kg={f"{t:.2f}": _at(time_s, masses, t) for t in TABLE_TIMES_S},
        end_kg=float(masses[-1]),
        largest_before_kg=float(masses[time_s < stream.at_s].max()),
        smallest_kg=float(masses.min()),
        time_to_10pct_s=arrival,
        us_per_sample=1e6 * float(np.median(durations)),
    )


def _at(time_s: Any, values: Any, at_s: float) -> float:
    return float(values[np.argmin(np.abs(time_s - at_s))])


def _streams(name: str, seeds: int) -> list[Stream]:
    """Streams of one name; the SO-101's and the humanoid's have one seed."""
    if name in ARM_STREAMS:
        robot, changes = panda(), ARM_STREAMS[name]
        settings = [ArmStreamSettings(seed=seed, **changes) for seed in range(seeds)]
        return [synthetic_arm(robot, one, name=name) for one in settings]
    if name == "two_link":
        still: dict[str, Any] = {"viscous": (0.0, 0.0), "coulomb": (0.0, 0.0)}
        return [two_link_stream(seed, **still) for seed in range(seeds)]
    if name == "humanoid_washing":
        from scenarios.studies.estimators.streams.humanoid import washing_stream

        return [washing_stream()]
    from scenarios.studies.estimators.streams.so101 import motors_stream, servos_stream

    return [motors_stream() if name == "so101_motors" else servos_stream()]
