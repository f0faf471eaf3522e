r"""Log-Cholesky coordinates of a pseudo-inertia (Rucker & Wensing 2022).

Order, as in ``pinocchio.LogCholeskyParameters``:
:math:`\theta = [\alpha, d_1, d_2, d_3, s_{12}, s_{23}, s_{13}, t_1, t_2, t_3]`, with

.. math::
    U(\theta) = e^{\alpha} \begin{bmatrix}
        e^{d_1} & s_{12} & s_{13} & t_1 \\
        0 & e^{d_2} & s_{23} & t_2 \\
        0 & 0 & e^{d_3} & t_3 \\
        0 & 0 & 0 & 1 \end{bmatrix}, \qquad \Gamma = U U^T.

The closed form printed as eq. 9 of the 2022 paper belongs to :math:`U^T U`; this
module follows the authors' correction, which is the matrix product above.
"""

from typing import Any

import numpy as np

from ekf.arrays import Array, require_last_axis
from ekf.errors import InconsistentInertiaError

ALPHA = 0
"""Index of the density channel in theta."""
D = slice(1, 4)
"""Indices of the scale channels in theta."""
S = slice(4, 7)
"""Indices of the shear channels in theta, order s12, s23, s13."""
T = slice(7, 10)
"""Indices of the translation channels in theta."""

# Where s12, s23, s13, t1, t2, t3 (theta[4:]) sit in U.
_ROWS = np.array([0, 1, 0, 0, 1, 2])
_COLUMNS = np.array([1, 2, 2, 3, 3, 3])
_DIAGONAL = np.arange(3)


def upper_factor(theta: Any) -> Array:
    r"""Upper-triangular factor :math:`U(\theta)`, shape (4, 4).

    Raises:
        DimensionError: If ``theta`` does not hold 10 numbers.
    """
    theta = require_last_axis("theta", theta, 10)
    factor = np.eye(4)
    factor[_DIAGONAL, _DIAGONAL] = np.exp(theta[D])
    factor[_ROWS, _COLUMNS] = theta[4:]
    return factor * np.exp(theta[ALPHA])


def upper_factor_partials(theta: Any) -> Array:
    r"""Partial derivatives :math:`\partial U / \partial \theta_k`, shape (10, 4, 4).

    Raises:
        DimensionError: If ``theta`` does not hold 10 numbers.
    """
    theta = require_last_axis("theta", theta, 10)
    partials = np.zeros((10, 4, 4))
    partials[ALPHA] = upper_factor(theta)
    scale = np.exp(theta[ALPHA])
    partials[1 + _DIAGONAL, _DIAGONAL, _DIAGONAL] = scale * np.exp(theta[D])
    partials[4 + np.arange(6), _ROWS, _COLUMNS] = scale
    return partials


def theta_from_upper_factor(factor: Array) -> Array:
    """Coordinates (10,) of an upper-triangular (4, 4) factor; inverts `upper_factor`.

    The diagonal of ``factor`` must be positive.
    """
    theta = np.empty(10)
    scale = factor[3, 3]
    theta[ALPHA] = np.log(scale)
    theta[D] = np.log(factor[_DIAGONAL, _DIAGONAL] / scale)
    theta[4:] = factor[_ROWS, _COLUMNS] / scale
    return theta


def theta_from_pseudo_inertia(pseudo_inertia: Any) -> Array:
    r"""Coordinates of a pseudo-inertia: the :math:`\theta` with :math:`U U^T = \Gamma`.

    The upper-triangular Cholesky factor is the ordinary lower one of the matrix with
    rows and columns reversed, reversed back.

    Args:
        pseudo_inertia: (4, 4) symmetric positive :math:`\Gamma`.

    Returns:
        (10,) theta.

    Raises:
        DimensionError: If the last axis is not 4 long.
        InconsistentInertiaError: If the matrix is not finite and positive.
    """
    gamma = require_last_axis("pseudo_inertia", pseudo_inertia, 4)
    if not np.isfinite(gamma).all():
        raise InconsistentInertiaError("pseudo_inertia", float("nan"))
    try:
        flipped = np.linalg.cholesky(gamma[::-1, ::-1])
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(gamma)[0])
        raise InconsistentInertiaError("pseudo_inertia", smallest) from None
    return theta_from_upper_factor(np.asarray(flipped[::-1, ::-1], dtype=np.float64))


def compose(first: Any, second: Any) -> Array:
    r"""Group operation: the :math:`a \oplus b` with :math:`U(a \oplus b) = U(a) U(b)`.

    Source: arXiv:2610.22176, Section III-A1. Associative, identity 0, not commutative.

    Raises:
        DimensionError: If an argument does not hold 10 numbers.
    """
    return theta_from_upper_factor(upper_factor(first) @ upper_factor(second))
