"""Extended Kalman filter on the inertia of chosen links."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Rows, frozen, require_finite
from ekf.faults import (
    Fault,
    FaultKind,
    find_array_fault,
    find_configuration_fault,
    find_time_step_fault,
    to_array,
    to_float,
)
from ekf.filter.estimate import Estimate, UpdateStatus
from ekf.filter.filter_setup import covariance_matrix, input_shapes, positive_variances
from ekf.filter.information_update import InformationCorrection, information_correction
from ekf.filter.regularisation import FictitiousPrior
from ekf.filter.settings import (
    HOPELESS_STEP,
    LARGEST_STEP,
    LONGEST_TICK_S,
    LONGEST_WALK_S,
    REFERENCE_TICK_S,
    ProcessNoise,
    torque_variance,
)
from ekf.filter.torque_measurement import TorqueMeasurement
from ekf.filter.update_weights import UpdateWeights
from ekf.inertia.deviation import DeviationModel
from ekf.inertia.deviation_stack import DeviationStack
from ekf.inertia.pseudo_inertia import pseudo_inertia
from ekf.model_lookup import frame_ids, link_joint_ids, root_dofs

_STATUS_OF_FAULT = {
    FaultKind.DIMENSION: UpdateStatus.REJECTED_DIMENSION,
    FaultKind.NON_FINITE: UpdateStatus.REJECTED_NON_FINITE,
    FaultKind.CONFIGURATION: UpdateStatus.REJECTED_CONFIGURATION,
    FaultKind.TIME_STEP: UpdateStatus.REJECTED_TIME_STEP,
    FaultKind.MISSING: UpdateStatus.REJECTED_NO_WRENCHES,
}


_PLAIN = UpdateWeights()
_NO_WRENCHES = np.empty((0, 6))


@dataclass(frozen=True, kw_only=True)
class TorqueSample:
    """What one sample says about the estimated links.

    Attributes:
        y: (nv,) torque their inertia has to explain, bias taken off [N, Nm].
        regressor: (nv, 10 n) Y_est of their inertial parameters.
    """

    y: Array
    regressor: Array


@dataclass(frozen=True, kw_only=True)
class _Tick:
    q: Array
    v: Array
    a: Array
    tau_joints: Array
    wrenches: Array


class InertialEKF:
    r"""Estimates the inertia of chosen links from torques and contact wrenches.

    State: the deviations :math:`\theta` of the links from their nominal inertia,
    stacked; zero is nominal. Random-walk process, torque measurement of all nv rows
    (`TorqueMeasurement`), fictitious measurement on the regularised channels
    (`FictitiousPrior`), :math:`H = Y^{est} G`, Joseph form, one linearisation a tick.

    The inputs of `update` must be aligned in time: pass q, v, torques and acceleration
    through one filter (`SignalAligner`).

    All variances are those of one 100 Hz tick. At another rate the process noise is
    multiplied, and the measurement and prior variances divided, by ``dt / 0.01 s``:
    neighbouring samples of filtered signals are not independent, so ten times as many
    of them do not carry ten times the information. A sample counts for at most
    0.1 s, however long the gap before it.

    Source: arXiv:2610.22176, Section III-A and Table III.
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
            measurement_variance: (nv,) variance of each torque row [N^2, (Nm)^2], one
                100 Hz tick; `torque_variance` of the model by default.
            prior: Fictitious measurement; Table III by default.
            initial_covariance: Covariance of theta at the start: a number (times
                identity), (10 n,) a diagonal, or the full (10 n, 10 n) matrix.

        Raises:
            UnknownLinkError: If a link or foot is not in the model.
            InconsistentInertiaError: If a link has no consistent nominal inertia.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If an array has the wrong shape.
        """
        self._joint_ids = link_joint_ids(model, links)
        self._links = tuple(links)
        foot_ids = frame_ids(model, feet)
        self._torque = TorqueMeasurement(model, self._joint_ids, foot_ids)
        self._deviations = DeviationStack(_deviations(model, self._joint_ids))
        self._shapes = input_shapes(model, len(foot_ids))
        self._root_dofs = root_dofs(model)
        self._set_noise(process_noise, measurement_variance, prior)
        size = 10 * len(self._joint_ids)
        self._initial_covariance = covariance_matrix(initial_covariance, size)
        self._rejections: Counter[UpdateStatus] = Counter()
        self._torque_bias = np.zeros(self._torque.model.nv)
        self._no_innovation = frozen(np.full(self._torque.model.nv, np.nan))
        self.reset()

    def _set_noise(
        self,
        process_noise: ProcessNoise | None,
        measurement_variance: Any,
        prior: FictitiousPrior | None,
    ) -> None:
        model, count = self._torque.model, len(self._joint_ids)
        prior = FictitiousPrior() if prior is None else prior
        process_noise = ProcessNoise() if process_noise is None else process_noise
        if measurement_variance is None:
            measurement_variance = torque_variance(model)
        torque = positive_variances(
            "measurement_variance", measurement_variance, model.nv
        )
        self._process = np.tile(process_noise.variances(), count)
        self._variance = torque
        own = np.zeros(10)
        own[list(prior.channels())] = 1.0 / prior.variances()
        self._pull = np.tile(own, count)

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the estimated links, as given."""
        return self._links

    @property
    def joint_ids(self) -> tuple[int, ...]:
        """Joint index of each estimated link, for ``model.inertias[j]``."""
        return self._joint_ids

    @property
    def nominal_parameters(self) -> Array:
        """(n, 10) nominal inertial parameters of the estimated links."""
        return self._deviations.nominal.copy()

    @property
    def estimate(self) -> Estimate:
        """The estimate after the last `update` or `reset`."""
        return self._estimate

    @property
    def model(self) -> pin.Model:
        """The filter's own copy of the robot, estimated links without inertia."""
        return self._torque.model

    @property
    def measurement_variance(self) -> Array:
        """(nv,) variance of each torque row [N^2, (Nm)^2], one 100 Hz tick."""
        return frozen(self._variance)

    @property
    def linearisation(self) -> tuple[Array, Array]:
        """Parameters (n, 10) and their Jacobians (n, 10, 10) at the estimate."""
        return self._parameters, self._jacobians

    @property
    def information(self) -> Array:
        """(10 n, 10 n) H^T R^-1 H of the last sample's torque rows."""
        return self._information

    @property
    def root_dofs(self) -> int:
        """Rows of the free-flyer: 6, or 0 without one."""
        return self._root_dofs

    def own_rows(self, index: int) -> Rows:
        """Velocity rows in which a link shows and no other estimated link does.

        Those of the joints that carry it, the free-flyer's and shared ones left out; if
        none is left (links on one chain), those that carry it.
        """
        chains = [_chain_rows(self.model, joint) for joint in self._joint_ids]
        carried = chains[index]
        others = [rows for place, rows in enumerate(chains) if place != index]
        own = np.setdiff1d(carried, np.concatenate((np.empty(0, int), *others)))
        return own if len(own) else carried

    def link_placement(self, index: int) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a link's joint in the world.

        At the last sample that `measure` could use.
        """
        return self._torque.placement(self._joint_ids[index])

    @property
    def foot_speeds(self) -> Array:
        """(n_feet,) speed of each foot [m/s], as for `link_placement`."""
        return self._torque.foot_speeds

    def base_rotation(self) -> Array:
        """(3, 3) axes of the free-flyer in the world, as for `link_placement`."""
        return self._torque.placement(1)[0]

    def predicted_variance(self, sample: TorqueSample) -> Array:
        """(nv,) variance of each torque row for not knowing the links: H P H^T."""
        jacobian = _chain(sample.regressor, self._jacobians)
        variance: Array = ((jacobian @ self._covariance) * jacobian).sum(axis=1)
        return variance

    @property
    def rejections(self) -> Mapping[UpdateStatus, int]:
        """How many samples were rejected since construction, by status."""
        return dict(self._rejections)

    @property
    def torque_bias(self) -> Array:
        """(nv,) torque that is taken off the measurement."""
        return frozen(self._torque_bias)

    def set_torque_bias(self, bias: Any) -> None:
        """Take a constant torque off the measurement y from now on.

        What a wrong nominal model and friction add to y in one posture would otherwise
        be read as inertia of the estimated links. Average `nominal_residual` over a
        window without load to find it.

        Args:
            bias: (nv,) generalised force [N, Nm].

        Raises:
            DimensionError: If it has another length.
            InvalidSettingError: If it is not finite.
        """
        self._torque_bias = require_finite("bias", bias, self._torque_bias.shape)

    def nominal_residual(
        self, q: Any, v: Any, a: Any, tau_joints: Any, wrenches: Any = None
    ) -> Array | None:
        """(nv,) y - Y_est pi_nominal of one sample, without any bias taken off.

        Args:
            q: As for `update`; so are the others.
            v: See there.
            a: See there.
            tau_joints: See there.
            wrenches: See there.

        Returns:
            None for a sample that `update` would reject.
        """
        sample = self.measure(q, v, a, tau_joints, wrenches)
        if isinstance(sample, Fault):
            return None
        residual: Array = (
            sample.y + self._torque_bias - sample.regressor @ self._nominal
        )
        return residual

    def reset(self) -> Estimate:
        """Return to the nominal model and the initial covariance.

        The count of rejections and the torque bias are kept.
        """
        self._theta = np.zeros((len(self._joint_ids), 10))
        self._nominal = self.nominal_parameters.ravel()
        self._covariance = self._initial_covariance.copy()
        self._unused_s = 0.0
        self._information = np.zeros_like(self._covariance)
        self._parameters, self._jacobians = self._deviations.linearise(self._theta)
        self._estimate = self._describe(UpdateStatus.NOT_UPDATED)
        return self._estimate

    def reset_link(self, index: int) -> None:
        """Return one link to nominal and to its initial covariance.

        What it had in common with the other links is forgotten; they stay as they are.

        Args:
            index: Place of the link in `links`.
        """
        own = slice(10 * index, 10 * index + 10)
        self._theta = self._theta.copy()
        self._theta[index] = 0.0
        self._replace_block(own, self._initial_covariance[own, own])
        self._parameters, self._jacobians = self._deviations.linearise(self._theta)
        self._estimate = self._describe(self._estimate.status)

    def inflate(self, index: int, variances: Array) -> None:
        """Forget how sure one link was: its covariance becomes a diagonal.

        Args:
            index: Place of the link in `links`.
            variances: (10,) of its channels; what is above them already stays.
        """
        own = slice(10 * index, 10 * index + 10)
        wider = np.maximum(variances, self._covariance[own, own].diagonal())
        self._replace_block(own, np.diag(wider))

    def _replace_block(self, own: slice, block: Array) -> None:
        covariance = self._covariance.copy()
        covariance[own, :] = 0.0
        covariance[:, own] = 0.0
        covariance[own, own] = block
        self._covariance = covariance

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
        as process noise at the next accepted one.

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

    def measure(
        self, q: Any, v: Any, a: Any, tau_joints: Any, wrenches: Any = None
    ) -> TorqueSample | Fault:
        """The first half of `update`: what the sample says, without using it.

        Args:
            q: As for `update`; so are the others.
            v: See there.
            a: See there.
            tau_joints: See there.
            wrenches: See there.

        Returns:
            The fault of a sample that can not be used.
        """
        tick = self._read(q, v, a, tau_joints, wrenches)
        return tick if isinstance(tick, Fault) else self._measure(tick)

    def correct(
        self,
        sample: TorqueSample | Fault,
        *,
        dt_s: float,
        weights: UpdateWeights = _PLAIN,
    ) -> Estimate:
        """The second half of `update`. Never raises on data.

        Args:
            sample: What `measure` gave.
            dt_s: Time since the previous sample.
            weights: Changes to the noise of this update.
        """
        fault = sample if isinstance(sample, Fault) else None
        fault = fault or find_time_step_fault(to_float(dt_s))
        if fault is not None:
            return self._reject(_STATUS_OF_FAULT[fault.kind], fault.reason, dt_s)
        assert isinstance(sample, TorqueSample)
        with np.errstate(over="ignore", invalid="ignore"):
            accepted = self._correct(sample, to_float(dt_s), weights)
        if accepted is None:
            reason = "the update was absurd, not finite, or its gain was singular"
            return self._reject(UpdateStatus.REJECTED_NUMERICAL, reason, dt_s)
        self._unused_s = 0.0
        self._estimate = accepted
        return accepted

    def _read(
        self, q: Any, v: Any, a: Any, tau_joints: Any, wrenches: Any
    ) -> _Tick | Fault:
        if wrenches is None:
            if self._shapes["wrenches"][0] > 0:
                reason = "wrenches is None: a filter with feet needs (n_feet, 6)"
                return Fault(kind=FaultKind.MISSING, reason=reason)
            wrenches = _NO_WRENCHES
        values = (q, v, a, tau_joints, wrenches)
        arrays = dict(zip(self._shapes, map(to_array, values), strict=True))
        fault = find_array_fault(
            (name, array, self._shapes[name]) for name, array in arrays.items()
        ) or find_configuration_fault(self._torque.model, arrays["q"])
        return fault or _Tick(**arrays)

    def _measure(self, tick: _Tick) -> TorqueSample:
        y, regressor = self._torque.evaluate(
            tick.q, tick.v, tick.a, tick.tau_joints, tick.wrenches
        )
        return TorqueSample(y=y - self._torque_bias, regressor=regressor)

    def _correct(
        self, sample: TorqueSample, dt_s: float, weights: UpdateWeights
    ) -> Estimate | None:
        innovation = sample.y - sample.regressor @ self._parameters.ravel()
        jacobian = _chain(sample.regressor, self._jacobians)
        weight = min(dt_s, LONGEST_TICK_S) / REFERENCE_TICK_S
        trust = weight / self._variance
        if weights.variance_scale is not None:
            trust = trust / weights.variance_scale
        weighted = jacobian.T * trust
        torque_information, score = weighted @ jacobian, weighted @ innovation
        pull, theta = weight * self._pull, self._theta.ravel()
        information = torque_information.copy()
        information.flat[:: len(pull) + 1] += pull
        score -= pull * theta
        if weights.constraint is not None:
            known = _chain(weights.constraint, self._jacobians)
            moved = self._parameters.ravel() - self._nominal
            information += known.T @ known
            score -= known.T @ (weights.constraint @ moved)
        correction = information_correction(
            self._predict(dt_s, weights), information, score, weights.learning
        )
        if correction is None:
            return None
        self._information = torque_information
        squares = float(innovation @ (trust * innovation) + theta @ (pull * theta))
        return self._accept(correction, innovation, squares - correction.explained)

    def _predict(self, dt_s: float, weights: UpdateWeights) -> Array:
        walked_s = min(self._unused_s + dt_s, LONGEST_WALK_S)
        walked = self._process * (walked_s / REFERENCE_TICK_S)
        if weights.process_scale is not None:
            walked = (walked.reshape(-1, 10) * weights.process_scale[:, None]).ravel()
        if weights.added_variance is not None:
            walked = walked + weights.added_variance
        if weights.learning is not None:
            walked = walked * weights.learning
        predicted = self._covariance.copy()
        predicted.flat[:: len(walked) + 1] += walked
        return predicted

    def _accept(
        self, correction: InformationCorrection, innovation: Array, normalised: float
    ) -> Estimate | None:
        largest = np.abs(correction.change).max()
        if largest > HOPELESS_STEP:
            return None
        share = min(1.0, LARGEST_STEP / max(largest, LARGEST_STEP))
        theta = self._theta + share * correction.change.reshape(-1, 10)
        parameters, jacobians = self._deviations.linearise(theta)
        if not (_all_consistent(parameters) and np.isfinite(jacobians).all()):
            return None
        self._theta, self._covariance = theta, correction.covariance
        self._parameters, self._jacobians = parameters, jacobians
        return self._describe(UpdateStatus.OK, innovation, max(normalised, 0.0))

    def _reject(self, status: UpdateStatus, reason: str, dt_s: Any) -> Estimate:
        self._rejections[status] += 1
        if find_time_step_fault(to_float(dt_s)) is None:
            self._unused_s = min(self._unused_s + to_float(dt_s), LONGEST_WALK_S)
        self._estimate = replace(
            self._estimate,
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
        unused = self._no_innovation
        return Estimate(
            links=self.links,
            theta=frozen(self._theta),
            parameters=frozen(self._parameters),
            jacobians=frozen(self._jacobians),
            covariance=frozen(self._covariance),
            innovation=unused if innovation is None else frozen(innovation),
            normalised_innovation=normalised,
            status=status,
        )


def _all_consistent(parameters: Array) -> bool:
    """Guard against round-off: in exact arithmetic every theta is consistent."""
    if not np.isfinite(parameters).all():
        return False
    try:
        np.linalg.cholesky(pseudo_inertia(parameters))
    except np.linalg.LinAlgError:
        return False
    return True


def _chain(regressor: Array, jacobians: Array) -> Array:
    """H = Y_est G with G block diagonal over the links."""
    count = len(jacobians)
    blocks = regressor.reshape(-1, count, 10).swapaxes(0, 1) @ jacobians
    return blocks.swapaxes(0, 1).reshape(len(regressor), 10 * count)


def _chain_rows(model: pin.Model, joint_id: int) -> Rows:
    """Velocity rows of the joints that carry a link, the free-flyer's left out."""
    joints = [model.joints[j] for j in model.supports[joint_id] if j]
    rows = np.concatenate([np.arange(j.idx_v, j.idx_v + j.nv) for j in joints])
    return rows[rows >= root_dofs(model)]


def _deviations(
    model: pin.Model, joint_ids: Sequence[int]
) -> tuple[DeviationModel, ...]:
    return tuple(
        DeviationModel(model.inertias[j].toDynamicParameters(), owner=model.names[j])
        for j in joint_ids
    )
