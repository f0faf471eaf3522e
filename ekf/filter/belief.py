"""The filter's belief about the links, and how a sample changes it."""

import numpy as np

from ekf.arrays import Array
from ekf.covariance import is_covariance, is_positive
from ekf.filter.estimate import UpdateStatus
from ekf.filter.filter_setup import FilterNoise
from ekf.filter.information_update import information_correction
from ekf.filter.link_torques import TorqueSample
from ekf.filter.settings import (
    HOPELESS_STEP,
    LARGEST_STEP,
    LONGEST_TICK_S,
    LONGEST_WALK_S,
    REFERENCE_TICK_S,
)
from ekf.filter.update_weights import UpdateWeights
from ekf.inertia.deviation_stack import DeviationStack, chain
from ekf.inertia.pseudo_inertia import pseudo_inertia


class InertialBelief:
    r"""Deviations of n links from nominal, and their covariance.

    Random walk of the deviations, and one linearisation per sample:
    :math:`H = Y^{est} G` with :math:`G = \partial \pi / \partial \theta`.

    Attributes:
        theta: (n, 10) deviations; zero is nominal.
        covariance: (10 n, 10 n) of theta, links stacked.
        parameters: (n, 10) inertial parameters at theta.
        jacobians: (n, 10, 10) G of each link.
        nominal: (n, 10) inertial parameters at theta = 0.
        information: (10 n, 10 n) H^T R^-1 H of the last sample's torque rows.
    """

    def __init__(
        self, deviations: DeviationStack, noise: FilterNoise, initial_covariance: Array
    ) -> None:
        """Start at nominal.

        Args:
            deviations: The links.
            noise: Of process, torques and fictitious measurement.
            initial_covariance: (10 n, 10 n) of theta.
        """
        self._deviations, self._noise = deviations, noise
        self._initial_covariance = initial_covariance
        self.nominal = deviations.nominal
        self._flat_nominal = self.nominal.ravel()
        self.reset()

    def reset(self) -> None:
        """Return to nominal and to the initial covariance."""
        self._accept(self._initial_covariance.copy())
        self.information = np.zeros_like(self.covariance)
        self._unused_s = 0.0
        self._move(np.zeros_like(self.nominal))

    def reset_link(self, index: int) -> None:
        """Return one link to nominal and to its initial covariance."""
        own = slice(10 * index, 10 * index + 10)
        theta = self.theta.copy()
        theta[index] = 0.0
        self._replace_block(own, self._initial_covariance[own, own])
        self._move(theta)

    def inflate(self, index: int, variances: Array) -> None:
        """Make one link's covariance a diagonal, at least as wide as it was."""
        own = slice(10 * index, 10 * index + 10)
        wider = np.maximum(variances, self.covariance[own, own].diagonal())
        self._replace_block(own, np.diag(wider))

    def innovation(self, sample: TorqueSample) -> Array:
        """(nv,) measured minus predicted torque [N, Nm]."""
        innovation: Array = sample.y - sample.regressor @ self.parameters.ravel()
        return innovation

    def predicted_variance(self, sample: TorqueSample) -> Array:
        """(nv,) variance of each torque row for not knowing the links: H P H^T."""
        jacobian = chain(sample.regressor, self.jacobians)
        variance: Array = ((jacobian @ self.covariance) * jacobian).sum(axis=1)
        return variance

    def pass_time(self, dt_s: float) -> None:
        """Count the time of a sample that was not used as process noise of the next."""
        self._unused_s = min(self._unused_s + dt_s, LONGEST_WALK_S)

    def correct(
        self, sample: TorqueSample, dt_s: float, weights: UpdateWeights
    ) -> tuple[Array, float] | UpdateStatus:
        """Use one sample.

        Args:
            sample: Torque and regressor.
            dt_s: Time since the one before, positive.
            weights: Changes to the noise of this update.

        Returns:
            Innovation (nv,) [N, Nm], and the stacked one squared in units of its
            covariance, fictitious rows included. `REJECTED_NUMERICAL`, with nothing
            changed, if the update would have been absurd or not finite, or its gain
            was singular; `REJECTED_COVARIANCE` if the covariance before or after it
            was none: it is the initial one again, and theta is as it was.
        """
        if not self._is_sound():
            return self._reset_covariance()
        innovation = self.innovation(sample)
        jacobian = chain(sample.regressor, self.jacobians)
        weight = min(dt_s, LONGEST_TICK_S) / REFERENCE_TICK_S
        trust = weight / self._noise.torque
        if weights.variance_scale is not None:
            trust = trust / weights.variance_scale
        weighted = jacobian.T * trust
        torque_information, score = weighted @ jacobian, weighted @ innovation
        pull, theta = weight * self._noise.pull, self.theta.ravel()
        information = torque_information.copy()
        information.flat[:: len(pull) + 1] += pull
        score -= pull * theta
        if weights.constraint is not None:
            known = chain(weights.constraint, self.jacobians)
            moved = self.parameters.ravel() - self._flat_nominal
            information += known.T @ known
            score -= known.T @ (weights.constraint @ moved)
        correction = information_correction(
            self._predict(dt_s, weights), information, score, weights.learning
        )
        if correction is None:
            return UpdateStatus.REJECTED_NUMERICAL
        if not is_positive(correction.covariance):
            return self._reset_covariance()
        self.information = torque_information
        if not self._step(correction.change):
            return UpdateStatus.REJECTED_NUMERICAL
        self._accept(correction.covariance)
        self._unused_s = 0.0
        squares = float(innovation @ (trust * innovation) + theta @ (pull * theta))
        return innovation, max(squares - correction.explained, 0.0)

    def _accept(self, covariance: Array) -> None:
        """Take over a covariance that is known to be one."""
        self.covariance, self._checked = covariance, covariance.tobytes()

    def _is_sound(self) -> bool:
        """Whether the covariance still is one; quick if nobody has changed it."""
        unchanged = self.covariance.tobytes() == self._checked
        return unchanged or is_covariance(self.covariance)

    def _reset_covariance(self) -> UpdateStatus:
        self._accept(self._initial_covariance.copy())
        return UpdateStatus.REJECTED_COVARIANCE

    def _predict(self, dt_s: float, weights: UpdateWeights) -> Array:
        """Covariance after the random walk since the last sample used."""
        walked_s = min(self._unused_s + dt_s, LONGEST_WALK_S)
        walked = self._noise.process * (walked_s / REFERENCE_TICK_S)
        if weights.process_scale is not None:
            walked = (walked.reshape(-1, 10) * weights.process_scale[:, None]).ravel()
        if weights.added_variance is not None:
            walked = walked + weights.added_variance
        if weights.learning is not None:
            walked = walked * weights.learning
        predicted = self.covariance.copy()
        predicted.flat[:: len(walked) + 1] += walked
        return predicted

    def _step(self, change: Array) -> bool:
        """Move theta by a change, or by the share of it that is not too far."""
        largest = np.abs(change).max()
        if largest > HOPELESS_STEP:
            return False
        share = min(1.0, LARGEST_STEP / max(largest, LARGEST_STEP))
        return self._move(self.theta + share * change.reshape(-1, 10))

    def _move(self, theta: Array) -> bool:
        """Take over a theta whose parameters and Jacobians are sound."""
        parameters, jacobians = self._deviations.linearise(theta)
        if not (_all_consistent(parameters) and np.isfinite(jacobians).all()):
            return False
        self.theta, self.parameters, self.jacobians = theta, parameters, jacobians
        return True

    def _replace_block(self, own: slice, block: Array) -> None:
        """Replace one link's covariance; forget what it had in common with others."""
        covariance = self.covariance.copy()
        covariance[own, :] = 0.0
        covariance[:, own] = 0.0
        covariance[own, own] = block
        self.covariance = covariance


def _all_consistent(parameters: Array) -> bool:
    """Guard against round-off: in exact arithmetic every theta is consistent."""
    if not np.isfinite(parameters).all():
        return False
    try:
        np.linalg.cholesky(pseudo_inertia(parameters))
    except np.linalg.LinAlgError:
        return False
    return True
