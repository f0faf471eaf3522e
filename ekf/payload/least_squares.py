"""Recursive least squares with forgetting: the one recursion of the package."""

import math

import numpy as np

from ekf.arrays import Array, require_positive
from ekf.errors import InvalidSettingError
from ekf.payload.covariance_limit import limit_covariance
from ekf.payload.kalman import kalman_correction
from ekf.streaming import LearnStatus


class ForgettingLeastSquares:
    r"""Unknowns w of samples :math:`y = H w + \nu` that count less as they get older.

    .. math::
        P^- = P / \lambda, \quad K = P^- H^T (H P^- H^T + R)^{-1}, \quad
        w \leftarrow w + K (y - H w), \quad P \leftarrow (I - K H) P^-

    from w = 0 and a diagonal P, with P in Joseph form. A single unknown has the closed
    form :math:`P = P^- / (1 + P^- \phi^T R^{-1} \phi)`,
    :math:`w \leftarrow w + P \phi^T R^{-1} (y - \phi w)`, which is many times quicker.
    :math:`P^-` is bounded: forgetting alone would let it grow without end along
    directions that nothing excites.

    Source: Ljung & Soderstrom 1983, Theory and Practice of Recursive Identification.

    Attributes:
        lam: Forgetting factor; may be changed between samples.
        state: (n,) w.
        covariance: (n, n) P.
    """

    def __init__(
        self,
        initial: Array,
        variance: Array,
        lam: float,
        *,
        largest: Array | None = None,
        excitation: float = 0.0,
    ) -> None:
        r"""Start at zero.

        Args:
            initial: (n,) diagonal of P at the start; infinite for a single unknown
                about which nothing is known.
            variance: (m,) diagonal of R.
            lam: Forgetting factor per sample, in (0, 1].
            largest: (n,) bound on the diagonal of :math:`P^-`; that of the start if
                None.
            excitation: Smallest :math:`\phi^T R^{-1} \phi` a single unknown is learnt
                from.

        Raises:
            InvalidSettingError: If the forgetting factor is not in (0, 1].
        """
        self.lam = require_forgetting(lam)
        self._initial, self._variance = initial, variance
        self._largest = initial if largest is None else largest
        self._excitation = excitation
        self._scale = None if (variance == 1.0).all() else 1.0 / np.sqrt(variance)
        self.reset()

    def reset(self) -> None:
        """Return to zero and to the covariance of the start."""
        self.state = np.zeros(len(self._initial))
        self.covariance = np.diag(self._initial)

    def learn(self, regressor: Array, target: Array) -> LearnStatus:
        """Use one sample; one that is not used changes nothing.

        Args:
            regressor: (m, n) H.
            target: (m,) y.
        """
        if len(self.state) == 1:
            return self._learn_single(regressor.ravel(), target)
        predicted = limit_covariance(self.covariance / self.lam, self._largest)
        innovation = target - regressor @ self.state
        correction = kalman_correction(predicted, regressor, self._variance, innovation)
        if correction is None:
            return LearnStatus.NUMERICAL
        self.state, self.covariance = self.state + correction[0], correction[1]
        return LearnStatus.USED

    def _learn_single(self, phi: Array, target: Array) -> LearnStatus:
        if self._scale is not None:
            phi, target = phi * self._scale, target * self._scale
        information, projected = float(phi @ phi), float(phi @ target)
        if information < self._excitation:
            return LearnStatus.UNEXCITED
        w, p = self.state.item(), self.covariance.item()
        p = min(p / self.lam, self._largest.item())
        p = p / (1.0 + p * information) if p < math.inf else 1.0 / information
        w += p * (projected - information * w)
        if not math.isfinite(w):
            return LearnStatus.NUMERICAL
        self.state[0], self.covariance[0, 0] = w, p
        return LearnStatus.USED


def require_forgetting(lam: float, field: str = "lam") -> float:
    """A forgetting factor in (0, 1].

    Raises:
        InvalidSettingError: If it is not.
    """
    number = require_positive(field, lam)
    if number > 1.0:
        raise InvalidSettingError(field, lam, "must be in (0, 1]")
    return number
