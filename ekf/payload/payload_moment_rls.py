"""Payload mass and first moment by recursive least squares."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_finite, require_positive, row_variance
from ekf.errors import DimensionError
from ekf.faults import to_array
from ekf.inertia.pseudo_inertia import (
    inertial_parameters,
    point_mass_parameters,
    pseudo_inertia,
)
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import LeastSquaresPayload, Rows
from ekf.payload.payload_torque import PayloadTorque, full_regressor
from ekf.payload.sample_alignment import SampleAlignment
from ekf.signals.aligner import SignalAligner, TorqueTiming
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import LearnStatus

Regressor = Callable[[PayloadTorque, JointSample], Array]
"""(nv, 10) torque of the link's parameters, after `PayloadTorque.residual`."""


class PayloadMomentRLS(LeastSquaresPayload):
    r"""Mass and first moment :math:`[m, m c]` of a payload, or the mass alone.

    .. math:: \tau - ID(q, v, a) = Y(q, v, a)\, B\, w + \nu

    with Y the ten-parameter regressor of the link and B what is unknown: mass and first
    moment about the origin of the frame ``link``, or, with the centre of mass c known,
    the parameters of 1 kg at c. All joints in one step of `ForgettingLeastSquares`.
    Name a frame near the payload: what it is missing of the payload's rotational
    inertia is :math:`m |c|^2` and the inertia about the payload's own centre, which are
    not estimated.

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
            torque_timing: Meaning of the torque of such a sample.
            feet: Frames at which samples bring contact wrenches.

        Raises:
            UnknownLinkError: If a name is not in the model.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If an array has the wrong shape.
        """
        self._torque = PayloadTorque(model, link, feet)
        self.link = link
        self._alignment = SampleAlignment(
            SampleReader(model, len(self._torque.feet)),
            SignalAligner(model, cutoff_hz=cutoff_hz, torque_timing=torque_timing),
        )
        self._regressor = regressor
        self._known_com = None
        if com_m is not None:
            self._known_com = frozen(require_finite("com_m", com_m, (3,)))
        self._basis = _basis(self._torque, self._known_com)
        squares = ForgettingLeastSquares(
            _initial(initial_variance, self._basis.shape[1]),
            row_variance("torque_variance", torque_variance, model.nv),
            lam,
        )
        super().__init__(squares)

    def reset(self) -> None:
        """Return to no payload and the initial covariance; the counts start again."""
        super().reset()
        self._alignment.reset()

    @property
    def com_m(self) -> Array:
        """(3,) centre of mass in the frame ``link``; NaN until the mass is positive.

        A small mass makes it wild: look at the covariance first.
        """
        if self._known_com is not None:
            return self._known_com
        mass, *moment = self.state
        return frozen(np.array(moment) / mass if mass > 0.0 else np.full(3, np.nan))

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

    def _rows(self, sample: Any) -> Rows | LearnStatus:
        status, aligned = self._alignment.push(sample)
        if aligned is None:
            return status
        assert aligned.a is not None
        residual = self._torque.residual(aligned, aligned.a)
        return self._regressor(self._torque, aligned) @ self._basis, residual


def _basis(torque: PayloadTorque, known_com: Array | None) -> Array:
    """(10, n) what the unknowns mean in the link's parameters about its joint."""
    if known_com is not None:
        return point_mass_parameters(torque.placement.act(known_com))[:, None]
    # Gamma is linear in the parameters and moves between frames by congruence.
    transform = torque.placement.homogeneous
    units = pseudo_inertia(np.eye(10)[:4])
    return inertial_parameters(transform @ units @ transform.T).T


def _initial(values: Any, size: int) -> Array:
    array = to_array(values)
    if array.ndim == 0:
        array = np.full(4, float(array))
    if array.shape not in ((4,), (size,)):
        raise DimensionError("initial_variance", array.shape, (size,))
    for value in array:
        require_positive("initial_variance", float(value))
    return array[:size].copy()
