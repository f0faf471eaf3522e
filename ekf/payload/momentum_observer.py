"""External torque from generalised momentum, without an acceleration."""

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_positive


class MomentumBalance:
    r"""Terms of :math:`\dot p = S^T \tau + C^T v - g + \tau_{ext}`, :math:`p = M v`."""

    def __init__(self, model: pin.Model) -> None:
        """Copy the model, with and without gravity."""
        self._model = model.copy()
        self._weightless = model.copy()
        self._weightless.gravity = pin.Motion.Zero()
        self._data, self._zero = self._model.createData(), np.zeros(model.nv)

    def momentum(self, q: Array, v: Array) -> Array:
        """(nv,) generalised momentum, rotor armature included."""
        p: Array = pin.rnea(self._weightless, self._data, q, self._zero, v)
        return p

    def drift(self, q: Array, v: Array) -> Array:
        r"""(nv,) :math:`C^T v - g`: what changes the momentum without any torque."""
        coriolis = pin.computeCoriolisMatrix(self._model, self._data, q, v)
        gravity = pin.computeGeneralizedGravity(self._model, self._data, q)
        drift: Array = coriolis.T @ v - gravity
        return drift


class MomentumObserver:
    r"""First-order estimate of the torque nobody commanded.

    .. math:: \dot r = K (\tau_{ext} - r)

    computed from the momentum balance alone: over one interval, with the trapezoidal
    rule for what is under the integral,

    .. math::
        \bar\tau_{ext} \Delta t = p_k - p_{k-1} - \int (S^T \tau + C^T v - g) \, dt,
        \qquad r \leftarrow r + (1 - e^{-K \Delta t}) (\bar\tau_{ext} - r).

    No velocity is differentiated twice and no acceleration is needed; the price is the
    lag 1 / K.

    Source: De Luca & Mattone 2003; Haddadin, De Luca & Albu-Schaeffer 2017.
    """

    def __init__(self, model: pin.Model, *, gain_per_s: float = 20.0) -> None:
        """Start at rest.

        Args:
            model: The robot; copied, never changed.
            gain_per_s: K, the same for every row.

        Raises:
            InvalidSettingError: If the gain is not finite and positive.
        """
        self._gain = require_positive("gain_per_s", gain_per_s)
        self._balance = MomentumBalance(model)
        self._nv = model.nv
        self.reset()

    def reset(self) -> None:
        """Return to zero residual; the next sample is a first one again."""
        self._residual = np.zeros(self._nv)
        self._previous: tuple[float, Array, Array] | None = None

    @property
    def residual(self) -> Array:
        """(nv,) estimated external torque [N, Nm]."""
        return frozen(self._residual)

    def push(self, time_s: float, q: Array, v: Array, applied: Array) -> bool:
        """Take one checked sample; False if there was no interval yet.

        Args:
            time_s: Time, later than that of the sample before.
            q: (nq,) configuration.
            v: (nv,) velocity.
            applied: (nv,) generalised torque of motors and known contacts.
        """
        momentum = self._balance.momentum(q, v)
        rate = self._balance.drift(q, v) + applied
        previous, self._previous = self._previous, (time_s, momentum, rate)
        if previous is None:
            return False
        dt_s = time_s - previous[0]
        external = (momentum - previous[1]) / dt_s - 0.5 * (rate + previous[2])
        share = -np.expm1(-self._gain * dt_s)
        self._residual = self._residual + share * (external - self._residual)
        return True
