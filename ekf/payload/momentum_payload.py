"""Payload mass from the momentum observer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import frozen, require_finite, require_positive, row_variance
from ekf.inertia.pseudo_inertia import point_mass_parameters
from ekf.payload.least_squares import ForgettingLeastSquares
from ekf.payload.least_squares_payload import LeastSquaresPayload, Rows
from ekf.payload.momentum_observer import MomentumObserver
from ekf.payload.payload_torque import PayloadTorque
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import LearnStatus


class MomentumPayload(LeastSquaresPayload):
    r"""Payload mass from the momentum observer, no acceleration anywhere.

    A payload of unit mass changes momentum, drift and therefore the residual linearly:
    the same observer run on the robot with 1 kg more, without torques, minus that of
    the robot itself, gives the regressor :math:`\psi` with
    :math:`-r = m \psi`, inertial forces included and lagged exactly like r. Mass by
    `ForgettingLeastSquares` on it.
    """

    def __init__(
        self,
        model: pin.Model,
        link: str,
        lam: float = 0.99,
        *,
        com_m: Any = (0.0, 0.0, 0.0),
        gain_per_s: float = 20.0,
        initial_variance: float = 100.0,
        torque_variance: Any = 1.0,
        max_gap_s: float = 0.1,
        feet: Sequence[str] = (),
    ) -> None:
        """Prepare for one link.

        Args:
            model: The unloaded robot; copied, never changed.
            link: Link or frame that carries the payload.
            lam: Forgetting factor per sample, in (0, 1].
            com_m: (3,) centre of mass of the payload in the frame ``link``.
            gain_per_s: Gain of the observer.
            initial_variance: P at the start [kg^2]; it also bounds P.
            torque_variance: Variance of a filtered row [(Nm)^2]: a number or (nv,).
            max_gap_s: A longer gap between samples starts the observer again.
            feet: Frames at which samples bring contact wrenches.

        Raises:
            UnknownLinkError: If a name is not in the model.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If an array has the wrong shape.
        """
        self._torque = PayloadTorque(model, link, feet)
        self.link = link
        self._reader = SampleReader(model, len(self._torque.feet))
        self._max_gap_s = require_positive("max_gap_s", max_gap_s)
        com = require_finite("com_m", com_m, (3,))
        parameters = point_mass_parameters(self._torque.placement.act(com))
        heavier, joint = model.copy(), self._torque.joint_id
        unit = pin.Inertia.FromDynamicParameters(parameters)
        heavier.inertias[joint] = heavier.inertias[joint] + unit
        self._measured = MomentumObserver(model, gain_per_s=gain_per_s)
        self._unloaded = MomentumObserver(model, gain_per_s=gain_per_s)
        self._heavier = MomentumObserver(heavier, gain_per_s=gain_per_s)
        self._nothing = np.zeros(model.nv)
        squares = ForgettingLeastSquares(
            [require_positive("initial_variance", initial_variance)],
            row_variance("torque_variance", torque_variance, model.nv),
            lam,
        )
        super().__init__(squares, frozen(parameters))

    def reset(self) -> None:
        """Return to zero mass and the initial variance; the counts start again."""
        super().reset()
        self._time_s: float | None = None
        self._reset_observers()

    def _rows(self, sample: Any) -> Rows | LearnStatus:
        read = self._reader.read(sample)
        if read is None:
            return LearnStatus.MISSING
        dt_s = None if self._time_s is None else read.time_s - self._time_s
        if dt_s is not None and dt_s <= 0.0:
            return LearnStatus.TIME_STEP
        late = dt_s is not None and dt_s > self._max_gap_s
        if late:
            self._reset_observers()
        self._time_s = read.time_s
        if not self._observe(read):
            return LearnStatus.GAP if late else LearnStatus.FIRST
        # heavier: p' + ... = tau_ext' with no torque, so the difference is +psi.
        psi = self._heavier.residual - self._unloaded.residual
        return psi, -self._measured.residual

    def _observe(self, sample: JointSample) -> bool:
        applied = self._torque.add_applied(self._nothing.copy(), sample)
        stamp = (sample.time_s, sample.q, sample.v)
        self._unloaded.push(*stamp, self._nothing)
        self._heavier.push(*stamp, self._nothing)
        return self._measured.push(*stamp, applied)

    def _reset_observers(self) -> None:
        for observer in (self._measured, self._unloaded, self._heavier):
            observer.reset()
