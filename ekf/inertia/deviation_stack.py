"""The deviation map of several links in one go."""

from collections.abc import Iterable, Sequence

import numpy as np
import pinocchio as pin

from ekf.arrays import Array
from ekf.inertia.deviation import DeviationModel
from ekf.inertia.log_cholesky import D, upper_factor_partials
from ekf.inertia.pseudo_inertia import PARAMETERS_FROM_GAMMA, pseudo_inertia

# dU / d theta_k at theta = 0; for alpha only the entry that no other channel scales.
_UNITS = upper_factor_partials(np.zeros(10))
_UNITS[0] = 0.0
_UNITS[0, 3, 3] = 1.0
_FLAT_UNITS = _UNITS.reshape(10, 16)


class DeviationStack:
    r"""`DeviationModel` of n links at once, for the loop.

    U is linear in :math:`e^{\alpha} [1, e^{d}, s, t]`, so one product with constant
    matrices gives every factor, and one more every derivative.
    """

    def __init__(self, links: Sequence[DeviationModel]) -> None:
        """Take over the nominal inertias of some links."""
        self.nominal = np.stack([link.nominal_parameters for link in links])
        self._gamma = pseudo_inertia(self.nominal)

    @classmethod
    def of_joints(cls, model: pin.Model, joint_ids: Iterable[int]) -> "DeviationStack":
        """Deviations of everything that some joints of a robot carry.

        Raises:
            InconsistentInertiaError: If no rigid body has one of their inertias.
        """
        nominal = ((j, model.inertias[j].toDynamicParameters()) for j in joint_ids)
        return cls([DeviationModel(pi, owner=model.names[j]) for j, pi in nominal])

    def linearise(self, theta: Array) -> tuple[Array, Array]:
        """Parameters (n, 10) and Jacobians (n, 10, 10) at theta (n, 10)."""
        count = len(theta)
        scale = np.exp(theta[:, :1])
        entries = theta.copy()
        entries[:, 0] = 1.0
        entries[:, D] = np.exp(theta[:, D])
        factor = (scale * (entries @ _FLAT_UNITS)).reshape(count, 4, 4)
        entries[:, 4:] = 1.0
        partials = (scale * entries)[:, :, None, None] * _UNITS
        partials[:, 0] = factor  # dU / d alpha is U itself
        right = self._gamma @ factor.swapaxes(1, 2)
        half = partials @ right[:, None]
        change = half + half.swapaxes(2, 3)
        jacobian = change.reshape(count, 10, 16) @ PARAMETERS_FROM_GAMMA.T
        # Adding the change keeps theta = 0 at the nominal to the last bit.
        moved = (factor @ right - self._gamma).reshape(count, 16)
        return (
            self.nominal + moved @ PARAMETERS_FROM_GAMMA.T,
            jacobian.swapaxes(1, 2),
        )


def chain(regressor: Array, jacobians: Array) -> Array:
    """Rows (m, 10 n) of theta from rows of the parameters: Y G, G block diagonal."""
    count = len(jacobians)
    blocks = regressor.reshape(-1, count, 10).swapaxes(0, 1) @ jacobians
    return blocks.swapaxes(0, 1).reshape(len(regressor), 10 * count)
