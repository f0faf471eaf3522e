"""Extended Kalman filter on the inertia of chosen links."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen
from ekf.faults import Fault, FaultKind, find_time_step_fault, to_float
from ekf.filter.belief import InertialBelief
from ekf.filter.estimate import Estimate, UpdateStatus
from ekf.filter.filter_setup import covariance_matrix, filter_noise
from ekf.filter.link_torques import LinkTorques, TorqueSample
from ekf.filter.regularisation import FictitiousPrior
from ekf.filter.settings import ProcessNoise
from ekf.filter.update_weights import UpdateWeights
from ekf.inertia.deviation_stack import DeviationStack

_STATUS_OF_FAULT = {
    FaultKind.DIMENSION: UpdateStatus.REJECTED_DIMENSION,
    FaultKind.NON_FINITE: UpdateStatus.REJECTED_NON_FINITE,
    FaultKind.CONFIGURATION: UpdateStatus.REJECTED_CONFIGURATION,
    FaultKind.TIME_STEP: UpdateStatus.REJECTED_TIME_STEP,
    FaultKind.MISSING: UpdateStatus.REJECTED_NO_WRENCHES,
}
_REASON = {
    UpdateStatus.REJECTED_NUMERICAL: (
        "the update was absurd, not finite, or its gain was singular"
    ),
    UpdateStatus.REJECTED_COVARIANCE: (
        "the covariance was not finite, symmetric and positive: it was reset"
    ),
}
_PLAIN = UpdateWeights()


class InertialEKF(LinkTorques):
    r"""Estimates the inertia of chosen links from torques and contact wrenches.

    State: the deviations :math:`\theta` of the links from their nominal inertia,
    stacked; zero is nominal (`InertialBelief`). Random-walk process, torque measurement
    of all nv rows (`LinkTorques`), fictitious measurement on the regularised channels
    (`FictitiousPrior`), :math:`H = Y^{est} G`, Joseph form, one linearisation per
    sample.

    The inputs of `update` must be aligned in time: pass q, v, torques and acceleration
    through one filter (`SignalAligner`).

    All variances are those of one 100 Hz tick. At another rate the process noise is
    multiplied, and the measurement and prior variances divided, by ``dt / 0.01 s``:
    neighbouring samples of filtered signals are not independent, so ten times as many
    of them do not carry ten times the information. A sample counts for at most
    0.1 s, however long the gap before it.

    Source: arXiv:2610.22176, Section III-A and Table III.

    Attributes:
        measurement_variance: (nv,) of each torque row [N^2, (Nm)^2], one 100 Hz tick.
    """

    def __init__(
        self,
        model: pin.Model,
        links: Sequence[str],
        *,
        feet: Sequence[str] = (),
        process_noise: ProcessNoise | None = None,
        measurement_variance: Any = None,
        prior: FictitiousPrior | None = None,
        initial_covariance: Any = 1e-2,
    ) -> None:
        r"""Capture the nominal inertia of the estimated links.

        Args:
            model: The robot, with or without a free-flyer; copied, never changed. The
                inertia of the estimated links in it is their nominal inertia.
            links: Joint names or body (link) frame names. Everything fixed to one
                joint counts as one link.
            feet: Frames at which `update` gets contact wrenches, in that order.
            process_noise: Random walk of the deviation; Table III by default.
            measurement_variance: Variance of each torque row [N^2, (Nm)^2], one 100 Hz
                tick: (nv,) or one number; `torque_variance` of the model by default.
            prior: Fictitious measurement; by default Table III for a robot on a
                free-flyer, none (`PriorRegime.NONE`) for a fixed base.
            initial_covariance: Covariance of theta at the start: a number (times
                identity), (10 n,) a diagonal, or the full (10 n, 10 n) matrix.

        Raises:
            UnknownLinkError: If a link or foot is not in the model.
            InconsistentInertiaError: If a link has no consistent nominal inertia.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If an array has the wrong shape.
        """
        super().__init__(model, links, feet)
        count = len(self.links)
        noise = filter_noise(model, count, process_noise, measurement_variance, prior)
        self.measurement_variance = frozen(noise.torque)
        self._belief = InertialBelief(
            DeviationStack.of_joints(model, self.joint_ids),
            noise,
            covariance_matrix(initial_covariance, 10 * count),
        )
        self._rejections: Counter[UpdateStatus] = Counter()
        self._no_innovation = frozen(np.full(model.nv, np.nan))
        self.reset()

    # The robot

    @property
    def estimate(self) -> Estimate:
        """The estimate after the last `update` or `reset`."""
        return self._estimate

    @property
    def nominal_parameters(self) -> Array:
        """(n, 10) nominal inertial parameters of the estimated links."""
        return self._belief.nominal.copy()

    @property
    def linearisation(self) -> tuple[Array, Array]:
        """Parameters (n, 10) and their Jacobians (n, 10, 10) at the estimate."""
        return self._belief.parameters, self._belief.jacobians

    @property
    def information(self) -> Array:
        """(10 n, 10 n) H^T R^-1 H of the last sample's torque rows."""
        return self._belief.information

    @property
    def rejections(self) -> Mapping[UpdateStatus, int]:
        """How many samples were rejected since construction, by status."""
        return dict(self._rejections)

    def innovation(self, sample: TorqueSample) -> Array:
        """(nv,) torque of a sample minus that of the estimate [N, Nm]."""
        return self._belief.innovation(sample)

    def predicted_variance(self, sample: TorqueSample) -> Array:
        """(nv,) variance of each torque row for not knowing the links: H P H^T."""
        return self._belief.predicted_variance(sample)

    def reset(self) -> Estimate:
        """Return to the nominal model and the initial covariance.

        The count of rejections and the torque bias are kept.
        """
        self._belief.reset()
        self._estimate = self._describe(UpdateStatus.NOT_UPDATED)
        return self._estimate

    def reset_link(self, index: int) -> None:
        """Return one link to nominal and to its initial covariance.

        Its correlation with the other links is forgotten; they stay as they are.

        Args:
            index: Place of the link in `links`.
        """
        self._belief.reset_link(index)
        self._estimate = self._describe(self._estimate.status)

    def inflate(self, index: int, variances: Array) -> None:
        """Forget how sure one link was: its covariance becomes a diagonal.

        Args:
            index: Place of the link in `links`.
            variances: (10,) of its channels; what is above them already stays.
        """
        self._belief.inflate(index, variances)

    def nominal_residual(
        self, q: Any, v: Any, a: Any, tau_joints: Any, wrenches: Any = None
    ) -> Array | None:
        """(nv,) y - Y_est pi_nominal of one sample, without any bias taken off.

        Args:
            q: (nq,) configuration, all in the conventions of `update`.
            v: (nv,) velocity.
            a: (nv,) time derivative of ``v``.
            tau_joints: Actuated torques [Nm].
            wrenches: (n_feet, 6) contact wrenches [N, Nm].

        Returns:
            None for a sample that `update` would reject.
        """
        sample = self.measure(q, v, a, tau_joints, wrenches)
        if isinstance(sample, Fault):
            return None
        nominal = self._belief.nominal.ravel()
        residual: Array = sample.y + self._torque_bias - sample.regressor @ nominal
        return residual

    def update(
        self,
        q: Any,
        v: Any,
        a: Any,
        tau_joints: Any,
        wrenches: Any = None,
        *,
        dt_s: float,
    ) -> Estimate:
        r"""Use one sample. Never raises on data: the status says what happened.

        A rejected sample leaves theta and its covariance as they were; its time counts
        as process noise at the next accepted one. Only a covariance that is none any
        more, after memory was damaged or for round-off, returns to the initial one.

        Args:
            q: (nq,) configuration; a free-flyer is [x y z | qx qy qz qw].
            v: (nv,) velocity; that of a free-flyer is [linear, angular] in the base
                frame.
            a: (nv,) time derivative of ``v`` (coordinates, not the classical
                acceleration of the base point).
            tau_joints: (nv - 6,) actuated torques with a free-flyer, else (nv,) [Nm].
            wrenches: (n_feet, 6) contact wrenches, [force, moment] in world axes at the
                foot frames [N, Nm]; None only if the filter has no feet.
            dt_s: Time since the previous sample.
        """
        sample = self.measure(q, v, a, tau_joints, wrenches)
        return self.correct(sample, dt_s=dt_s)

    def correct(
        self,
        sample: TorqueSample | Fault,
        *,
        dt_s: float,
        weights: UpdateWeights = _PLAIN,
    ) -> Estimate:
        """The second half of `update`. Never raises on data.

        Args:
            sample: Result of `measure`.
            dt_s: Time since the previous sample.
            weights: Changes to the noise of this update.
        """
        fault = sample if isinstance(sample, Fault) else None
        fault = fault or find_time_step_fault(to_float(dt_s))
        if fault is not None:
            return self._reject(_STATUS_OF_FAULT[fault.kind], fault.reason, dt_s)
        assert isinstance(sample, TorqueSample)
        with np.errstate(over="ignore", invalid="ignore"):
            change = self._belief.correct(sample, to_float(dt_s), weights)
        if isinstance(change, UpdateStatus):
            return self._reject(change, _REASON[change], dt_s)
        self._estimate = self._describe(UpdateStatus.OK, *change)
        return self._estimate

    def _reject(self, status: UpdateStatus, reason: str, dt_s: Any) -> Estimate:
        self._rejections[status] += 1
        if find_time_step_fault(to_float(dt_s)) is None:
            self._belief.pass_time(to_float(dt_s))
        self._estimate = replace(
            self._estimate,
            covariance=frozen(self._belief.covariance),
            status=status,
            reason=reason,
            innovation=self._no_innovation,
            normalised_innovation=float("nan"),
        )
        return self._estimate

    def _describe(
        self,
        status: UpdateStatus,
        innovation: Array | None = None,
        normalised: float = float("nan"),
    ) -> Estimate:
        belief, unused = self._belief, self._no_innovation
        return Estimate(
            links=self.links,
            theta=frozen(belief.theta),
            parameters=frozen(belief.parameters),
            jacobians=frozen(belief.jacobians),
            covariance=frozen(belief.covariance),
            innovation=unused if innovation is None else frozen(innovation),
            normalised_innovation=normalised,
            status=status,
        )
