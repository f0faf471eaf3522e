r"""Linear maps between the ten inertial parameters and the pseudo-inertia.

Parameters, in Pinocchio's order, all about the link's joint frame:
:math:`\pi = [m, m c_x, m c_y, m c_z, I_{xx}, I_{xy}, I_{yy}, I_{xz}, I_{yz}, I_{zz}]`
in kg, kg m and kg m^2. Pseudo-inertia (Wensing, Kim & Slotine 2018):

.. math::
    \Gamma = \begin{bmatrix} \Sigma & h \\ h^T & m \end{bmatrix}, \quad
    \Sigma = \tfrac{1}{2} \mathrm{tr}(I) E - I, \quad h = m c.
"""

from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_last_axis
from ekf.errors import DimensionError, InconsistentInertiaError

# Row of pi -> (row of Gamma, column of Gamma, factor).
_PARAMETERS_FROM_GAMMA_ENTRIES = (
    ((3, 3, 1.0),),
    ((0, 3, 1.0),),
    ((1, 3, 1.0),),
    ((2, 3, 1.0),),
    ((1, 1, 1.0), (2, 2, 1.0)),
    ((0, 1, -1.0),),
    ((0, 0, 1.0), (2, 2, 1.0)),
    ((0, 2, -1.0),),
    ((1, 2, -1.0),),
    ((0, 0, 1.0), (1, 1, 1.0)),
)

# Entry of Gamma -> (row of pi, factor); the lower triangle mirrors the upper one.
_GAMMA_FROM_PARAMETERS_ENTRIES = (
    (0, 0, ((4, -0.5), (6, 0.5), (9, 0.5))),
    (1, 1, ((4, 0.5), (6, -0.5), (9, 0.5))),
    (2, 2, ((4, 0.5), (6, 0.5), (9, -0.5))),
    (0, 1, ((5, -1.0),)),
    (0, 2, ((7, -1.0),)),
    (1, 2, ((8, -1.0),)),
    (0, 3, ((1, 1.0),)),
    (1, 3, ((2, 1.0),)),
    (2, 3, ((3, 1.0),)),
    (3, 3, ((0, 1.0),)),
)


def _parameters_from_gamma_matrix() -> Array:
    matrix = np.zeros((10, 4, 4))
    for parameter, entries in enumerate(_PARAMETERS_FROM_GAMMA_ENTRIES):
        for row, column, factor in entries:
            matrix[parameter, row, column] = factor
    return frozen(matrix.reshape(10, 16))


def _gamma_from_parameters_matrix() -> Array:
    matrix = np.zeros((4, 4, 10))
    for row, column, entries in _GAMMA_FROM_PARAMETERS_ENTRIES:
        for parameter, factor in entries:
            matrix[row, column, parameter] = factor
            matrix[column, row, parameter] = factor
    return frozen(matrix.reshape(16, 10))


PARAMETERS_FROM_GAMMA = _parameters_from_gamma_matrix()
"""(10, 16) matrix: pi = PARAMETERS_FROM_GAMMA @ Gamma.ravel()."""

GAMMA_FROM_PARAMETERS = _gamma_from_parameters_matrix()
"""(16, 10) matrix: Gamma.ravel() = GAMMA_FROM_PARAMETERS @ pi."""


def pseudo_inertia(parameters: Any) -> Array:
    r"""Pseudo-inertia :math:`\Gamma(\pi)`, linear in the parameters.

    Args:
        parameters: (..., 10) inertial parameters, Pinocchio's order.

    Returns:
        (..., 4, 4) symmetric pseudo-inertia.

    Raises:
        DimensionError: If the last axis is not 10 long.
    """
    pi = require_last_axis("parameters", parameters, 10)
    return (pi @ GAMMA_FROM_PARAMETERS.T).reshape(*pi.shape[:-1], 4, 4)


def inertial_parameters(pseudo_inertia: Any) -> Array:
    r"""Inertial parameters of a pseudo-inertia; inverse of `pseudo_inertia`.

    Args:
        pseudo_inertia: (..., 4, 4) symmetric :math:`\Gamma`; its upper triangle is
            read.

    Returns:
        (..., 10) parameters in Pinocchio's order.

    Raises:
        DimensionError: If the last two axes are not 4 by 4.
    """
    gamma = require_last_axis("pseudo_inertia", pseudo_inertia, 4)
    if gamma.ndim < 2 or gamma.shape[-2] != 4:
        raise DimensionError("pseudo_inertia", gamma.shape, ("...", 4, 4))
    return gamma.reshape(*gamma.shape[:-2], 16) @ PARAMETERS_FROM_GAMMA.T


def smallest_eigenvalue(parameters: Any) -> float:
    """Smallest eigenvalue of the pseudo-inertia; NaN if a parameter is not finite.

    Raises:
        DimensionError: If ``parameters`` is not (10,).
    """
    pi = require_last_axis("parameters", parameters, 10)
    if pi.ndim != 1:
        raise DimensionError("parameters", pi.shape, (10,))
    if not np.isfinite(pi).all():
        return float("nan")
    return float(np.linalg.eigvalsh(pseudo_inertia(pi))[0])


def is_consistent(parameters: Any) -> bool:
    r"""Whether some rigid body has these parameters: :math:`\Gamma(\pi) \succ 0`.

    This is full physical consistency: positive mass, positive rotational inertia and
    the triangle inequality on its principal moments (Wensing et al. 2018).

    Raises:
        DimensionError: If ``parameters`` is not (10,).
    """
    return smallest_eigenvalue(parameters) > 0.0


def inertia_from_parameters(parameters: Any) -> pin.Inertia:
    """Pinocchio inertia with these parameters, ready for ``model.inertias[j]``.

    Args:
        parameters: (10,) consistent inertial parameters about the joint frame.

    Raises:
        DimensionError: If ``parameters`` is not (10,).
        InconsistentInertiaError: If no rigid body has these parameters.
    """
    eigenvalue = smallest_eigenvalue(parameters)
    if not eigenvalue > 0.0:
        raise InconsistentInertiaError("parameters", eigenvalue)
    return pin.Inertia.FromDynamicParameters(np.asarray(parameters, dtype=np.float64))


def point_mass_parameters(position_m: Array) -> Array:
    """(10,) parameters of 1 kg at a point of the joint frame."""
    point = pin.Inertia(1.0, np.asarray(position_m, dtype=float), np.zeros((3, 3)))
    parameters: Array = point.toDynamicParameters()
    return parameters
