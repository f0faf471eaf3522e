"""Centre-of-mass tracking, Table I row 2."""

from __future__ import annotations

import crocoddyl
import numpy as np
import pinocchio as pin

from wbmpc.residuals.base import Array, ResponseResidual


class ResidualModelCoMResponse(ResponseResidual):
    r"""Second-order response of the centre of mass.

    r = \ddot c + Kd (\dot c - \dot c_ref) + Kp (c - c_ref), (3,) m/s^2, world axes.

    With l the linear momentum about the centre of mass, \dot c = l / m and
    \ddot c = \dot l / m (Carpentier & Mansard, RSS 2018, for the derivatives).
    """

    def __init__(
        self,
        state: crocoddyl.StateMultibody,
        c_ref: Array,
        kp: Array,
        kd: Array,
        nu: int,
        literal: bool = False,
    ) -> None:
        """Create the residual.

        Args:
            state: Multibody state.
            c_ref: (3,) target position, world [m]; the target velocity is zero.
            kp: (3,) stiffness [1/s^2].
            kd: (3,) damping [1/s].
            nu: Joint torques.
            literal: Leave the acceleration out.
        """
        super().__init__(state, 3, nu, literal)
        self.c_ref = np.array(c_ref)
        self.kp, self.kd = np.array(kp), np.array(kd)

    def set_reference(self, c_ref: Array) -> None:
        """Change the target position, world [m]."""
        self.c_ref[:] = c_ref

    def _value(self, data: pin.Data, q: Array, v: Array, a: Array | None) -> Array:
        if a is None:
            pin.centerOfMass(self.model, data, q, v)
            highest = np.zeros(3)
        else:
            pin.centerOfMass(self.model, data, q, v, a)
            highest = data.acom[0]
        return highest + self.kd * data.vcom[0] + self.kp * (data.com[0] - self.c_ref)

    def _derivatives(
        self, data: pin.Data, q: Array, v: Array, a: Array | None
    ) -> tuple[Array, Array, Array]:
        acceleration = np.zeros(self.model.nv) if a is None else a
        dh_dq, dhdot_dq, dhdot_dv, dhdot_da = pin.computeCentroidalDynamicsDerivatives(
            self.model, data, q, v, acceleration
        )
        mass = data.mass[0]
        jacobian = dhdot_da[:3] / mass
        dr_dq = self.kd[:, None] * dh_dq[:3] / mass + self.kp[:, None] * jacobian
        dr_dv = self.kd[:, None] * jacobian
        if a is not None:
            dr_dq += dhdot_dq[:3] / mass
            dr_dv += dhdot_dv[:3] / mass
        return dr_dq, dr_dv, jacobian
