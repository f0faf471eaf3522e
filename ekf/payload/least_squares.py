"""Recursive least squares with forgetting: the recursion of all payload estimators."""

import math
from collections.abc import Sequence

import numpy as np

from ekf.arrays import Array, require_positive
from ekf.covariance import is_covariance
from ekf.errors import InvalidSettingError
from ekf.payload.covariance_limit import limit_covariance
from ekf.streaming import LearnStatus


class ForgettingLeastSquares:
    r"""Unknowns w of samples :math:`y = H w + \nu` that count less as they get older.

    .. math::
        P^- = P / \lambda, \quad K = P^- H^T (H P^- H^T + R)^{-1}, \quad
        w \leftarrow w + K (y - H w), \quad P \leftarrow (I - K H) P^-

    from w = 0 and a diagonal P, with P in Joseph form. A single unknown has the closed
    form :math:`P = P^- / (1 + P^- \phi^T R^{-1} \phi)`,
    :math:`w \leftarrow w + P \phi^T R^{-1} (y - \phi w)`, which is many times quicker.

    Source: Ljung & Soderstrom 1983, Theory and Practice of Recursive Identification.

    Attributes:
        lam: Forgetting factor.
        state: (n,) w.
        covariance: (n, n) P.
    """

    covariance: Array

    def __init__(
        self,
        initial: Sequence[float] | Array,
        variance: Array,
        lam: float,
        *,
        bounded: bool = True,
        excitation: float = 0.0,
    ) -> None:
        r"""Start at zero.

        Args:
            initial: (n,) diagonal of P at the start; infinite for a single unknown
                about which nothing is known.
            variance: (m,) diagonal of R.
            lam: Forgetting factor per sample, in (0, 1].
            bounded: Whether the diagonal of :math:`P^-` stays below that of the start:
                forgetting alone lets it grow without end where nothing is excited.
            excitation: Smallest :math:`\phi^T R^{-1} \phi` a single unknown is learnt
                from.

        Raises:
            InvalidSettingError: If the forgetting factor is not in (0, 1].
        """
        self.lam = require_forgetting(lam)
        self._initial = np.array(initial, dtype=np.float64)
        self._largest = self._initial if bounded else np.full(len(initial), np.inf)
        self._variance, self._excitation = variance, excitation
        self._scale = None if (variance == 1.0).all() else 1.0 / np.sqrt(variance)
        self.reset()

    def reset(self) -> None:
        """Return to zero and to the covariance of the start."""
        self.state = np.zeros(len(self._initial))
        self._reset_covariance()

    def learn(self, regressor: Array, target: Array) -> LearnStatus:
        """Use one sample; one that is not used does not change the state.

        Args:
            regressor: (m, n) H, or (m,) for a single unknown.
            target: (m,) y.
        """
        if len(self.state) == 1:
            return self._learn_single(regressor.ravel(), target)
        if not is_covariance(self.covariance):
            return self._reset_covariance()
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
        w, p = self.state.item(), self.covariance.item()
        if not p >= 0.0:
            return self._reset_covariance()
        p = min(p / self.lam, self._largest.item())
        known = p < math.inf
        if information < self._excitation or not (known or information):
            return LearnStatus.UNEXCITED
        p = p / (1.0 + p * information) if known else 1.0 / information
        w += p * (projected - information * w)
        if not math.isfinite(w):
            return LearnStatus.NUMERICAL
        self.state[0], self.covariance[0, 0] = w, p
        return LearnStatus.USED

    def _reset_covariance(self) -> LearnStatus:
        self.covariance = np.diag(self._initial)
        return LearnStatus.COVARIANCE


def kalman_correction(
    covariance: Array, jacobian: Array, variance: Array, innovation: Array
) -> tuple[Array, Array] | None:
    r"""Joseph-form update; the innovation covariance is factorised, never inverted.

    .. math::
        S = H P H^T + R, \quad K = P H^T S^{-1}, \quad
        P^+ = (I - K H) P (I - K H)^T + K R K^T

    Args:
        covariance: (n, n) predicted P.
        jacobian: (m, n) H.
        variance: (m,) diagonal of R.
        innovation: (m,) measured minus predicted.

    Returns:
        Change of the state (n,) and covariance after the update (n, n), symmetric; None
        if S has no Cholesky factor or the result is not finite.
    """
    # Slow to load, and not needed for a single unknown.
    from scipy.linalg import cho_factor, cho_solve

    projected = jacobian @ covariance
    spread = projected @ jacobian.T
    spread.flat[:: len(variance) + 1] += variance
    try:
        factor = cho_factor(spread, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    gain = cho_solve(factor, projected, check_finite=False).T
    change = gain @ innovation
    keep = np.eye(len(covariance)) - gain @ jacobian
    updated = keep @ covariance @ keep.T + (gain * variance) @ gain.T
    updated = 0.5 * (updated + updated.T)
    if not (np.isfinite(change).all() and np.isfinite(updated).all()):
        return None
    return change, updated


def require_forgetting(lam: float) -> float:
    """A forgetting factor in (0, 1].

    Raises:
        InvalidSettingError: If it is not.
    """
    number = require_positive("lam", lam)
    if number > 1.0:
        raise InvalidSettingError("lam", lam, "must be in (0, 1]")
    return number
