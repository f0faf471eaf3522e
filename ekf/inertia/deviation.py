"""Inertia of one link as a deviation from its nominal inertia."""

from typing import Any

import numpy as np

from ekf.arrays import Array, frozen
from ekf.errors import InconsistentInertiaError
from ekf.inertia.log_cholesky import ALPHA, upper_factor, upper_factor_partials
from ekf.inertia.pseudo_inertia import (
    PARAMETERS_FROM_GAMMA,
    pseudo_inertia,
    smallest_eigenvalue,
)


class DeviationModel:
    r"""Map from the deviation :math:`\theta` to inertial parameters :math:`\pi`.

    .. math:: \Gamma(\theta) = U(\theta)\, \Gamma^{nom}\, U(\theta)^T

    :math:`\theta = 0` is the nominal link, exactly. The mass is
    :math:`e^{2\alpha} m^{nom}`; with d = s = 0 the centre of mass is
    :math:`c^{nom} + t`. Every finite theta is physically consistent.

    Source: arXiv:2610.22176, Section III-A1; Rucker & Wensing 2022, eq. 11.
    """

    def __init__(self, nominal_parameters: Any, *, owner: str = "nominal") -> None:
        r"""Anchor the deviation.

        Args:
            nominal_parameters: (10,) parameters :math:`\pi` of the nominal link in
                Pinocchio's order, about its joint frame.
            owner: Name used in the error message.

        Raises:
            DimensionError: If ``nominal_parameters`` is not (10,).
            InconsistentInertiaError: If no rigid body has these parameters.
        """
        eigenvalue = smallest_eigenvalue(nominal_parameters)
        if not eigenvalue > 0.0:
            raise InconsistentInertiaError(owner, eigenvalue)
        self._nominal = frozen(nominal_parameters)
        self._gamma_nominal = frozen(pseudo_inertia(self._nominal))

    @property
    def nominal_parameters(self) -> Array:
        r"""(10,) nominal :math:`\pi`, read-only."""
        return self._nominal

    def parameters(self, theta: Any) -> Array:
        r"""Inertial parameters :math:`\pi(\theta)`, shape (10,).

        Raises:
            DimensionError: If ``theta`` does not hold 10 numbers.
        """
        factor = upper_factor(theta)
        change = factor @ self._gamma_nominal @ factor.T - self._gamma_nominal
        # Adding the change keeps theta = 0 at the nominal to the last bit.
        return self._nominal + PARAMETERS_FROM_GAMMA @ change.ravel()

    def jacobian(self, theta: Any) -> Array:
        r"""Jacobian :math:`G = \partial \pi / \partial \theta`, shape (10, 10).

        Closed form: :math:`d\Gamma = dU \Gamma^{nom} U^T + U \Gamma^{nom} dU^T`, and
        :math:`\pi` is linear in :math:`\Gamma`.

        Raises:
            DimensionError: If ``theta`` does not hold 10 numbers.
        """
        partials = upper_factor_partials(theta)
        right = self._gamma_nominal @ partials[ALPHA].T  # dU/dalpha is U itself
        half = partials @ right
        change = half + np.swapaxes(half, 1, 2)
        return PARAMETERS_FROM_GAMMA @ change.reshape(10, 16).T
