"""Belief about the load of each link, and the events that change it."""

from collections.abc import Sequence

import numpy as np

from ekf.arrays import Array, Rows
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.link_torques import TorqueSample
from ekf.supervisor.attachments import Attachments
from ekf.supervisor.chain_motion import ChainMotion
from ekf.supervisor.link_monitor import EventKind, LinkMonitor, LinkState, Verdict
from ekf.supervisor.settings import SupervisorSettings
from ekf.supervisor.supervised_estimate import PayloadEvent


class EventBook:
    """Watches every link, and lets the filter follow what happens to it.

    Attributes:
        monitors: One per link.
        held: Places of the links that may not learn.
        refused_s: Time since the last sample that was used.
        resets: How often loads had to be acquired again.
    """

    def __init__(
        self,
        ekf: InertialEKF,
        rows: Sequence[Rows],
        attachments: Attachments,
        motion: ChainMotion,
        settings: SupervisorSettings,
    ) -> None:
        """Start without a load and with nothing held.

        Args:
            ekf: The filter.
            rows: Own torque rows of each link.
            attachments: Where loads hang.
            motion: Of the links' chains.
            settings: Of the supervisor.
        """
        self._ekf, self._rows, self._motion = ekf, rows, motion
        self._settings = settings
        pairs = zip(ekf.nominal_parameters, attachments.directions, strict=True)
        self.monitors = [LinkMonitor(*pair, settings.events) for pair in pairs]
        self.held: set[int] = set()
        self.resets = 0
        self.reset()

    def reset(self) -> None:
        """Believe in no load; holds and the count are kept."""
        for monitor in self.monitors:
            monitor.unload()
        self._stale = [False] * len(self.monitors)
        self.refused_s = 0.0

    def states(self) -> tuple[LinkState, ...]:
        """Belief about each link now."""
        return tuple(self._state(index) for index in range(len(self.monitors)))

    def resume(self, index: int) -> None:
        """Let a held link learn again."""
        self.held.discard(index)
        self.monitors[index].restart()

    def release(self, index: int) -> None:
        """Return a link to nominal."""
        self._ekf.reset_link(index)
        self.monitors[index].unload()

    def restart(self) -> None:
        """Forget the last moments of every link."""
        for monitor in self.monitors:
            monitor.restart()

    def start_again(self, time_s: float, reason: str) -> PayloadEvent:
        """Acquire all loads again: they may be others by now."""
        for index, monitor in enumerate(self.monitors):
            if monitor.loaded:
                self._inflate(index)
        self.resets += 1
        return PayloadEvent(time_s=time_s, link="", kind=EventKind.RESET, reason=reason)

    def freeze(self, stale: list[bool]) -> None:
        """Freeze the links whose torques are stale; those that no longer are restart.

        Args:
            stale: (n,) whether a link's torques are stale.
        """
        for monitor, before, now in zip(self.monitors, self._stale, stale, strict=True):
            if before is not now:  # the last moments are of other rows
                monitor.restart()
        self._stale = stale

    def look(
        self,
        sample: TorqueSample,
        innovation: Array,
        sigmas: tuple[Array, Array],
        dt_s: float,
    ) -> list[Verdict]:
        """Judge every link by its own rows.

        A link with a stale row is judged by the others and the free-flyer's, and only
        for whether its load is gone: it must not stay heavy while all rows that are
        left say it is bare. Those of the free-flyer cannot tell whose a new load is.

        Args:
            sample: The sample.
            innovation: (nv,) its torque minus that of the estimate.
            sigmas: (nv,) noise of the rows as learnt lately, and as settled.
            dt_s: Time since the sample before.
        """
        parameters = self._ekf.linearisation[0]
        verdicts = []
        for index, monitor in enumerate(self.monitors):
            if index in self.held or self._stale[index] and not monitor.loaded:
                verdicts.append(Verdict())
                continue
            rows = self._watched_rows(index)
            own = sample.regressor[rows, 10 * index : 10 * index + 10]
            torque = innovation[rows] + own @ parameters[index]
            verdict = monitor.look(
                torque,
                own,
                (sigmas[0][rows], sigmas[1][rows]),
                parameters[index],
                dt_s,
                only_detach=self._stale[index],
            )
            verdicts.append(verdict)
        return verdicts

    def _watched_rows(self, index: int) -> Rows:
        own = self._rows[index]
        if not self._stale[index]:
            return own
        return np.concatenate([np.arange(self._ekf.root_dofs), own])

    def react(self, time_s: float, verdicts: Sequence[Verdict]) -> list[PayloadEvent]:
        """Let the filter forget what an event makes worthless; the events."""
        events = []
        for index, verdict in enumerate(verdicts):
            if verdict.kind is None:
                continue
            if verdict.kind is EventKind.DETACH:
                self._ekf.reset_link(index)
            else:
                self._inflate(index)
            link = self._ekf.links[index]
            events.append(PayloadEvent(time_s=time_s, link=link, kind=verdict.kind))
        return events

    def _inflate(self, index: int) -> None:
        variances = np.zeros(10)
        variances[0] = self._settings.attach_variance_alpha
        variances[7:] = self._settings.attach_variance_t
        self._ekf.inflate(index, variances)
        self.monitors[index].since_event_s = 0.0
        self._motion.restart(index)

    def _state(self, index: int) -> LinkState:
        monitor = self.monitors[index]
        if self.refused_s > self._settings.lost_s:
            return LinkState.LOST
        if not self._may_learn(index):
            return LinkState.FROZEN
        if not monitor.loaded:
            return LinkState.NOMINAL
        recent = monitor.since_event_s <= self._settings.events.acquire_s
        return LinkState.ACQUIRING if recent else LinkState.TRACKING

    def _may_learn(self, index: int) -> bool:
        return not (index in self.held or self._stale[index])
