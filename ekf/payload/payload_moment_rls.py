"""Payload mass and first moment by recursive least squares."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_finite, require_positive
from ekf.errors import DimensionError
from ekf.faults import to_array
from ekf.inertia.pseudo_inertia import (
    inertial_parameters,
    point_mass_parameters,
    pseudo_inertia,
)
from ekf.payload.covariance_limit import limit_covariance
from ekf.payload.kalman import kalman_correction
from ekf.payload.payload_rls import require_forgetting
from ekf.payload.payload_torque import PayloadTorque
from ekf.payload.sample_alignment import SampleAlignment
from ekf.row_variance import row_variance
from ekf.signals.aligner import SignalAligner, TorqueTiming
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import CountsSamples, LearnStatus

Regressor = Callable[[PayloadTorque, JointSample], Array]
"""(nv, 10) torque of the link's parameters, after `PayloadTorque.residual`."""


def gravity_regressor(torque: PayloadTorque, sample: JointSample) -> Array:
    """Only the payload's weight; its inertial forces count as noise."""
    return torque.gravity_regressor(sample)


def full_regressor(torque: PayloadTorque, sample: JointSample) -> Array:
    """Weight and inertial forces."""
    return torque.full_regressor(sample)


class PayloadMomentRLS(CountsSamples):
    r"""Mass and first moment :math:`[m, m c]` of a payload, or the mass alone.

    .. math:: \tau - ID(q, v, a) = Y(q, v, a)\, B\, w + \nu

    with Y the ten-parameter regressor of the link and B what is unknown: mass and first
    moment about the origin of the frame ``link``, or, with the centre of mass c known,
    the parameters of 1 kg at c. Forgetting once a sample, all joints in one Joseph-form
    update. Name a frame near the payload: what it is missing of the payload's
    rotational inertia is :math:`m |c|^2` and the inertia about the payload's own
    centre, which are not estimated.

    Four free numbers need a motion that shows them: an arm at rest, or one that does
    not turn the payload against gravity, leaves some of them at zero.

    Samples without acceleration pass a `SignalAligner` first, which costs a delay but
    keeps torque and acceleration together.
    """

    def __init__(
        self,
        model: pin.Model,
        link: str,
        lam: float = 0.99,
        *,
        com_m: Any = None,
        regressor: Regressor = full_regressor,
        initial_variance: Any = (100.0, 1.0, 1.0, 1.0),
        torque_variance: Any = 1.0,
        cutoff_hz: float = 8.0,
        torque_timing: TorqueTiming = TorqueTiming.INSTANTANEOUS,
        feet: Sequence[str] = (),
    ) -> None:
        """Prepare for one link.

        Args:
            model: The unloaded robot; copied, never changed.
            link: Link or frame that carries the payload.
            lam: Forgetting factor per sample, in (0, 1].
            com_m: (3,) centre of mass of the payload in the frame ``link`` if it is
                known.
            regressor: `full_regressor` or `gravity_regressor`.
            initial_variance: Diagonal of P at the start [kg^2, (kg m)^2]: four numbers,
                of which a known centre of mass uses the first. It also bounds P.
            torque_variance: Variance of a torque row [(Nm)^2]: a number or (nv,).
            cutoff_hz: Of the aligner, for samples without acceleration.
            torque_timing: What the torque of such a sample stands for.
            feet: Frames at which samples bring contact wrenches.

        Raises:
            UnknownLinkError: If a name is not in the model.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If an array has the wrong shape.
        """
        self._torque = PayloadTorque(model, link, feet)
        self._alignment = SampleAlignment(
            SampleReader(model, len(self._torque.feet)),
            SignalAligner(model, cutoff_hz=cutoff_hz, torque_timing=torque_timing),
        )
        self._regressor = regressor
        self._lam = require_forgetting(lam)
        self._known_com = None if com_m is None else _position(com_m)
        self._basis = _basis(self._torque, self._known_com)
        self._initial = _initial(initial_variance, self._basis.shape[1])
        self._variance = row_variance("torque_variance", torque_variance, model.nv)
        self.reset()

    def reset(self) -> None:
        """Return to no payload and the initial covariance; the counts start again."""
        self._w = np.zeros(len(self._initial))
        self._p = np.diag(self._initial)
        self._alignment.reset()
        self._restart_counts()

    @property
    def link(self) -> str:
        """The link's name, as given."""
        return self._torque.link

    @property
    def state(self) -> Array:
        """(4,) [m, m c] in the frame ``link`` [kg, kg m], or (1,) the mass."""
        return frozen(self._w)

    @property
    def covariance(self) -> Array:
        """(4, 4) or (1, 1) covariance of the state."""
        return frozen(self._p)

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the mass."""
        return float(np.sqrt(self._p[0, 0]))

    @property
    def com_m(self) -> Array:
        """(3,) centre of mass in the frame ``link``; NaN until the mass is positive.

        A small mass makes it wild: look at the covariance first.
        """
        if self._known_com is not None:
            return self._known_com
        mass = self._w[0]
        return frozen(self._w[1:] / mass if mass > 0.0 else np.full(3, np.nan))

    @property
    def payload_parameters(self) -> Array:
        """(10,) payload as a point mass at its centre, about the joint frame.

        Zero while the mass is not positive.
        """
        mass = self.predict_one()
        if mass <= 0.0:
            return frozen(np.zeros(10))
        centre = self._torque.placement.act(self.com_m)
        return frozen(mass * point_mass_parameters(centre))

    def predict_one(self) -> float:
        """Payload mass [kg], never negative."""
        return max(float(self._w[0]), 0.0)

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads. Never raises on data."""
        status, aligned = self._alignment.push(sample)
        if aligned is not None:
            assert aligned.a is not None
            with np.errstate(over="ignore", invalid="ignore"):
                used = self._update(aligned, aligned.a)
            status = LearnStatus.USED if used else LearnStatus.NUMERICAL
        return self._count(status)

    def _update(self, sample: JointSample, a: Array) -> bool:
        residual = self._torque.residual(sample, a)
        rows = self._regressor(self._torque, sample) @ self._basis
        predicted = limit_covariance(self._p / self._lam, self._initial)
        innovation = residual - rows @ self._w
        correction = kalman_correction(predicted, rows, self._variance, innovation)
        if correction is None:
            return False
        self._w = self._w + correction.change
        self._p = correction.covariance
        return True


def _basis(torque: PayloadTorque, known_com: Array | None) -> Array:
    """(10, n) what the unknowns mean in the link's parameters about its joint."""
    if known_com is not None:
        return point_mass_parameters(torque.placement.act(known_com))[:, None]
    # Gamma is linear in the parameters and moves between frames by congruence.
    transform = torque.placement.homogeneous
    units = pseudo_inertia(np.eye(10)[:4])
    return inertial_parameters(transform @ units @ transform.T).T


def _position(com_m: Any) -> Array:
    return frozen(require_finite("com_m", com_m, (3,)))


def _initial(values: Any, size: int) -> Array:
    array = to_array(values)
    if array.ndim == 0:
        array = np.full(4, float(array))
    if array.shape not in ((4,), (size,)):
        raise DimensionError("initial_variance", array.shape, (size,))
    for value in array:
        require_positive("initial_variance", float(value))
    return array[:size].copy()
