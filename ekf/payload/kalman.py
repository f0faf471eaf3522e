"""One Kalman measurement update with independent measurement rows."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array


@dataclass(frozen=True, kw_only=True)
class KalmanCorrection:
    """Result of a measurement update.

    Attributes:
        change: (n,) change of the state.
        covariance: (n, n) covariance after the update, symmetric.
        normalised_innovation: Innovation squared in units of its covariance.
    """

    change: Array
    covariance: Array
    normalised_innovation: float


def kalman_correction(
    covariance: Array, jacobian: Array, variance: Array, innovation: Array
) -> KalmanCorrection | None:
    r"""Joseph-form update; the innovation covariance is factorised, never inverted.

    .. math::
        S = H P H^T + R = L L^T, \quad K = P H^T S^{-1}, \quad
        P^+ = (I - K H) P (I - K H)^T + K R K^T

    Args:
        covariance: (n, n) predicted P.
        jacobian: (m, n) H.
        variance: (m,) diagonal of R.
        innovation: (m,) measured minus predicted.

    Returns:
        The correction, or None if S has no Cholesky factor or the result is not finite.
    """
    projected = jacobian @ covariance
    innovation_covariance = projected @ jacobian.T
    innovation_covariance.flat[:: len(variance) + 1] += variance
    try:
        factor = np.linalg.cholesky(innovation_covariance)
        whitened = np.linalg.solve(factor, np.column_stack((projected, innovation)))
        gain = np.linalg.solve(factor.T, whitened[:, :-1]).T
    except np.linalg.LinAlgError:
        return None
    change = whitened[:, :-1].T @ whitened[:, -1]
    updated = _joseph(covariance, jacobian, variance, gain)
    if not (np.isfinite(change).all() and np.isfinite(updated).all()):
        return None
    return KalmanCorrection(
        change=change,
        covariance=updated,
        normalised_innovation=float(whitened[:, -1] @ whitened[:, -1]),
    )


def _joseph(covariance: Array, jacobian: Array, variance: Array, gain: Array) -> Array:
    keep = np.eye(len(covariance)) - gain @ jacobian
    updated = keep @ covariance @ keep.T + (gain * variance) @ gain.T
    return 0.5 * (updated + updated.T)
