"""All payload estimators on all streams: the numbers of one fair comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
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
    NAMES,
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

Progress = Callable[[str], None]

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


def benchmark(
    *, quick: bool, progress: Progress = lambda _: None
) -> tuple[EstimatorsResult, Shown]:
    """Run everything.

    Args:
        quick: One seed and no humanoid, whose stream has to be simulated.
        progress: Called with a word before each part.

    Raises:
        ModelsError: A stream cannot be made.
    """
    seeds = 1 if quick else 10
    robot = panda()
    rows: list[Row] = []
    tracks: dict[str, list[Track]] = {}
    truth: dict[str, Stream] = {}
    for name, streams in _streams(robot, seeds, quick):
        progress(name)
        truth[name] = streams[0]
        tracks[name] = []
        for estimator in UNORDERED if name == "two_link" else NAMES:
            runs = [run_estimator(estimator, stream) for stream in streams]
            tracks[name].append(runs[0])
            pairs = zip(runs, streams, strict=True)
            rows.append(combine([measure_track(*pair) for pair in pairs]))
    progress("drift detectors")
    drift, shown = benchmark_drift(5 if quick else 50)
    progress("forgetting factors")
    result = EstimatorsResult(
        rows=rows, drift=drift, payload_rls=forgetting_table(robot), quick=quick
    )
    return result, Shown(tracks=tracks, truth=truth, drift=shown)


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


def _streams(
    robot: EstimationRobot, seeds: int, quick: bool
) -> Iterator[tuple[str, list[Stream]]]:
    for name, changes in ARM_STREAMS.items():
        yield (
            name,
            [
                synthetic_arm(robot, ArmStreamSettings(seed=seed, **changes), name=name)
                for seed in range(seeds)
            ],
        )
    still: dict[str, Any] = {"viscous": (0.0, 0.0), "coulomb": (0.0, 0.0)}
    yield "two_link", [two_link_stream(seed, **still) for seed in range(seeds)]
    from scenarios.studies.estimators.streams.so101 import motors_stream, servos_stream

    yield "so101_motors", [motors_stream()]
    yield "so101_servos", [servos_stream()]
    if not quick:
        from scenarios.studies.estimators.streams.humanoid import washing_stream

        yield "humanoid_washing", [washing_stream()]
