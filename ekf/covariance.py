"""Whether a matrix is a covariance, and standard deviations out of one."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ekf.arrays import Array

_ROUND_OFF = 1e-12
"""Share of the largest entry by which an eigenvalue may be negative."""


def is_covariance(matrix: Array) -> bool:
    """Whether a square matrix is finite, exactly symmetric and positive semi-definite.

    A variance of zero is fine, and so is an eigenvalue that only round-off makes
    negative. A negative variance never is.
    """
    if not np.isfinite(matrix).all():
        return False
    return matrix.tobytes() == matrix.T.tobytes() and is_positive(matrix)


def is_positive(matrix: Array) -> bool:
    """The same of a matrix that is known to be finite and symmetric."""
    if _has_factor(matrix):
        return True
    size = len(matrix)
    if (matrix.diagonal() < 0.0).any():
        return False
    largest = float(matrix.max(initial=0.0))
    return largest == 0.0 or _has_factor(matrix + _ROUND_OFF * largest * np.eye(size))


def standard_deviations(variances: Any) -> Array:
    """Square roots; NaN for what is negative, as nothing is known about it."""
    values = np.asarray(variances, dtype=np.float64)
    roots: Array = np.sqrt(np.where(values < 0.0, np.nan, values))
    return roots


def _has_factor(matrix: Array) -> bool:
    """Whether Cholesky's method works."""
    factor, info = _cholesky()(matrix)
    # Some libraries go on with a pivot that is NaN; it reaches the last one.
    return bool(info == 0 and factor[-1, -1] > 0.0)


@cache
def _cholesky() -> Callable[[Array], tuple[Array, int]]:
    """LAPACK's own routine, which takes a third of the time of NumPy's wrapper."""
    # Slow to load, and not needed to read settings.
    from scipy.linalg.lapack import dpotrf

    return dpotrf  # type: ignore[no-any-return]
