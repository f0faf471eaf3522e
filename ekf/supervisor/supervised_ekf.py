"""The inertial filter with a supervisor: what it knows, and when it does not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ekf.arrays import Array, Flags, frozen
from ekf.errors import InvalidSettingError
from ekf.faults import Fault, FaultKind, to_array, to_float
from ekf.filter.estimate import UpdateStatus
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.link_torques import TorqueSample
from ekf.model_lookup import channel_names
from ekf.signals.sample_clock import SampleClock
from ekf.signals.torque_channels import TorqueChannels
from ekf.supervisor.attachments import Attachments
from ekf.supervisor.chain_motion import ChainMotion
from ekf.supervisor.learning_policy import LearningPolicy, Situation
from ekf.supervisor.link_monitor import EventKind, LinkMonitor, LinkState, Verdict
from ekf.supervisor.observability import ObservabilityWindow
from ekf.supervisor.payload_reporter import PayloadReporter, ReportSnapshot
from ekf.supervisor.row_trust import NOT_BELIEVED, RowTrust
from ekf.supervisor.settings import SupervisorSettings
from ekf.supervisor.supervised_estimate import PayloadEvent, SupervisedEstimate
from ekf.supervisor.unexplained import Unexplained, UnexplainedTorque

_OBSERVE_EVERY = 10
_ABSURD = 1e5
"""Torque, or torque of a unit of inertia, beyond which a sample is refused."""


class SupervisedEKF:
    """An `InertialEKF` that knows when to learn what.

    A link without a load is held at nominal and learns nothing: noise, friction and
    the other arm's load can not move it. A `LinkMonitor` a link watches its own torque
    rows; on an attach the covariance of that link, and of no other, is inflated, it
    follows quickly for a while and slowly from then on; when the bare link explains
    the torques again it returns to nominal at once. What no estimated link explains is
    reported and blamed on none. Rows that are missing, stuck, saturated, on a slipping
    foot or beyond the gate are left out one by one.
    """

    def __init__(
        self,
        ekf: InertialEKF,
        *,
        settings: SupervisorSettings | None = None,
        attachments_m: Sequence[Any] | None = None,
    ) -> None:
        """Take over a filter; it is used and reset from here on.

        Args:
            ekf: The filter.
            settings: Thresholds and spans.
            attachments_m: (n, 3) where a load hangs, in each link's joint frame: its
                centre is taken to be there, give or take `attachment_sigma_m`. Without
                it the load may be anywhere; the nominal centre of mass then only tells
                a load from a pull.

        Raises:
            DimensionError: If it is not one point a link.
            InvalidSettingError: If it is not finite.
        """
        self._ekf = ekf
        self._settings = settings = settings or SupervisorSettings()
        self._rows = [ekf.own_rows(index) for index in range(len(ekf.links))]
        self._attachments = Attachments(
            ekf.nominal_parameters, attachments_m, settings.attachment_sigma_m
        )
        self._monitors = [
            LinkMonitor(nominal, direction, settings.events)
            for nominal, direction in zip(
                ekf.nominal_parameters, self._attachments.directions, strict=True
            )
        ]
        names = channel_names(ekf.model)
        self._channels = TorqueChannels(names, stale_s=settings.stale_s)
        self._clock = SampleClock(settings.tick_s)
        self._trust = RowTrust(ekf, settings)
        self._policy = LearningPolicy(ekf, self._trust, self._attachments, settings)
        joints = [rows - ekf.root_dofs for rows in self._rows]
        self._motion = ChainMotion(joints, settings.resting_speed)
        self._reporter = PayloadReporter(ekf, settings)
        self._observability = ObservabilityWindow(
            len(ekf.links), settings.attach_variance_t, settings.observe_s
        )
        rows, alarm = ekf.model.nv, settings.events.alarm
        self._unexplained = UnexplainedTorque(rows, ekf.root_dofs, alarm)
        self._counts: Counter[str] = Counter()
        self._held: set[int] = set()
        self.reset()

    @property
    def ekf(self) -> InertialEKF:
        """The filter."""
        return self._ekf

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the estimated links."""
        return self._ekf.links

    @property
    def result(self) -> SupervisedEstimate:
        """What was said last."""
        return self._result

    @property
    def counts(self) -> Mapping[str, int]:
        """Refused samples, bad channels, rows left out and resets, where any."""
        gate = self._trust.gate
        named = {"gated": gate.rejected, "gate_reset": gate.resets}
        named |= {f"channel_{k}": n for k, n in self._channels.counts.items()}
        return {k: n for k, n in {**self._counts, **named}.items() if n}

    def reset(self) -> SupervisedEstimate:
        """Return every link to nominal and forget the past; holds and counts stay."""
        self._ekf.reset()
        for monitor in self._monitors:
            monitor.unload()
        self._channels.reset()
        self._clock.reset()
        self._trust.reset()
        self._policy.reset()
        self._observability.reset()
        self._unexplained.reset()
        self._gains = self._observability.gains()
        self._ticks, self._refused_s = 0, 0.0
        self._stale = np.zeros(len(self.links), dtype=bool)
        self._motion.reset()
        rows = self._ekf.model.nv
        self._result = self._describe((), np.zeros(rows), np.zeros(rows, bool), None)
        return self._result

    def hold(self, link: str | None = None) -> None:
        """Let a link (or all of them) learn nothing until `resume`.

        Raises:
            InvalidSettingError: If the filter does not estimate it.
        """
        self._held.update(self._indices(link))

    def resume(self, link: str | None = None) -> None:
        """Let a held link (or all of them) learn again.

        Raises:
            InvalidSettingError: If the filter does not estimate it.
        """
        for index in self._indices(link):
            self._held.discard(index)
            self._monitors[index].restart()

    def release(self, link: str | None = None) -> None:
        """Return a link (or all of them) to nominal: the operator put the load down.

        Raises:
            InvalidSettingError: If the filter does not estimate it.
        """
        for index in self._indices(link):
            self._ekf.reset_link(index)
            self._monitors[index].unload()

    def set_torque_bias(self, bias: Any) -> None:
        """Take a constant torque off from now on; see `InertialEKF.set_torque_bias`.

        Raises:
            DimensionError: If it has another length.
            InvalidSettingError: If it is not finite.
        """
        self._ekf.set_torque_bias(bias)
        self._restart()

    def update(
        self,
        time_s: float,
        q: Any,
        v: Any,
        a: Any,
        tau_joints: Any,
        wrenches: Any = None,
        *,
        friction: Any = None,
        saturated: Any = None,
        slipping: bool = False,
    ) -> SupervisedEstimate:
        """Use one sample. Never raises on data.

        Args:
            time_s: Time of the sample; the time step is taken from it.
            q: As for `InertialEKF.update`; so are v, a and the wrenches.
            v: See there.
            a: See there.
            tau_joints: See there; NaN in a channel leaves out that channel only.
            wrenches: See there; NaN leaves out the rows of the free-flyer.
            friction: (n,) known friction of the actuated joints [Nm], positive where
                one moves forward. It is taken off the torques once it is clear which
                of them are stuck.
            saturated: (n,) whether each actuated joint is at its torque limit.
            slipping: Whether a foot is known to slide, so that the wrenches are
                doubtful; one that is loaded and moves is noticed without.
        """
        reading = self._clock.read(to_float(time_s))
        if reading.dt_s is None:
            assert reading.fault is not None
            return self._refuse_stamp(reading.fault.value)
        dt_s = reading.dt_s
        events = self._after_gap(time_s, dt_s, reading.jumped)
        tau, missing = self._read_torques(tau_joints, v, dt_s)
        tau = _without_friction(tau, friction)
        wrenches, blind = _known_wrenches(wrenches)
        joints = self._ekf.model.nv - self._ekf.root_dofs
        sample = _find_flag_fault(saturated, joints) or _sane(
            self._ekf.measure(q, v, a, tau, wrenches)
        )
        if isinstance(sample, Fault):
            return self._refuse(sample, dt_s, events)
        slipping = slipping or self._slides(wrenches)
        self._count(saturated, blind, slipping)
        doubt = self._trust.doubt(missing, saturated, blind, slipping)
        return self._use(time_s, sample, doubt, dt_s, events)

    def _use(
        self,
        time_s: float,
        sample: TorqueSample,
        doubt: Array,
        dt_s: float,
        events: list[PayloadEvent],
    ) -> SupervisedEstimate:
        sigma = np.sqrt(self._trust.noise.variance * doubt)
        innovation = self._innovation(sample)
        verdicts = self._look(
            sample, innovation, sigma, min(dt_s, 5.0 * self._settings.tick_s)
        )
        happened = self._react(time_s, verdicts)
        if happened:
            events += happened
            innovation = self._innovation(sample)
        states = self.states()
        ratio, out = self._trust.test(sample, innovation, dt_s)
        unexplained = self._explain(innovation, doubt, verdicts, states, dt_s)
        now = Situation(
            states=states,
            verdicts=verdicts,
            gains=self._gains,
            rest_s=self._motion.rest_s,
            doubt=doubt,
            dt_s=dt_s,
        )
        blamed = self._unexplained.active
        weights = self._policy.weights(now, out, unexplained=blamed)
        estimate = self._ekf.correct(sample, dt_s=dt_s, weights=weights)
        found = self._unexplained.found
        self._policy.learn_noise(now, sample, innovation, found=found)
        if not estimate.ok:
            return self._refuse(None, dt_s, events)
        self._observe(dt_s)
        self._refused_s = 0.0
        left_out = out | (doubt >= NOT_BELIEVED)
        self._result = self._describe(tuple(events), ratio, left_out, unexplained)
        return self._result

    # Time

    def _after_gap(
        self, time_s: float, dt_s: float, jumped: bool
    ) -> list[PayloadEvent]:
        """Forget what a gap or a set clock makes worthless."""
        if jumped:
            self._restart()
            return [self._start_again(time_s, "the clock was set")]
        if dt_s <= 5.0 * self._settings.tick_s:
            return []
        self._counts["gap"] += 1
        self._restart()
        if dt_s <= self._settings.lost_s:
            return []
        return [self._start_again(time_s, f"{dt_s:.1f} s without data")]

    def _restart(self) -> None:
        for monitor in self._monitors:
            monitor.restart()
        self._trust.gate.reset()
        self._unexplained.reset()

    def _start_again(self, time_s: float, reason: str) -> PayloadEvent:
        """The loads may be others by now: acquire them again."""
        for index, monitor in enumerate(self._monitors):
            if monitor.loaded:
                self._inflate(index)
        self._counts["reset"] += 1
        return PayloadEvent(time_s=time_s, link="", kind=EventKind.RESET, reason=reason)

    # Rows

    def _read_torques(self, tau: Any, v: Any, dt_s: float) -> tuple[Array, Flags]:
        root, rows = self._ekf.root_dofs, self._ekf.model.nv
        torque, velocity = to_array(tau), to_array(v)
        if torque.shape != (rows - root,) or velocity.shape != (rows,):
            return torque, np.zeros(rows - root, dtype=bool)
        speed = velocity[root:]
        usable, missing = self._channels.read(torque, speed, dt_s)
        self._motion.read(speed, dt_s)
        stale = self._channels.stale
        for index, rows in enumerate(self._rows):
            own = rows - root
            is_stale = bool(stale[own].any())
            if self._stale[index] and not is_stale:
                self._monitors[index].restart()
            self._stale[index] = is_stale
        return usable, missing

    def _count(self, saturated: Any, blind: bool, slipping: bool) -> None:
        spoilt = saturated is not None and bool(np.any(saturated))
        causes = {"saturated": spoilt, "no_wrenches": blind, "slipping": slipping}
        self._counts.update(name for name, happened in causes.items() if happened)

    def _slides(self, wrenches: Any) -> bool:
        """Whether a foot that carries something moves."""
        if wrenches is None:
            return False
        loaded = np.linalg.norm(wrenches[:, :3], axis=1) > self._settings.noise.force_N
        fast = self._ekf.foot_speeds > self._settings.slip_speed
        return bool((loaded & fast).any())

    # Links

    def _innovation(self, sample: TorqueSample) -> Array:
        parameters = self._ekf.linearisation[0]
        innovation: Array = sample.y - sample.regressor @ parameters.ravel()
        return innovation

    def _look(
        self, sample: TorqueSample, innovation: Array, sigma: Array, dt_s: float
    ) -> list[Verdict]:
        parameters = self._ekf.linearisation[0]
        verdicts = []
        for index, monitor in enumerate(self._monitors):
            rows = self._rows[index]
            own = sample.regressor[rows, 10 * index : 10 * index + 10]
            torque = innovation[rows] + own @ parameters[index]
            verdicts.append(
                monitor.look(torque, own, sigma[rows], parameters[index], dt_s)
                if self._may_learn(index)
                else monitor.idle()
            )
        return verdicts

    def _react(self, time_s: float, verdicts: list[Verdict]) -> list[PayloadEvent]:
        events = []
        for index, verdict in enumerate(verdicts):
            if verdict.kind is None:
                continue
            if verdict.kind is EventKind.DETACH:
                self._ekf.reset_link(index)
            else:
                self._inflate(index)
            link = self.links[index]
            events.append(PayloadEvent(time_s=time_s, link=link, kind=verdict.kind))
        return events

    def _inflate(self, index: int) -> None:
        variances = np.zeros(10)
        variances[0] = self._settings.attach_variance_alpha
        variances[7:] = self._settings.attach_variance_t
        self._ekf.inflate(index, variances)
        self._monitors[index].since_event_s = 0.0
        self._motion.restart(index)

    def states(self) -> tuple[LinkState, ...]:
        """What is believed about each link now."""
        return tuple(self._state(index) for index in range(len(self._monitors)))

    def _state(self, index: int) -> LinkState:
        monitor = self._monitors[index]
        if self._refused_s > self._settings.lost_s:
            return LinkState.LOST
        if not self._may_learn(index):
            return LinkState.FROZEN
        if not monitor.loaded:
            return LinkState.NOMINAL
        recent = monitor.since_event_s <= self._settings.events.acquire_s
        return LinkState.ACQUIRING if recent else LinkState.TRACKING

    def _may_learn(self, index: int) -> bool:
        return not (index in self._held or self._stale[index])

    def _indices(self, link: str | None) -> list[int]:
        if link is None:
            return list(range(len(self.links)))
        if link not in self.links:
            rule = f"must be one of the filter's links: {', '.join(self.links)}"
            raise InvalidSettingError("link", link, rule)
        return [self.links.index(link)]

    # One update of the filter

    def _explain(
        self,
        innovation: Array,
        doubt: Array,
        verdicts: list[Verdict],
        states: tuple[LinkState, ...],
        dt_s: float,
    ) -> Unexplained | None:
        pairs = zip(self._rows, verdicts, strict=True)
        found = self._unexplained.look(
            np.where(doubt >= NOT_BELIEVED, 0.0, innovation),
            self._trust.noise.variance * doubt,
            [rows for rows, verdict in pairs if verdict.foreign],
            busy=LinkState.ACQUIRING in states,
            dt_s=dt_s,
        )
        if found is None or not self._ekf.root_dofs:
            return found
        return found.weighed(self._ekf.base_rotation())

    def _observe(self, dt_s: float) -> None:
        self._observability.add(self._ekf.information, dt_s)
        self._ticks += 1
        if self._ticks % _OBSERVE_EVERY == 0:
            self._gains = self._observability.gains()

    # Results

    def _refuse_stamp(self, fault: str) -> SupervisedEstimate:
        self._counts[f"stamp_{fault}"] += 1
        estimate = replace(
            self._result.estimate,
            status=UpdateStatus.REJECTED_TIME_STEP,
            reason=f"the time stamp does not follow the one before: {fault}",
        )
        self._result = replace(self._result, estimate=estimate, events=())
        return self._result

    def _refuse(
        self, fault: Fault | None, dt_s: float, events: list[PayloadEvent]
    ) -> SupervisedEstimate:
        if fault is not None:
            self._ekf.correct(fault, dt_s=dt_s)
        self._counts[self._ekf.estimate.status.value] += 1
        self._refused_s += dt_s
        result = self._result
        self._result = self._describe(
            tuple(events), result.test_ratio, result.left_out, result.unexplained
        )
        return self._result

    def _describe(
        self,
        events: tuple[PayloadEvent, ...],
        ratio: Array,
        left_out: Flags,
        unexplained: Unexplained | None,
    ) -> SupervisedEstimate:
        states, (parameters, jacobians) = self.states(), self._ekf.linearisation
        monitors = self._monitors
        snapshot = ReportSnapshot(
            states=states,
            loaded=tuple(monitor.loaded for monitor in monitors),
            parameters=parameters,
            jacobians=jacobians,
            covariance=self._ekf.estimate.covariance,
            noise=self._trust.noise.variance,
            moved_s=tuple(self._motion.moved_s),
            sensitivity=tuple(monitor.sensitivity for monitor in monitors),
            placements=tuple(map(self._ekf.link_placement, range(len(monitors)))),
            gains=self._gains,
        )
        return SupervisedEstimate(
            estimate=self._ekf.estimate,
            states=states,
            events=events,
            test_ratio=frozen(ratio),
            left_out=left_out,
            unexplained=unexplained,
            make_reports=partial(self._reporter.reports, snapshot),
        )


def _sane(sample: TorqueSample | Fault) -> TorqueSample | Fault:
    """A fault for torques so large that no robot has them."""
    if isinstance(sample, Fault):
        return sample
    torque, unit = np.abs(sample.y).max(), np.abs(sample.regressor).max()
    if torque < _ABSURD and unit < _ABSURD:  # not so for NaN either
        return sample
    reason = f"torque {torque:.3g}, of unit inertia {unit:.3g}: both below {_ABSURD:g}"
    return Fault(kind=FaultKind.NON_FINITE, reason=reason)


def _without_friction(tau: Array, friction: Any) -> Array:
    """Torques less known friction; of no length at all if these do not fit."""
    if friction is None:
        return tau
    known = to_array(friction)
    return tau - known if known.shape == tau.shape else np.empty(0)


def _find_flag_fault(flags: Any, joints: int) -> Fault | None:
    """Fault if flags are given, but not one a joint."""
    if flags is None or to_array(flags).shape == (joints,):
        return None
    reason = f"saturated has shape {to_array(flags).shape}: it must be {(joints,)}"
    return Fault(kind=FaultKind.DIMENSION, reason=reason)


def _known_wrenches(wrenches: Any) -> tuple[Any, bool]:
    """Wrenches without what is not finite, and whether there was any of that."""
    if wrenches is None:
        return None, False
    array = to_array(wrenches)
    finite = np.isfinite(array)
    return np.where(finite, array, 0.0), not bool(finite.all())
