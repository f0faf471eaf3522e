"""Which links may learn from a sample, and how noisy its rows are."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array, Flags
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.link_torques import TorqueSample
from ekf.filter.update_weights import UpdateWeights
from ekf.supervisor.attachments import Attachments
from ekf.supervisor.link_monitor import LinkState, Verdict
from ekf.supervisor.ripple import InnovationRipple
from ekf.supervisor.row_trust import DOUBTED, NOT_BELIEVED, RowTrust
from ekf.supervisor.settings import SupervisorSettings

_LEARNING = (LinkState.ACQUIRING, LinkState.TRACKING)


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Belief at one sample; n links.

    Attributes:
        states: Belief about each link.
        verdicts: Judgement of the last moments of each.
        gains: (n, 10) observability.
        rest_s: (n,) how long each chain has rested.
        doubt: (nv,) factor on the variance of each row.
        dt_s: Time since the sample before.
    """

    states: tuple[LinkState, ...]
    verdicts: list[Verdict]
    gains: Array
    rest_s: Array
    doubt: Array
    dt_s: float


class LearningPolicy:
    """Decides who learns from a sample, and how much."""

    def __init__(
        self,
        ekf: InertialEKF,
        trust: RowTrust,
        attachments: Attachments,
        settings: SupervisorSettings,
    ) -> None:
        """Keep what does not change.

        Args:
            ekf: The filter.
            trust: Of its rows.
            attachments: Where loads hang.
            settings: Of the supervisor.
        """
        self._ekf, self._trust = ekf, trust
        self._attachments, self._settings = attachments, settings
        self._rows = [ekf.own_rows(index) for index in range(len(ekf.links))]
        self._process = {
            LinkState.ACQUIRING: 1.0,
            LinkState.TRACKING: settings.tracking_scale,
        }
        events = settings.events
        self._ripple = InnovationRipple(ekf.model.nv, events.window_s, events.acquire_s)

    def reset(self) -> None:
        """Forget the past."""
        self._ripple.reset()

    def weights(
        self, now: Situation, out: Flags, *, unexplained: bool
    ) -> UpdateWeights:
        """How far the filter believes the sample.

        Args:
            now: The situation.
            out: (nv,) rows that are left out.
            unexplained: Whether something hangs where no link is estimated.
        """
        process = [self._process.get(state, 0.0) for state in now.states]
        return UpdateWeights(
            process_scale=np.array(process),
            added_variance=self._added_variance(now),
            learning=self._learning(now),
            variance_scale=self._variance_scale(now, out, unexplained),
            constraint=self._constraint(now),
        )

    def learn_noise(
        self, now: Situation, sample: TorqueSample, innovation: Array, *, found: bool
    ) -> None:
        """Learn the noise from innovations without an event.

        At rest they only add to it, because rest hides noise. Left-overs of a known
        load are not noise: neither those at rest, nor those that a change of the load
        would explain. Of innovations that stay or come back unexplained, only the quick
        part is noise (`InnovationRipple`).

        Args:
            now: The situation.
            sample: The sample.
            innovation: (nv,) its torque minus that of the estimate.
            found: Whether something in the free-flyer's rows is not explained.
        """
        noise, root = self._trust.noise, self._ekf.root_dofs
        rows = (now.doubt < DOUBTED).astype(float)
        alarmed = self._alarmed(now, found)
        ripple, lasting = self._ripple.look(innovation, alarmed, now.dt_s)
        innovation = np.where(lasting, ripple, innovation)
        rows[alarmed & ~lasting] = 0.0
        louder = innovation**2 > noise.variance
        for index, own in enumerate(self._rows):
            state, verdict = now.states[index], now.verdicts[index]
            if now.rest_s[index] > 0.0:
                rows[own] *= louder[own] & (state is LinkState.NOMINAL)
            if state is LinkState.ACQUIRING:
                rows[own] = 0.0
                rows[:root] = 0.0
            elif verdict.explained == 0.0 and verdict.missing is not None:
                point = sample.regressor[:, 10 * index : 10 * index + 4]
                other = np.abs(innovation - point @ verdict.missing)
                smaller = np.minimum(np.abs(innovation), other)
                innovation = np.where(louder, smaller, innovation)
        noise.learn(innovation, rows, now.dt_s)

    def _alarmed(self, now: Situation, found: bool) -> Flags:
        """(nv,) rows with something that is not explained, at least not yet."""
        alarmed = np.zeros(len(now.doubt), dtype=bool)
        root = self._ekf.root_dofs
        alarmed[:root] = found
        for own, verdict in zip(self._rows, now.verdicts, strict=True):
            if verdict.explained > 0.0:
                alarmed[own] = alarmed[:root] = True
        return alarmed

    def _variance_scale(self, now: Situation, out: Flags, unexplained: bool) -> Array:
        settings, root = self._settings, self._ekf.root_dofs
        same_s = np.full(len(now.doubt), settings.noise.correlation_s)
        for index, rows in enumerate(self._rows):
            if now.states[index] is LinkState.TRACKING:
                same_s[rows] = np.maximum(same_s[rows], now.rest_s[index])
        scale = self._trust.variance_scale(same_s, now.dt_s) * now.doubt
        if self._attachments.known and LinkState.ACQUIRING not in now.states:
            scale[:root] *= settings.root_variance_scale
        scale[out] = NOT_BELIEVED
        if unexplained:
            scale[:root] = NOT_BELIEVED
        return scale

    def _added_variance(self, now: Situation) -> Array | None:
        """Variance that a link gains while its load goes on changing."""
        if not any(verdict.drifting for verdict in now.verdicts):
            return None
        added = np.zeros((len(now.verdicts), 10))
        for index, verdict in enumerate(now.verdicts):
            if verdict.drifting and verdict.missing is not None:
                link = self._ekf.linearisation[0][index]
                mass = verdict.missing[0]
                shift = (verdict.missing[1:] - mass * link[1:4] / link[0]) / link[0]
                added[index, 0] = (0.5 * mass / link[0]) ** 2
                added[index, 7:] = shift**2
        return (now.dt_s / self._settings.drift_s) * added.ravel()

    def _learning(self, now: Situation) -> Array:
        """All channels while a load is acquired, later those that are visible."""
        visible = now.gains > 0.2 * self._settings.observable_gain
        learning = np.zeros((len(now.states), 10))
        for index, state in enumerate(now.states):
            if state is LinkState.ACQUIRING:
                learning[index] = 1.0
            elif state is LinkState.TRACKING:
                learning[index] = visible[index]
        return learning.ravel()

    def _constraint(self, now: Situation) -> Array | None:
        """Where the loads that are learnt now hang."""
        active = [k for k, state in enumerate(now.states) if state in _LEARNING]
        samples = max(self._settings.noise.correlation_s / now.dt_s, 1.0)
        masses = self._ekf.linearisation[0][:, 0]
        return self._attachments.constraint(active, masses, samples)
