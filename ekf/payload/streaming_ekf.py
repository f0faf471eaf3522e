"""The inertial filter behind the streaming interface."""

from typing import Any

import pinocchio as pin

from ekf.arrays import Array, frozen
from ekf.errors import InvalidSettingError
from ekf.filter.estimate import Estimate, UpdateStatus
from ekf.filter.inertial_ekf import InertialEKF
from ekf.payload.sample_alignment import SampleAlignment
from ekf.signals.aligner import SignalAligner
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import CountsSamples, LearnStatus

_STATUS = {
    UpdateStatus.OK: LearnStatus.USED,
    UpdateStatus.REJECTED_NUMERICAL: LearnStatus.NUMERICAL,
    UpdateStatus.REJECTED_COVARIANCE: LearnStatus.COVARIANCE,
}


class StreamingEKF(CountsSamples):
    """`InertialEKF` fed sample by sample, reporting the payload of one link.

    Samples without acceleration pass the aligner first; the filter runs on every one.

    Attributes:
        link: The reported link.
    """

    def __init__(
        self,
        model: pin.Model,
        ekf: InertialEKF,
        *,
        link: str | None = None,
        n_feet: int = 0,
        aligner: SignalAligner | None = None,
        first_dt_s: float = 0.01,
    ) -> None:
        """Wrap a filter.

        Args:
            model: The robot the filter was made for.
            ekf: The filter; it is used and reset from here on.
            link: The link to report, as named to the filter; its first by default.
            n_feet: Number of feet of the filter.
            aligner: For samples without acceleration; the default one if None.
            first_dt_s: Time step of the first sample used.

        Raises:
            InvalidSettingError: If the filter does not estimate ``link``.
        """
        link = ekf.links[0] if link is None else link
        if link not in ekf.links:
            rule = f"must be one of the filter's links: {', '.join(ekf.links)}"
            raise InvalidSettingError("link", link, rule)
        self._ekf, self.link, self._index = ekf, link, ekf.links.index(link)
        reader = SampleReader(model, n_feet)
        self._alignment = SampleAlignment(reader, aligner or SignalAligner(model))
        self._first_dt_s = first_dt_s
        self.reset()

    def reset(self) -> None:
        """Return to the nominal model; the counts start again."""
        self._estimate = self._ekf.reset()
        self._alignment.reset()
        self._time_s: float | None = None
        self._restart_counts()

    @property
    def estimate(self) -> Estimate:
        """The filter's whole answer."""
        return self._estimate

    @property
    def state(self) -> Array:
        """(10 n,) deviations of all links from nominal."""
        return frozen(self._estimate.theta.ravel())

    @property
    def covariance(self) -> Array:
        """(10 n, 10 n) covariance of the state."""
        return self._estimate.covariance

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the mass."""
        return float(self._estimate.sigma_mass_kg[self._index])

    @property
    def payload_parameters(self) -> Array:
        """(10,) estimated minus nominal parameters of the link.

        Nominal plus this is always consistent; by itself it need not be.
        """
        own = self._estimate.parameters[self._index]
        return frozen(own - self._ekf.nominal_parameters[self._index])

    def predict_one(self) -> float:
        """Payload mass [kg], never negative."""
        return max(float(self.payload_parameters[0]), 0.0)

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads. Never raises on data."""
        status, aligned = self._alignment.push(sample)
        if aligned is not None:
            status = self._update(aligned)
        return self._count(status)

    def _update(self, sample: JointSample) -> LearnStatus:
        dt_s = self._first_dt_s
        if self._time_s is not None:
            dt_s = sample.time_s - self._time_s
        estimate = self._ekf.update(
            sample.q, sample.v, sample.a, sample.tau, sample.wrenches, dt_s=dt_s
        )
        self._time_s = sample.time_s
        self._estimate = estimate
        return learn_status(estimate.status)


def learn_status(status: UpdateStatus) -> LearnStatus:
    """The same in the terms all payload estimators share."""
    return _STATUS.get(status, LearnStatus.MISSING)
