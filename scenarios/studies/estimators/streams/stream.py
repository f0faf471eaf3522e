"""A stream: a robot, its samples, and what is true of them where that is known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ekf import JointLog, SignalAligner, TorqueTiming
from models.arrays import Array
from scenarios.run.estimation_robot import ALIGNER_CUTOFF_HZ, EstimationRobot
from scenarios.studies.estimators.streams.samples import SampleCounts


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Samples of one robot.

    Attributes:
        name: Name for tables.
        robot: The robot.
        log: Samples in time order.
        truth_kg: (T,) payload on `robot.link`, or None if nobody knows.
        at_s: When the payload appears; None if unknown.
        notes: What is particular about it.
        samples: What became of a recorded log's rows; None for other streams.
        remarks: What a user should know about a recorded log, one sentence each.
        unmeasured: Joints whose torque nobody measured.
    """

    name: str
    robot: EstimationRobot
    log: JointLog
    truth_kg: Array | None = None
    at_s: float | None = None
    notes: str = field(default="")
    samples: SampleCounts | None = None
    remarks: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()


def aligned(stream: Stream, cutoff_hz: float = ALIGNER_CUTOFF_HZ) -> Stream:
    """The stream with accelerations, through one filter for all signals.

    A stream that has accelerations is returned as it is. The first sample, which has no
    predecessor, is left out.
    """
    if stream.log.a is not None:
        return stream
    aligner = SignalAligner(
        stream.robot.model,
        cutoff_hz=cutoff_hz,
        torque_timing=TorqueTiming.INSTANTANEOUS,
    )
    kept, rows = [], []
    for k, sample in enumerate(stream.log):
        row = aligner.push(sample.time_s, sample.q, sample.v, sample.tau)
        if row is not None:
            kept.append(k)
            rows.append(row)
    truth = None if stream.truth_kg is None else stream.truth_kg[kept]
    log = JointLog(
        time_s=np.array([r.time_s for r in rows]),
        q=np.array([r.q for r in rows]),
        v=np.array([r.v for r in rows]),
        a=np.array([r.a for r in rows]),
        tau=np.array([r.tau for r in rows]),
    )
    return replace(stream, log=log, truth_kg=truth)
