"""The supervised filter behind the interface of all payload estimators."""

from collections.abc import Sequence
from typing import Any

import pinocchio as pin

from ekf.filter.inertial_ekf import InertialEKF
from ekf.payload.streaming_ekf import StreamingEKF, learn_status
from ekf.signals.aligner import SignalAligner
from ekf.signals.samples import JointSample
from ekf.streaming import LearnStatus
from ekf.supervisor.payload_report import PayloadReport
from ekf.supervisor.settings import SupervisorSettings
from ekf.supervisor.supervised_ekf import SupervisedEKF
from ekf.supervisor.supervised_estimate import PayloadEvent, SupervisedEstimate


class StreamingSupervisedEKF(StreamingEKF):
    """`SupervisedEKF` fed with joint samples; keeps every event."""

    def __init__(
        self,
        model: pin.Model,
        ekf: InertialEKF,
        *,
        link: str | None = None,
        n_feet: int = 0,
        aligner: SignalAligner | None = None,
        settings: SupervisorSettings | None = None,
        attachments_m: Sequence[Any] | None = None,
    ) -> None:
        """Wrap a filter.

        Args:
            model: The robot the filter was made for.
            ekf: The filter; it is used and reset from here on.
            link: The link to report, as named to the filter; its first by default.
            n_feet: Number of feet of the filter.
            aligner: For samples without acceleration; the default one if None.
            settings: Of the supervisor.
            attachments_m: (n, 3) where a load hangs on each link of the filter, in its
                joint frame; None if nobody knows.

        Raises:
            EkfError: If a value breaks its rule.
        """
        self._supervised = SupervisedEKF(
            ekf, settings=settings, attachments_m=attachments_m
        )
        super().__init__(model, ekf, link=link, n_feet=n_feet, aligner=aligner)

    def reset(self) -> None:
        """Return to the nominal model; counts and events start again."""
        super().reset()
        self._result = self._supervised.reset()
        self._events: list[PayloadEvent] = []

    @property
    def result(self) -> SupervisedEstimate:
        """The whole answer of filter and supervisor."""
        return self._result

    @property
    def report(self) -> PayloadReport:
        """Of the reported link."""
        return self._result.reports[self._index]

    @property
    def events(self) -> tuple[PayloadEvent, ...]:
        """All events since the start, of every link."""
        return tuple(self._events)

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the payload, as the report states it."""
        return self.report.sigma_mass_kg

    def _update(self, sample: JointSample) -> LearnStatus:
        result = self._supervised.update(
            sample.time_s, sample.q, sample.v, sample.a, sample.tau, sample.wrenches
        )
        self._result, self._estimate = result, result.estimate
        self._events += result.events
        return learn_status(result.estimate.status)
