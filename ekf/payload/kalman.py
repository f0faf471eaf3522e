"""Kalman measurement update with independent measurement rows."""

import numpy as np

from ekf.arrays import Array


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
    projected = jacobian @ covariance
    spread = projected @ jacobian.T
    spread.flat[:: len(variance) + 1] += variance
    gain = _gain(spread, projected)
    if gain is None:
        return None
    change = gain @ innovation
    keep = np.eye(len(covariance)) - gain @ jacobian
    updated = keep @ covariance @ keep.T + (gain * variance) @ gain.T
    updated = 0.5 * (updated + updated.T)
    if not (np.isfinite(change).all() and np.isfinite(updated).all()):
        return None
    return change, updated


def _gain(spread: Array, projected: Array) -> Array | None:
    """(n, m) K, from S (m, m) and H P (m, n)."""
    # Not needed by most of the package, and slow to load.
    from scipy.linalg import cho_factor, cho_solve

    try:
        factor = cho_factor(spread, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    solved: Array = cho_solve(factor, projected, check_finite=False)
    return solved.T
