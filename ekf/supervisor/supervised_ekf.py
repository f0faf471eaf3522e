"""The inertial filter with a supervisor that decides who learns when."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ekf.arrays import Array, Flags, frozen
from ekf.errors import InvalidSettingError
from ekf.faults import Fault
from ekf.filter.estimate import UpdateStatus
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.link_torques import TorqueSample
from ekf.supervisor.attachments import Attachments
from ekf.supervisor.event_book import EventBook
from ekf.supervisor.learning_policy import LearningPolicy, Situation
from ekf.supervisor.link_monitor import EventKind, LinkState
from ekf.supervisor.observability import ObservabilityWindow
from ekf.supervisor.payload_reporter import PayloadReporter
from ekf.supervisor.row_trust import NOT_BELIEVED, RowTrust
from ekf.supervisor.sample_intake import SampleIntake
from ekf.supervisor.settings import SupervisorSettings
from ekf.supervisor.supervised_estimate import PayloadEvent, SupervisedEstimate
from ekf.supervisor.unexplained import Unexplained, UnexplainedTorque

_LONGEST_TICKS = 5.0
"""A longer gap between samples makes the last moments worthless."""


class SupervisedEKF:
    """An `InertialEKF` that knows when to learn what.

    A link without a load is held at nominal and learns nothing: noise, friction and
    the other arm's load cannot move it. One `LinkMonitor` per link watches its own
    torque rows; on an attach the covariance of that link, and of no other, is inflated,
    it follows quickly for a while and slowly from then on; when the bare link explains
    the torques again it returns to nominal at once (`EventBook`). Torque that no
    estimated link explains is reported and blamed on none. Rows that are missing,
    stuck, saturated, on a slipping foot (`SampleIntake`) or beyond the gate are left
    out one by one.

    Attributes:
        ekf: The filter.
        links: Names of the estimated links.
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
            DimensionError: If there is not one point per link.
            InvalidSettingError: If one is not finite.
        """
        self.ekf, self.links = ekf, ekf.links
        self._settings = settings = settings or SupervisorSettings()
        self._rows = [ekf.own_rows(index) for index in range(len(ekf.links))]
        attachments = Attachments(
            ekf.nominal_parameters, attachments_m, settings.attachment_sigma_m
        )
        self._trust = RowTrust(ekf, settings)
        self._intake = SampleIntake(ekf, self._rows, self._trust, settings)
        self._book = EventBook(
            ekf, self._rows, attachments, self._intake.motion, settings
        )
        self._policy = LearningPolicy(ekf, self._trust, attachments, settings)
        self._reporter = PayloadReporter(ekf, settings)
        self._observability = ObservabilityWindow(
            len(ekf.links), settings.attach_variance_t, settings.observe_s
        )
        rows, alarm = ekf.model.nv, settings.events.alarm
        self._unexplained = UnexplainedTorque(rows, ekf.root_dofs, alarm)
        self._counts: Counter[str] = Counter()
        self.reset()

    @property
    def result(self) -> SupervisedEstimate:
        """The last answer."""
        return self._result

    @property
    def counts(self) -> Mapping[str, int]:
        """Refused samples, bad channels, rows left out and resets, where any."""
        gate = self._trust.gate
        named = {"gated": gate.rejected, "gate_reset": gate.resets}
        counts = {**self._counts, **self._intake.counts, **named}
        counts["reset"] = self._book.resets
        return {name: n for name, n in counts.items() if n}

    def states(self) -> tuple[LinkState, ...]:
        """Belief about each link now."""
        return self._book.states()

    def reset(self) -> SupervisedEstimate:
        """Return every link to nominal and forget the past; holds and counts stay."""
        self.ekf.reset()
        self._book.reset()
        self._intake.reset()
        self._trust.reset()
        self._policy.reset()
        self._observability.reset()
        self._unexplained.reset()
        rows = self.ekf.model.nv
        self._result = self._describe((), np.zeros(rows), np.zeros(rows, bool), None)
        return self._result

    def hold(self, link: str | None = None) -> None:
        """Let a link (or all of them) learn nothing until `resume`.

        Raises:
            InvalidSettingError: If the filter does not estimate it.
        """
        self._book.held.update(self._places(link))

    def resume(self, link: str | None = None) -> None:
        """Let a held link (or all of them) learn again.

        Raises:
            InvalidSettingError: If the filter does not estimate it.
        """
        for index in self._places(link):
            self._book.resume(index)

    def release(self, link: str | None = None) -> None:
        """Return a link (or all of them) to nominal: the operator put the load down.

        Raises:
            InvalidSettingError: If the filter does not estimate it.
        """
        for index in self._places(link):
            self._book.release(index)

    def set_torque_bias(self, bias: Any) -> None:
        """Take a constant torque off from now on; see `InertialEKF.set_torque_bias`.

        Args:
            bias: (nv,) generalised force [N, Nm].

        Raises:
            DimensionError: If it has another length.
            InvalidSettingError: If it is not finite.
        """
        self.ekf.set_torque_bias(bias)
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
            q: (nq,) configuration, all in the conventions of `InertialEKF.update`.
            v: (nv,) velocity.
            a: (nv,) time derivative of ``v``.
            tau_joints: (n,) actuated torques [Nm]; NaN in a channel leaves out that
                channel only.
            wrenches: (n_feet, 6) contact wrenches [N, Nm]; NaN leaves out the rows of
                the free-flyer.
            friction: (n,) known friction of the actuated joints [Nm], positive where
                one moves forward. It is taken off the torques once it is clear which
                of them are stuck.
            saturated: (n,) whether each actuated joint is at its torque limit.
            slipping: Whether a foot is known to slide, so that the wrenches are
                doubtful; one that is loaded and moves is noticed without.
        """
        stamp = self._intake.stamp(time_s)
        if stamp.dt_s is None:
            assert stamp.fault is not None
            return self._refuse_stamp(stamp.fault.value)
        events = self._after_gap(time_s, stamp.dt_s, stamp.jumped)
        reading = self._intake.read(
            (q, v, a, tau_joints, wrenches),
            stamp.dt_s,
            friction=friction,
            saturated=saturated,
            slipping=slipping,
        )
        self._book.freeze(self._intake.stale)
        if isinstance(reading, Fault):
            self.ekf.correct(reading, dt_s=stamp.dt_s)
            return self._refuse(stamp.dt_s, events)
        return self._use(time_s, *reading, stamp.dt_s, events)

    def _places(self, link: str | None) -> list[int]:
        if link is None:
            return list(range(len(self.links)))
        if link not in self.links:
            rule = f"must be one of the filter's links: {', '.join(self.links)}"
            raise InvalidSettingError("link", link, rule)
        return [self.links.index(link)]

    def _after_gap(
        self, time_s: float, dt_s: float, jumped: bool
    ) -> list[PayloadEvent]:
        """Forget what a gap or a set clock makes worthless."""
        if jumped:
            self._restart()
            return [self._book.start_again(time_s, "the clock was set")]
        if dt_s <= _LONGEST_TICKS * self._settings.tick_s:
            return []
        self._counts["gap"] += 1
        self._restart()
        if dt_s <= self._settings.lost_s:
            return []
        return [self._book.start_again(time_s, f"{dt_s:.1f} s without data")]

    def _restart(self) -> None:
        self._book.restart()
        self._trust.gate.reset()
        self._unexplained.reset()

    def _use(
        self,
        time_s: float,
        sample: TorqueSample,
        doubt: Array,
        dt_s: float,
        events: list[PayloadEvent],
    ) -> SupervisedEstimate:
        """Judge the links, then let those learn that may."""
        sigma = np.sqrt(self._trust.noise.variance * doubt)
        settled = np.sqrt(self._trust.settled.variance * doubt)
        innovation = self.ekf.innovation(sample)
        judged_s = min(dt_s, _LONGEST_TICKS * self._settings.tick_s)
        verdicts = self._book.look(sample, innovation, (sigma, settled), judged_s)
        happened = self._book.react(time_s, verdicts)
        if happened:
            events += happened
            for rows, verdict in zip(self._rows, verdicts, strict=True):
                if verdict.kind is EventKind.ATTACH:
                    self._trust.settle_for(rows)
            innovation = self.ekf.innovation(sample)
        now = Situation(
            states=self.states(),
            verdicts=verdicts,
            gains=self._observability.gains,
            rest_s=self._intake.motion.rest_s,
            doubt=doubt,
            dt_s=dt_s,
        )
        ratio, out = self._trust.test(sample, innovation, dt_s)
        unexplained = self._explain(innovation, now)
        weights = self._policy.weights(now, out, unexplained=self._unexplained.active)
        estimate = self.ekf.correct(sample, dt_s=dt_s, weights=weights)
        found = self._unexplained.found
        self._policy.learn_noise(now, sample, innovation, found=found)
        self._trust.settle(self._intake.motion, self._rows, dt_s)
        if not estimate.ok:
            return self._refuse(dt_s, events)
        self._observability.add(self.ekf.information, dt_s)
        self._book.refused_s = 0.0
        left_out = out | (doubt >= NOT_BELIEVED)
        self._result = self._describe(tuple(events), ratio, left_out, unexplained)
        return self._result

    def _explain(self, innovation: Array, now: Situation) -> Unexplained | None:
        """Torque that no load on an estimated link explains."""
        pairs = zip(self._rows, now.verdicts, strict=True)
        found = self._unexplained.look(
            np.where(now.doubt >= NOT_BELIEVED, 0.0, innovation),
            self._trust.noise.variance * now.doubt,
            [rows for rows, verdict in pairs if verdict.foreign],
            busy=LinkState.ACQUIRING in now.states,
            dt_s=now.dt_s,
        )
        if found is None or not self.ekf.root_dofs:
            return found
        return found.weighed(self.ekf.base_rotation())

    def _refuse_stamp(self, fault: str) -> SupervisedEstimate:
        estimate = replace(
            self._result.estimate,
            status=UpdateStatus.REJECTED_TIME_STEP,
            reason=f"the time stamp does not follow the one before: {fault}",
        )
        self._result = replace(self._result, estimate=estimate, events=())
        return self._result

    def _refuse(self, dt_s: float, events: list[PayloadEvent]) -> SupervisedEstimate:
        """Repeat the last answer, with the filter's reason for the refusal."""
        self._counts[self.ekf.estimate.status.value] += 1
        self._book.refused_s += dt_s
        last = self._result
        self._result = self._describe(
            tuple(events), last.test_ratio, last.left_out, last.unexplained
        )
        return self._result

    def _describe(
        self,
        events: tuple[PayloadEvent, ...],
        ratio: Array,
        left_out: Flags,
        unexplained: Unexplained | None,
    ) -> SupervisedEstimate:
        snapshot = self._reporter.snapshot(
            self._book,
            noise=self._trust.noise.variance,
            moved_s=self._intake.motion.moved_s,
            gains=self._observability.gains,
        )
        return SupervisedEstimate(
            estimate=self.ekf.estimate,
            states=snapshot.states,
            events=events,
            test_ratio=frozen(ratio),
            left_out=left_out,
            unexplained=unexplained,
            make_reports=partial(self._reporter.reports, snapshot),
        )
