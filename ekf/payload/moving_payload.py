"""Payload mass while the arm moves, from filtered regressors."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive
from ekf.errors import DimensionError, InvalidSettingError
from ekf.faults import to_array, to_float
from ekf.payload.payload_rls import require_forgetting
from ekf.payload.servo_torque import SETTLE_DELAYS, TorqueSource
from ekf.signals.aligner import AlignedSample, SampleFault, SignalAligner
from ekf.streaming import CountsSamples, LearnStatus

_STATUS = {
    SampleFault.TIME_STEP: LearnStatus.TIME_STEP,
    SampleFault.GAP: LearnStatus.GAP,
}


class MovingPayload(CountsSamples):
    r"""Least squares on a payload's torque per kilogram, all signals filtered alike.

    The acceleration of a 12-bit encoder is noise: one count, twice differenced at
    200 Hz, reads as 61 rad/s^2. Passed through the same low-pass as the torque it is
    an acceleration again, and the equation still holds, because the filter commutes
    with it:

    .. math::
        \bar y = \tau(\bar q, \bar v, \bar u) - ID_{empty}(\bar q, \bar v, \bar a),
        \qquad \hat m = \frac{\sum \Phi_i \bar y_i / \sigma_i^2}
                      {\sum \Phi_i^2 / \sigma_i^2},

    over the joints that move: at rest the friction of a gearbox may point either way
    and no filter removes it. The torque comes from a `TorqueSource`, such as a
    calibrated servo. Sums are forgotten by `lam` a sample.

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
            empty: The unloaded arm, one degree of freedom a joint; copied.
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
        self._aligner = SignalAligner(empty, cutoff_hz=cutoff_hz)
        self._settle_s = SETTLE_DELAYS * self._aligner.delay_s
        self._empty, self._template = empty.copy(), template.copy()
        self._data = empty.createData(), template.createData()
        self._template_kg = require_positive("template_kg", template_kg)
        self._source, self._weight = source, _weight(sigma, empty.nv)
        self._slowest = require_positive(
            "slowest_rad_per_s", slowest_rad_per_s, or_zero=True
        )
        self._lam = require_forgetting(lam)
        self._largest = require_positive("largest_kg", largest_kg)
        self._excitation = require_positive("excitation", excitation, or_zero=True)
        self.reset()

    def reset(self) -> None:
        """Forget every sample; the counts start again."""
        self._aligner.reset()
        self._start_s = 0.0
        self._information = self._projected = self._squares = 0.0
        self._restart_counts()

    @property
    def raw_mass_kg(self) -> float:
        """The estimate before its projection; 0 before the first usable sample."""
        return self._projected / self._information if self._information else 0.0

    @property
    def mass_kg(self) -> float:
        """The estimate within zero and the largest mass."""
        return min(max(self.raw_mass_kg, 0.0), self._largest)

    @property
    def total_mass_kg(self) -> float:
        """The total-least-squares estimate before its projection."""
        twice, difference = 2.0 * self._projected, self._squares - self._information
        if twice == 0.0:
            return 0.0
        return (difference + math.hypot(difference, twice)) / twice

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation for independent samples; they are not, it is a bound."""
        return 1.0 / math.sqrt(self._information) if self._information else math.inf

    def push(self, time_s: float, q: Any, v: Any, signal: Any) -> LearnStatus:
        """Take one sample. Never raises on data.

        While the filter settles, at the start and after a gap, samples count as first.

        Args:
            time_s: Time of the sample.
            q: (nq,) angles.
            v: (nv,) velocities; plain differences of the angles will do.
            signal: (nv,) what the `TorqueSource` understands, held since the sample
                before: a torque, or the goal of a servo.
        """
        before = self._aligner.rejections
        aligned = self._aligner.push(time_s, q, v, signal)
        if aligned is None:
            status = self._reason(before)
        elif aligned.time_s < self._start_s + self._settle_s:
            status = LearnStatus.FIRST
        else:
            status = self._update(aligned)
        if aligned is None and status in (LearnStatus.FIRST, LearnStatus.GAP):
            self._start_s = to_float(time_s)
        return self._count(status)

    def _reason(self, before: Mapping[SampleFault, int]) -> LearnStatus:
        for fault, count in self._aligner.rejections.items():
            if count > before.get(fault, 0):
                return _STATUS.get(fault, LearnStatus.MISSING)
        return LearnStatus.FIRST

    def _update(self, sample: AlignedSample) -> LearnStatus:
        state = sample.q, sample.v, sample.a
        empty = pin.rnea(self._empty, self._data[0], *state)
        loaded = pin.rnea(self._template, self._data[1], *state)
        moving = np.abs(sample.v) > self._slowest if self._slowest else 1.0
        weight = self._weight * moving
        phi = weight * (loaded - empty) / self._template_kg
        y = weight * (self._source.joint_torque(sample) - empty)
        information = float(phi @ phi)
        if information < self._excitation:
            return LearnStatus.UNEXCITED
        projected, squares = float(phi @ y), float(y @ y)
        if not math.isfinite(information + projected + squares):
            return LearnStatus.NUMERICAL
        self._information = self._lam * self._information + information
        self._projected = self._lam * self._projected + projected
        self._squares = self._lam * self._squares + squares
        return LearnStatus.USED


def _weight(sigma: Any, size: int) -> Array:
    """(size,) one over the standard deviations."""
    values = to_array(sigma)
    if values.shape not in ((), (size,)):
        raise DimensionError("sigma", values.shape, (size,))
    if not (values > 0.0).all():  # false for NaN
        raise InvalidSettingError("sigma", sigma, "must be > 0")
    weights: Array = np.broadcast_to(1.0 / values, (size,)).copy()
    return frozen(weights)
