"""Watches one link for loads that come, change and go."""

from dataclasses import dataclass
from enum import Enum

from ekf.arrays import Array
from ekf.supervisor.creep_watch import CreepWatch
from ekf.supervisor.settings import EventSettings
from ekf.supervisor.torque_window import TorqueWindow, gram_of_rows

_MOST_TRIES = 6
"""Doublings of the time to the next change event: after 32 s it stays the same."""

_ANOTHER = 4.0
"""A misfit this many times that of the last change is another load, not the same one
that no change explains; it need not wait."""


class LinkState(Enum):
    """Belief about the load on a link."""

    NOMINAL = "nominal"
    """No load; the link is held at nominal and learns nothing."""
    ACQUIRING = "acquiring"
    """A load has just come or changed; the estimate follows quickly."""
    TRACKING = "tracking"
    """The load is known; the estimate follows slowly."""
    FROZEN = "frozen"
    """Held, by request or because its torques are not to be trusted."""
    LOST = "lost"
    """Without data for so long that the estimate is no longer valid."""


class EventKind(Enum):
    """Kind of an event on a link."""

    ATTACH = "attach"
    """A load came onto a link at nominal."""
    CHANGE = "change"
    """The load changed."""
    DETACH = "detach"
    """The load is gone: nominal explains the torques."""
    RESET = "reset"
    """The link was returned to nominal for another reason, which the event names."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Judgement of the last moments of a link's torques.

    Attributes:
        kind: The event, if there is one.
        explained: Misfit, in units of the noise, that a change of mass and first moment
            would take off; zero while there is no alarm.
        foreign: Whether the torques cannot come from a load on this link.
        missing: (4,) change of mass and first moment that would explain best what the
            estimate of a load leaves over for a while; None where none is tracked.
        drifting: Whether that is more than noise: the load changes too little or too
            slowly for an event.
    """

    kind: EventKind | None = None
    explained: float = 0.0
    foreign: bool = False
    missing: Array | None = None
    drifting: bool = False


class LinkMonitor:
    """Decides between nominal, the estimate and a new load from one link's own rows.

    Own rows are the joints that carry the link, root excluded: another arm, the torso
    or a foot does not show in them, so a load is never blamed on the wrong arm.
    """

    def __init__(
        self, nominal: Array, direction: Array, settings: EventSettings
    ) -> None:
        """Start without a load.

        Args:
            nominal: (10,) parameters of the bare link.
            direction: (10,) parameters of 1 kg where a load is expected; tells a load
                from a pull.
            settings: Thresholds.
        """
        self._nominal, self._direction, self._settings = nominal, direction, settings
        self._window = TorqueWindow(settings.window_s)
        self._slow_window = TorqueWindow(settings.drift_window_s)
        self._creep = CreepWatch(settings)
        self._sensitivity = 0.0
        self._drifting = False
        self._calm_s, self._tries, self._tried = 0.0, 0, 0.0
        self.unload()

    @property
    def sensitivity(self) -> float:
        """Misfit that 1 kg at the expected place causes now, in units of the noise."""
        return self._window.visible(self._direction) or self._sensitivity

    def _alarm(self, parameters: Array) -> float:
        """Misfit that an event has to explain.

        What a share of the load would cause is no other load: at each reversal a heavy
        one shows the friction it adds. The slow window follows what stays of it.
        """
        settings = self._settings
        if not self.loaded:
            return settings.alarm
        share_kg = settings.change_share * (parameters[0] - self._nominal[0])
        return max(settings.change_alarm, self.sensitivity * share_kg**2)

    def restart(self) -> None:
        """Forget the last moments, as after a gap."""
        self._clear_window()
        self._reference: Array | None = None
        self._clear_times()

    def _clear_times(self) -> None:
        self._above_s = self._better_s = self._below_s = self._negative_s = 0.0
        self.since_event_s = 0.0
        self._creep.restart()

    def unload(self) -> None:
        """Believe in no load from here on."""
        self.loaded = False
        self._tries, self._tried = 0, 0.0
        self.restart()

    def look(
        self,
        torque: Array,
        regressor: Array,
        sigmas: tuple[Array, Array],
        parameters: Array,
        dt_s: float,
        *,
        only_detach: bool = False,
    ) -> Verdict:
        """Take one sample and judge.

        Args:
            torque: (m,) torque the link has to explain in its own rows [Nm].
            regressor: (m, 10) of its inertial parameters in them.
            sigmas: (m,) noise of these rows as learnt lately, and as settled.
            parameters: (10,) estimate of the link now.
            dt_s: Time since the sample before.
            only_detach: Whether the rows are too few for anything but a load that is
                gone; where they show too little of one, not for that either.
        """
        window, gram = self._window, gram_of_rows(torque, regressor, sigmas[0])
        window.add(gram, dt_s)
        self.since_event_s += dt_s
        energy = window.energy(parameters)
        nominal = window.energy(self._nominal)
        explained = 0.0
        alarm = self._alarm(parameters)
        if energy > alarm:
            explained = window.explained(parameters)
        fits = explained > self._settings.smallest_share * energy
        stands_out = self._stands_out(fits and explained > alarm, parameters, dt_s)
        pulled = explained > 0.0 and window.along(parameters, self._direction) <= 0.0
        calm = self._is_calm(explained, dt_s)
        missing = self._missing(gram, parameters, dt_s, calm=calm)
        gone = self._gone(energy, nominal, parameters, dt_s)
        stands_out = stands_out and (self.loaded or not pulled)
        kind = self._happened(stands_out, gone, explained)
        if not self.loaded and kind is None:
            rows = torque, regressor, sigmas[1]
            if self._creep.look(rows, parameters, self._direction, dt_s):
                kind = EventKind.ATTACH
        if only_detach:
            payload_kg = parameters[0] - self._nominal[0]
            seen = self.sensitivity * payload_kg**2 > self._settings.alarm
            kind = EventKind.DETACH if seen and kind is EventKind.DETACH else None
        if kind is not None:
            self._begin(kind, explained)
        return Verdict(
            kind=kind,
            explained=explained,
            foreign=self._foreign(energy, explained, pulled),
            missing=missing,
            drifting=self._drifting,
        )

    def _is_calm(self, explained: float, dt_s: float) -> bool:
        """Whether no event is to be expected, or none that could still help."""
        calm = explained == 0.0
        self._calm_s = self._calm_s + dt_s if calm else 0.0
        if self._calm_s > 2.0 * self._wait_s:
            self._tries, self._tried = 0, 0.0
        return calm or self._tries > 1

    def _missing(
        self, gram: Array, parameters: Array, dt_s: float, *, calm: bool
    ) -> Array | None:
        settings = self._settings
        if not self.loaded or self.since_event_s <= settings.acquire_s:
            return None
        self._slow_window.add(gram, dt_s)
        change, explained = self._slow_window.change(parameters)
        alarm = settings.drift_quiet if self._drifting else settings.drift_alarm
        # A misfit that may become an event is left to the event.
        self._drifting = calm and explained > alarm
        return change

    def _begin(self, kind: EventKind, explained: float) -> None:
        """Judge the time after an event by itself."""
        self.loaded = kind is not EventKind.DETACH
        if kind is EventKind.CHANGE:
            self._tries, self._tried = self._tries + 1, max(self._tried, explained)
        else:
            self._tries, self._tried = 0, 0.0
        self._clear_window()
        self._clear_times()

    def _clear_window(self) -> None:
        self._sensitivity = self.sensitivity
        self._window.clear()
        self._slow_window.clear()
        self._drifting = False

    def _stands_out(self, alarmed: bool, parameters: Array, dt_s: float) -> bool:
        """Whether a load has explained for long what the estimate does not."""
        if alarmed and self._above_s == 0.0:
            # The moments that led up to this belong to the load before.
            self._reference = parameters
            self._clear_window()
        self._above_s = self._above_s + dt_s if alarmed else 0.0
        return self._above_s > self._settings.confirm_s

    def _happened(
        self, stands_out: bool, gone: bool, explained: float
    ) -> EventKind | None:
        if self.loaded and gone:
            return EventKind.DETACH
        if not stands_out:
            return None
        if not self.loaded:
            return EventKind.ATTACH
        another = explained > _ANOTHER * self._tried
        wait_s = self._settings.acquire_s if another else self._wait_s
        return EventKind.CHANGE if self.since_event_s > wait_s else None

    @property
    def _wait_s(self) -> float:
        """Time to the next change: what none has explained is tried ever more rarely.

        Calm starts it anew only after twice as long, or a misfit that comes and goes
        would be tried at the first rate for ever.
        """
        return self._settings.acquire_s * 2.0 ** min(self._tries, _MOST_TRIES)

    def _gone(
        self, energy: float, nominal: float, parameters: Array, dt_s: float
    ) -> bool:
        """Whether the bare link explains the torques, and the load does not."""
        settings = self._settings
        if not self.loaded:
            return False
        if self._above_s > 0.0 and self._reference is not None:
            energy = self._window.energy(self._reference)
        quiet = nominal < max(settings.quiet, settings.quiet_share * energy)
        better = quiet and energy - nominal > settings.alarm
        payload_kg = parameters[0] - self._nominal[0]
        faint = payload_kg < settings.faint_kg and nominal < energy
        small = quiet and (faint or payload_kg < settings.smallest_kg)
        self._better_s = self._better_s + dt_s if better else 0.0
        self._below_s = self._below_s + dt_s if small else 0.0
        self._negative_s = self._negative_s + dt_s if payload_kg < 0.0 else 0.0
        alarmed = better and self._above_s > settings.confirm_s
        return (
            alarmed
            or self._better_s > settings.confirm_s
            or self._below_s > settings.acquire_s
            or self._negative_s > settings.acquire_s
        )

    def _foreign(self, energy: float, explained: float, pulled: bool) -> bool:
        settings = self._settings
        if energy < settings.alarm or self.since_event_s < settings.acquire_s:
            return False
        misfit = explained < settings.smallest_share * energy
        return misfit or (pulled and not self.loaded)
