"""Payload mass by scalar recursive least squares."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive
from ekf.errors import InvalidSettingError
from ekf.inertia.pseudo_inertia import point_mass_parameters
from ekf.payload.payload_torque import PayloadTorque
from ekf.row_variance import row_variance
from ekf.signals.samples import JointSample, SampleReader
from ekf.streaming import CountsSamples, LearnStatus


class PayloadRLS(CountsSamples):
    r"""Mass of a point payload at a link's origin, from the torque left unexplained.

    Per sample, with :math:`r = \tau - ID(q, v, a)`, :math:`\phi = g J_z(q)` (the
    vertical row of the Jacobian of the link's frame) and the acceleration the
    difference of two velocities:

    .. math:: P \leftarrow P / \lambda

    once, and then for every joint

    .. math::
        K = \frac{P \phi_i}{1 + \phi_i P \phi_i}, \quad
        m \leftarrow m + K (r_i - \phi_i m), \quad
        P \leftarrow P - K \phi_i P.

    The joints' updates are computed at once, in their closed form
    :math:`P^+ = P / (1 + P \phi^T \phi)`, :math:`m^+ = m + P^+ \phi^T (r - \phi m)`.
    A payload whose centre of mass is elsewhere, or that is swung quickly, is outside
    this model; see `PayloadMomentRLS`.

    Not used: the first sample, one whose time does not advance, and one with a missing
    or non-finite channel; the last are counted in `n_missing`. None of them changes
    anything, so the next difference spans the hole.
    """

    def __init__(
        self,
        model: pin.Model,
        link: str,
        lam: float = 0.99,
        *,
        initial_variance: float = 100.0,
        torque_variance: Any = 1.0,
        feet: Sequence[str] = (),
    ) -> None:
        """Prepare for one link.

        Args:
            model: The unloaded robot; copied, never changed.
            link: Frame (body, tool, joint) at whose origin the payload is.
            lam: Forgetting factor per sample, in (0, 1].
            initial_variance: P at the start [kg^2]; it also bounds P.
            torque_variance: Variance of a torque row [(Nm)^2]: a number or (nv,). At 1
                the recursion is the one above.
            feet: Frames at which samples bring contact wrenches.

        Raises:
            UnknownLinkError: If a name is not in the model.
            InvalidSettingError: If a value breaks its rule.
            DimensionError: If ``torque_variance`` has the wrong shape.
        """
        self._torque = PayloadTorque(model, link, feet)
        self._reader = SampleReader(model, len(self._torque.feet))
        self._lam = require_forgetting(lam)
        self._initial = require_positive("initial_variance", initial_variance)
        self._scale = _scale(row_variance("torque_variance", torque_variance, model.nv))
        at_frame = point_mass_parameters(self._torque.placement.translation)
        self._unit_parameters = frozen(at_frame)
        self.reset()

    def reset(self) -> None:
        """Return to zero mass and the initial variance; the counts start again."""
        self._mass, self._p = 0.0, self._initial
        self._previous: tuple[float, Array] | None = None
        self._restart_counts()

    @property
    def link(self) -> str:
        """The link's name, as given."""
        return self._torque.link

    @property
    def state(self) -> Array:
        """(1,) mass before clamping [kg]: noise may push it below zero."""
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
    def payload_parameters(self) -> Array:
        """(10,) the clamped point mass about the link's joint frame."""
        return self.predict_one() * self._unit_parameters

    def predict_one(self) -> float:
        """Payload mass [kg], never negative."""
        return max(self._mass, 0.0)

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads. Never raises on data.

        A sample that brings its own acceleration needs no predecessor.
        """
        return self._count(self._learn(self._reader.read(sample)))

    def _learn(self, sample: JointSample | None) -> LearnStatus:
        if sample is None:
            return LearnStatus.MISSING
        previous, a = self._previous, sample.a
        if previous is not None:
            dt_s = sample.time_s - previous[0]
            if dt_s <= 0.0:
                return LearnStatus.TIME_STEP
            if a is None:
                a = (sample.v - previous[1]) / dt_s
        if a is not None and not self._update(sample, a):
            return LearnStatus.NUMERICAL
        self._previous = sample.time_s, sample.v.copy()
        return LearnStatus.FIRST if a is None else LearnStatus.USED

    def _update(self, sample: JointSample, a: Array) -> bool:
        residual = self._torque.residual(sample, a)
        phi = self._torque.lift(sample.q)
        if self._scale is not None:
            residual, phi = residual * self._scale, phi * self._scale
        information, projected = float(phi @ phi), float(phi @ residual)
        p = min(self._p / self._lam, self._initial)
        p /= 1.0 + p * information
        mass = self._mass + p * (projected - information * self._mass)
        if not np.isfinite(mass):
            return False
        self._mass, self._p = mass, p
        return True


def require_forgetting(lam: float) -> float:
    """A forgetting factor in (0, 1].

    Raises:
        InvalidSettingError: If it is not.
    """
    number = require_positive("lam", lam)
    if number > 1.0:
        raise InvalidSettingError("lam", lam, "must be in (0, 1]")
    return number


def _scale(variance: Array) -> Array | None:
    return None if (variance == 1.0).all() else 1.0 / np.sqrt(variance)
