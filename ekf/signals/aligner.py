"""One filter for configuration, velocity, acceleration and torque."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Flags, frozen, require_positive
from ekf.errors import InvalidSettingError
from ekf.faults import (
    FaultKind,
    find_array_fault,
    find_configuration_fault,
    find_time_step_fault,
    to_array,
    to_float,
)
from ekf.model_lookup import channel_names, root_dofs
from ekf.signals.torque_channels import TorqueChannels


class TorqueTiming(Enum):
    """Meaning of the torque pushed with a sample."""

    INTERVAL_MEAN = "interval_mean"
    """Mean torque applied since the previous sample: the one that caused the change of
    velocity. A simulator's held command, or a logged command of the last period."""
    INSTANTANEOUS = "instantaneous"
    """Torque measured at the sample's own time; neighbours are averaged."""


class SampleFault(Enum):
    """Why a sample gave no output."""

    DIMENSION = "dimension"
    """An array has the wrong shape. The sample is ignored."""
    NON_FINITE = "non_finite"
    """An array or the time is not finite. The sample is ignored."""
    CONFIGURATION = "configuration"
    """A quaternion in q does not have unit norm. The sample is ignored."""
    TIME_STEP = "time_step"
    """Time did not advance. The sample is ignored."""
    GAP = "gap"
    """The gap before the sample was too long. The filter starts again from it."""


@dataclass(frozen=True, kw_only=True)
class AlignedSample:
    """Signals with one and the same delay. Arrays are read-only.

    Attributes:
        time_s: Time of the newest raw sample in it; the signals are older than that by
            about `SignalAligner.delay_s`.
        q: (nq,) configuration, on the manifold.
        v: (nv,) velocity.
        a: (nv,) time derivative of ``v``.
        tau: Actuated torques [Nm], (nv - 6,) with a free-flyer, else (nv,); NaN in a
            channel without a measurement, where that is allowed.
    """

    time_s: float
    q: Array
    v: Array
    a: Array
    tau: Array


@dataclass(frozen=True, kw_only=True)
class _Raw:
    time_s: float
    q: Array
    v: Array
    tau: Array


class SignalAligner:
    r"""Low-pass filters q, v, a and torque alike, so that they belong together.

    An acceleration that lags its torque by tens of milliseconds looks like an inertia
    that is not there, and a filter that believes it throws a controller off balance.
    Here every raw interval :math:`[t_{k-1}, t_k]` gives four values of its midpoint,

    .. math::
        \bar q = q_{k-1} \oplus \tfrac12 (q_k \ominus q_{k-1}), \quad
        \bar v = \tfrac12 (v_{k-1} + v_k), \quad
        \bar a = \frac{v_k - v_{k-1}}{t_k - t_{k-1}}, \quad
        \bar\tau = \text{mean torque of the interval},

    and all four pass the same cascade of equal first-order stages,
    :math:`x \leftarrow x \oplus (1 - e^{-\omega \Delta t}) (\bar x \ominus x)`, with q
    on its manifold; the steps may be uneven. Two stages by default: one would leave the
    noise of the differentiated velocity flat up to the sampling rate; equal real poles
    do not overshoot, so the filter invents no torque.

    A free-flyer's velocity is in the base frame, and Pinocchio's acceleration is the
    derivative of these coordinates, so the plain difference is right.

    Written by hand because `scipy.signal` filters whole arrays at one fixed rate: here
    samples come one at a time, at uneven stamps, are filtered causally, and q lies on a
    manifold.
    """

    def __init__(
        self,
        model: pin.Model,
        *,
        cutoff_hz: float = 8.0,
        order: int = 2,
        torque_timing: TorqueTiming = TorqueTiming.INTERVAL_MEAN,
        max_gap_s: float = 0.1,
        allow_missing_torque: bool = False,
    ) -> None:
        """Design the filter.

        Args:
            model: The robot; copied, never changed.
            cutoff_hz: Frequency at which the whole cascade is down by 3 dB.
            order: Number of first-order stages.
            torque_timing: Meaning of the pushed torque.
            max_gap_s: A longer gap between samples starts the filter again.
            allow_missing_torque: Take a torque that is not finite, or that repeats
                itself to the last bit while its joint moves (`TorqueChannels`), for
                missing in its channel, instead of refusing the sample: the channel's
                last good value goes through the filter and NaN comes out. A filtered
                signal no longer shows that its source is stuck.

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise InvalidSettingError("order", order, "must be an integer >= 1")
        if not isinstance(torque_timing, TorqueTiming):
            rule = f"must be one of {', '.join(map(str, TorqueTiming))}"
            raise InvalidSettingError("torque_timing", torque_timing, rule)
        cutoff_hz = require_positive("cutoff_hz", cutoff_hz)
        self._max_gap_s = require_positive("max_gap_s", max_gap_s)
        # n equal stages are down by 3 dB at their own cutoff times this factor.
        shrink = math.sqrt(2.0 ** (1.0 / order) - 1.0)
        self._stage_rate = 2.0 * math.pi * cutoff_hz / shrink
        self._order = order
        self._torque_timing = torque_timing
        self._model = model.copy()
        self._n_tau = model.nv - root_dofs(model)
        self._channels = None
        if allow_missing_torque:
            self._channels = TorqueChannels(channel_names(model))
        self._rejections: Counter[SampleFault] = Counter()
        self.reset()

    @property
    def delay_s(self) -> float:
        """Delay for slow signals, at raw rates well above the cut-off.

        At a raw period dt the age of the signals is ``delay_s + (1 - order) dt / 2``
        to first order in dt.
        """
        return self._order / self._stage_rate

    @property
    def rejections(self) -> Mapping[SampleFault, int]:
        """How many samples gave no output since construction, by reason."""
        return dict(self._rejections)

    @property
    def missing_torques(self) -> Mapping[str, int]:
        """In how many samples a torque channel was missing, by joint, where any."""
        return {} if self._channels is None else self._channels.counts

    def reset(self) -> None:
        """Forget every sample. The counts are kept."""
        if self._channels is not None:
            self._channels.reset()
        self._previous: _Raw | None = None
        self._q_stages: list[Array] = []
        self._flat_stages: list[Array] = []

    def push(self, time_s: float, q: Any, v: Any, tau: Any) -> AlignedSample | None:
        """Take one raw sample and return the aligned signals. Never raises on data.

        Args:
            time_s: Time of the sample; any rate, steady or not.
            q: (nq,) configuration, Pinocchio's convention.
            v: (nv,) velocity, Pinocchio's convention.
            tau: Actuated torques [Nm]; see `TorqueTiming` for which instant.

        Returns:
            The aligned signals, or None for the first sample and for a faulty one
            (counted in `rejections`).
        """
        time_s, v = to_float(time_s), _own(v)
        torque, missing = self._fill(time_s, v, _own(tau))
        raw = _Raw(time_s=time_s, q=_own(q), v=v, tau=torque)
        fault = self._find_fault(raw)
        if fault is not None:
            self._rejections[fault] += 1
            if fault is not SampleFault.GAP:
                return None
            self.reset()
        previous, self._previous = self._previous, raw
        if previous is None:
            return None
        return self._advance(previous, raw, missing)

    def _fill(self, time_s: float, v: Array, tau: Array) -> tuple[Array, Flags]:
        """Torques with the last good value where one is missing, and which are."""
        nothing = np.zeros(self._n_tau, dtype=bool)
        fits = tau.shape == nothing.shape and v.shape == (self._model.nv,)
        if self._channels is None or not fits:
            return tau, nothing
        dt_s = 0.0 if self._previous is None else time_s - self._previous.time_s
        speed = v[self._model.nv - self._n_tau :]
        return self._channels.read(tau, speed, dt_s if dt_s > 0.0 else 0.0)

    def _find_fault(self, raw: _Raw) -> SampleFault | None:
        model = self._model
        fields = (
            ("time_s", np.array(raw.time_s), ()),
            ("q", raw.q, (model.nq,)),
            ("v", raw.v, (model.nv,)),
            ("tau", raw.tau, (self._n_tau,)),
        )
        fault = find_array_fault(fields) or find_configuration_fault(model, raw.q)
        if fault is not None:
            return _SAMPLE_FAULT[fault.kind]
        if self._previous is None:
            return None
        dt_s = raw.time_s - self._previous.time_s
        if find_time_step_fault(dt_s) is not None:
            return SampleFault.TIME_STEP
        return SampleFault.GAP if dt_s > self._max_gap_s else None

    def _advance(self, previous: _Raw, raw: _Raw, missing: Flags) -> AlignedSample:
        dt_s = raw.time_s - previous.time_s
        q = pin.interpolate(self._model, previous.q, raw.q, 0.5)
        tau = raw.tau
        if self._torque_timing is TorqueTiming.INSTANTANEOUS:
            tau = 0.5 * (previous.tau + raw.tau)
        mean_v = 0.5 * (previous.v + raw.v)
        flat = np.concatenate((mean_v, (raw.v - previous.v) / dt_s, tau))
        self._filter(q, flat, -math.expm1(-self._stage_rate * dt_s))
        return self._sample(raw.time_s, missing)

    def _filter(self, q: Array, flat: Array, gain: float) -> None:
        if not self._q_stages:
            self._q_stages = [q] * self._order
            self._flat_stages = [flat] * self._order
        for stage in range(self._order):
            q = pin.interpolate(self._model, self._q_stages[stage], q, gain)
            q = pin.normalize(self._model, q)
            flat = self._flat_stages[stage] + gain * (flat - self._flat_stages[stage])
            self._q_stages[stage], self._flat_stages[stage] = q, flat

    def _sample(self, time_s: float, missing: Flags) -> AlignedSample:
        nv = self._model.nv
        flat = self._flat_stages[-1]
        return AlignedSample(
            time_s=time_s,
            q=frozen(self._q_stages[-1]),
            v=frozen(flat[:nv]),
            a=frozen(flat[nv : 2 * nv]),
            tau=frozen(np.where(missing, np.nan, flat[2 * nv :])),
        )


_SAMPLE_FAULT = {
    FaultKind.DIMENSION: SampleFault.DIMENSION,
    FaultKind.NON_FINITE: SampleFault.NON_FINITE,
    FaultKind.CONFIGURATION: SampleFault.CONFIGURATION,
}


def _own(values: Any) -> Array:
    """A copy: the caller may reuse its buffer before the next sample."""
    return to_array(values).copy()
