"""Angular momentum, Table I row 5."""

from __future__ import annotations

import crocoddyl
import numpy as np
import pinocchio as pin

from wbmpc.residuals.base import Array, ResponseResidual


class ResidualModelAngularMomentumResponse(ResponseResidual):
    r"""First-order response of the angular momentum about the centre of mass.

    r = \dot l + A l, (3,) Nm, world axes; the reference is zero.
    """

    def __init__(
        self,
        state: crocoddyl.StateMultibody,
        gain: Array,
        nu: int,
        literal: bool = False,
    ) -> None:
        """Create the residual.

        Args:
            state: Multibody state.
            gain: (3,) diagonal of A [1/s].
            nu: Joint torques.
            literal: Leave the momentum's rate out.
        """
        super().__init__(state, 3, nu, literal)
        self.gain = np.array(gain)

    def _value(self, data: pin.Data, q: Array, v: Array, a: Array | None) -> Array:
        if a is None:
            return (
                self.gain
                * pin.computeCentroidalMomentum(self.model, data, q, v).angular
            )
        pin.computeCentroidalMomentumTimeVariation(self.model, data, q, v, a)
        return data.dhg.angular + self.gain * data.hg.angular

    def _derivatives(
        self, data: pin.Data, q: Array, v: Array, a: Array | None
    ) -> tuple[Array, Array, Array]:
        acceleration = np.zeros(self.model.nv) if a is None else a
        dh_dq, dhdot_dq, dhdot_dv, dhdot_da = pin.computeCentroidalDynamicsDerivatives(
            self.model, data, q, v, acceleration
        )
        dr_dq = self.gain[:, None] * dh_dq[3:]
        dr_dv = self.gain[:, None] * dhdot_da[3:]
        if a is not None:
            dr_dq += dhdot_dq[3:]
            dr_dv += dhdot_dv[3:]
        return dr_dq, dr_dv, dhdot_da[3:]
