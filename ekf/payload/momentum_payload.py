"""Payload mass from the momentum observer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_finite, require_positive
from ekf.inertia.pseudo_inertia import point_mass_parameters
from ekf.payload.kalman import kalman_correction
from ekf.payload.momentum_observer import MomentumObserver
from ekf.payload.payload_rls import require_forgetting
from ekf.payload.payload_torque import PayloadTorque
from ekf.row_variance import row_variance
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import CountsSamples, LearnStatus


class MomentumPayload(CountsSamples):
    r"""Payload mass from the momentum observer, no acceleration anywhere.

    A payload of unit mass changes momentum, drift and therefore the residual linearly:
    the same observer run on the robot with 1 kg more, without torques, minus that of
    the robot itself, gives the regressor :math:`\psi` with
    :math:`-r = m \psi`, inertial forces included and lagged exactly like r. Mass by
    RLS on it, forgetting once a sample, never negative.
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
        self._reader = SampleReader(model, len(self._torque.feet))
        self._lam = require_forgetting(lam)
        self._initial = require_positive("initial_variance", initial_variance)
        self._max_gap_s = require_positive("max_gap_s", max_gap_s)
        self._variance = row_variance("torque_variance", torque_variance, model.nv)
        self._unit_parameters = self._unit(com_m)
        joint = self._torque.joint_id
        heavier = model.copy()
        unit = pin.Inertia.FromDynamicParameters(self._unit_parameters)
        heavier.inertias[joint] = heavier.inertias[joint] + unit
        self._measured = MomentumObserver(model, gain_per_s=gain_per_s)
        self._unloaded = MomentumObserver(model, gain_per_s=gain_per_s)
        self._heavier = MomentumObserver(heavier, gain_per_s=gain_per_s)
        self._nothing = np.zeros(model.nv)
        self.reset()

    def reset(self) -> None:
        """Return to zero mass and the initial variance; the counts start again."""
        self._mass, self._p = 0.0, self._initial
        self._time_s: float | None = None
        self._restart_counts()
        self._reset_observers()

    @property
    def link(self) -> str:
        """The link's name, as given."""
        return self._torque.link

    @property
    def state(self) -> Array:
        """(1,) mass before clamping [kg]."""
        return frozen([self._mass])

    @property
    def covariance(self) -> Array:
        """(1, 1) variance of the mass [kg^2]."""
        return frozen([[self._p]])

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the mass."""
        return float(np.sqrt(self._p))

    @property
    def external_torque(self) -> Array:
        """(nv,) the observer's residual [N, Nm]."""
        return self._measured.residual

    @property
    def payload_parameters(self) -> Array:
        """(10,) the clamped point mass about the link's joint frame."""
        return self.predict_one() * self._unit_parameters

    def predict_one(self) -> float:
        """Payload mass [kg], never negative."""
        return max(self._mass, 0.0)

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads. Never raises on data."""
        return self._count(self._learn(self._reader.read(sample)))

    def _learn(self, sample: JointSample | None) -> LearnStatus:
        if sample is None:
            return LearnStatus.MISSING
        dt_s = None if self._time_s is None else sample.time_s - self._time_s
        if dt_s is not None and dt_s <= 0.0:
            return LearnStatus.TIME_STEP
        late = dt_s is not None and dt_s > self._max_gap_s
        if late:
            self._reset_observers()
        self._time_s = sample.time_s
        if not self._observe(sample):
            return LearnStatus.GAP if late else LearnStatus.FIRST
        return LearnStatus.USED if self._update() else LearnStatus.NUMERICAL

    def _observe(self, sample: JointSample) -> bool:
        applied = self._torque.add_applied(self._nothing.copy(), sample)
        stamp = (sample.time_s, sample.q, sample.v)
        self._unloaded.push(*stamp, self._nothing)
        self._heavier.push(*stamp, self._nothing)
        return self._measured.push(*stamp, applied)

    def _update(self) -> bool:
        # heavier: p' + ... = tau_ext' with no torque, so the difference is +psi.
        psi = self._heavier.residual - self._unloaded.residual
        predicted = np.array([[min(self._p / self._lam, self._initial)]])
        innovation = -self._measured.residual - psi * self._mass
        correction = kalman_correction(
            predicted, psi[:, None], self._variance, innovation
        )
        if correction is None:
            return False
        self._mass += float(correction.change[0])
        self._p = float(correction.covariance[0, 0])
        return True

    def _reset_observers(self) -> None:
        for observer in (self._measured, self._unloaded, self._heavier):
            observer.reset()

    def _unit(self, com_m: Any) -> Array:
        com = require_finite("com_m", com_m, (3,))
        return frozen(point_mass_parameters(self._torque.placement.act(com)))
