"""Gives every sample an acceleration that belongs to its torque."""

from typing import Any

from ekf.signals.aligner import SampleFault, SignalAligner
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import LearnStatus


class SampleAlignment:
    """Passes samples that bring an acceleration, and aligns those that do not."""

    def __init__(self, reader: SampleReader, aligner: SignalAligner) -> None:
        """Combine a reader and an aligner of the same robot."""
        self._reader, self._aligner = reader, aligner
        self.reset()

    def reset(self) -> None:
        """Forget every sample."""
        self._aligner.reset()
        self._time_s: float | None = None

    def push(self, sample: Any) -> tuple[LearnStatus, JointSample | None]:
        """The sample with its acceleration, or why there is none.

        A robot with feet must bring accelerations: its contact wrenches have to be
        aligned with them, and only the caller knows where they come from.
        """
        read = self._reader.read(sample)
        if read is None or (read.a is None and self._reader.n_feet):
            return LearnStatus.MISSING, None
        if self._time_s is not None and read.time_s <= self._time_s:
            return LearnStatus.TIME_STEP, None
        first, gaps = self._time_s is None, self._gaps()
        self._time_s = read.time_s
        if read.a is not None:
            return LearnStatus.USED, read
        aligned = self._aligner.push(read.time_s, read.q, read.v, read.tau)
        if aligned is None:
            late = self._gaps() > gaps and not first
            return (LearnStatus.GAP if late else LearnStatus.FIRST), None
        return LearnStatus.USED, JointSample(
            time_s=read.time_s,
            q=aligned.q,
            v=aligned.v,
            a=aligned.a,
            tau=aligned.tau,
            wrenches=read.wrenches,
        )

    def _gaps(self) -> int:
        return self._aligner.rejections.get(SampleFault.GAP, 0)
