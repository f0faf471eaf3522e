"""Payload mass while the arm moves, from filtered regressors."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive
from ekf.errors import DimensionError, InvalidSettingError
from ekf.faults import to_array, to_float
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import Rows
from ekf.payload.servo_torque import SETTLE_DELAYS, TorqueSource
from ekf.payload.template_payload import TemplatePayload
from ekf.signals.aligner import AlignedSample, SampleFault, SignalAligner
from ekf.signals.samples import SampleReader
from ekf.streaming import LearnStatus

_STATUS = {
    SampleFault.TIME_STEP: LearnStatus.TIME_STEP,
    SampleFault.GAP: LearnStatus.GAP,
}


class MovingPayload(TemplatePayload):
    r"""Least squares on a payload's torque per kilogram, all signals filtered alike.

    The acceleration of a 12-bit encoder is noise: one count, twice differenced at
    200 Hz, reads as 61 rad/s^2. Passed through the same low-pass as the torque it is
    an acceleration again, and the equation still holds, because the filter commutes
    with it:

    .. math:: \tau(\bar q, \bar v, \bar u) - ID_{empty}(\bar q, \bar v, \bar a)
        = \Phi(\bar q, \bar v, \bar a)\, m

    over the joints that move: at rest the friction of a gearbox may point either way
    and no filter removes it. The torque comes from a `TorqueSource`, such as a
    calibrated servo. `ForgettingLeastSquares` without a prior: before the first usable
    sample the standard deviation is infinite.

    `total_mass_kg` is the total-least-squares solution of the same sums, in which the
    regressor may be as wrong as the torque:
    :math:`\hat m = (d + \sqrt{d^2 + 4 b^2}) / 2 b`, d = yy - aa, with aa, b, yy the
    sums of :math:`\Phi^2, \Phi y, y^2`.
    """

    def __init__(
        self,
        empty: pin.Model,
        template: pin.Model,
        template_kg: float,
        source: TorqueSource,
        *,
        sigma: Any = 1.0,
        cutoff_hz: float = 4.0,
        slowest_rad_per_s: float = 0.1,
        lam: float = 1.0,
        largest_kg: float = 0.5,
        excitation: float = 1e-8,
    ) -> None:
        """Prepare.

        Args:
            empty: The unloaded arm, one degree of freedom per joint; copied.
            template: The arm with a payload of `template_kg`; copied.
            template_kg: Mass of that payload.
            source: How the pushed signal becomes a torque.
            sigma: Standard deviation of a joint's torque [Nm]: a number or (nv,);
                infinite leaves a joint out.
            cutoff_hz: Of the filter.
            slowest_rad_per_s: Joints slower than this are left out; 0 uses all.
            lam: Forgetting factor per sample, in (0, 1].
            largest_kg: Upper end of the projection; the lower one is zero.
            excitation: Smallest weighted squared norm of a usable regressor.

        Raises:
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If `sigma` has the wrong shape.
        """
        self._reader = SampleReader(empty)
        self._aligner = SignalAligner(empty, cutoff_hz=cutoff_hz)
        self._settle_s = SETTLE_DELAYS * self._aligner.delay_s
        self._source, self._weight = source, _weight(sigma, empty.nv)
        self._slowest = require_positive(
            "slowest_rad_per_s", slowest_rad_per_s, or_zero=True
        )
        squares = ForgettingLeastSquares(
            [math.inf],
            np.ones(empty.nv),
            lam,
            excitation=require_positive("excitation", excitation, or_zero=True),
        )
        super().__init__(empty, template, template_kg, squares, largest_kg)

    def reset(self) -> None:
        """Forget every sample; the counts start again."""
        super().reset()
        self._aligner.reset()
        self._start_s, self._power = 0.0, 0.0

    @property
    def total_mass_kg(self) -> float:
        """The total-least-squares estimate before its projection."""
        information = 1.0 / self._squares.covariance.item()
        twice = 2.0 * information * self.raw_mass_kg
        difference = self._power - information
        if twice == 0.0:
            return 0.0
        return (difference + math.hypot(difference, twice)) / twice

    def push(self, time_s: float, q: Any, v: Any, signal: Any) -> LearnStatus:
        """Take one sample; the same as `learn_one`. Never raises on data.

        While the filter settles, at the start and after a gap, samples count as first.

        Args:
            time_s: Time of the sample.
            q: (nq,) angles.
            v: (nv,) velocities; plain differences of the angles will do.
            signal: (nv,) what the `TorqueSource` understands, held since the sample
                before: a torque, or the goal of a servo.
        """
        return self.learn_one((time_s, q, v, signal))

    def _learn(self, sample: Any) -> LearnStatus:
        rows = self._rows(sample)
        if isinstance(rows, LearnStatus):
            return rows
        power = float(rows[1] @ rows[1])
        if not math.isfinite(power):
            return LearnStatus.NUMERICAL
        status = self._squares.learn(*rows)
        if status is LearnStatus.USED:
            self._power = self._squares.lam * self._power + power
        return status

    def _rows(self, sample: Any) -> Rows | LearnStatus:
        if not (isinstance(sample, tuple) and len(sample) == 4):
            read = self._reader.read(sample)
            if read is None:
                return LearnStatus.MISSING
            sample = read.time_s, read.q, read.v, read.tau
        before = self._aligner.rejections
        aligned = self._aligner.push(*sample)
        if aligned is None:
            status = self._reason(before)
            if status in (LearnStatus.FIRST, LearnStatus.GAP):
                self._start_s = to_float(sample[0])
            return status
        if aligned.time_s < self._start_s + self._settle_s:
            return LearnStatus.FIRST
        return self._aligned_rows(aligned)

    def _reason(self, before: Mapping[SampleFault, int]) -> LearnStatus:
        for fault, count in self._aligner.rejections.items():
            if count > before.get(fault, 0):
                return _STATUS.get(fault, LearnStatus.MISSING)
        return LearnStatus.FIRST

    def _aligned_rows(self, sample: AlignedSample) -> Rows:
        phi, empty = self._split(sample.q, sample.v, sample.a)
        moving = np.abs(sample.v) > self._slowest if self._slowest else 1.0
        weight = self._weight * moving
        return weight * phi, weight * (self._source.joint_torque(sample) - empty)


def _weight(sigma: Any, size: int) -> Array:
    """(size,) one over the standard deviations."""
    values = to_array(sigma)
    if values.shape not in ((), (size,)):
        raise DimensionError("sigma", values.shape, (size,))
    if not (values > 0.0).all():  # false for NaN
        raise InvalidSettingError("sigma", sigma, "must be > 0")
    weights: Array = np.broadcast_to(1.0 / values, (size,)).copy()
    return frozen(weights)
