"""Upper-body joint tracking, Table I row 1."""

from __future__ import annotations

import crocoddyl
import numpy as np
import pinocchio as pin

from wbmpc.residuals.base import Array, ResponseResidual


class ResidualModelJointResponse(ResponseResidual):
    r"""Second-order response of a set of joints.

    r = \ddot q_J + Kd (\dot q_J - v_ref) + Kp (q_J - q_ref), (n,) rad/s^2.

    The joints J must have one position and one velocity each.
    """

    def __init__(
        self,
        state: crocoddyl.StateMultibody,
        joints: Array,
        q_ref: Array,
        v_ref: Array,
        kp: Array,
        kd: Array,
        nu: int,
        literal: bool = False,
    ) -> None:
        """Create the residual.

        Args:
            state: Multibody state with a free-flyer root.
            joints: (n,) indices among the actuated joints.
            q_ref: (n,) target angles [rad].
            v_ref: (n,) target velocities [rad/s].
            kp: (n,) stiffness [1/s^2].
            kd: (n,) damping [1/s].
            nu: Joint torques.
            literal: Leave the acceleration out.
        """
        super().__init__(state, len(joints), nu, literal)
        self._q_rows = np.asarray(joints) + 7
        self._v_rows = np.asarray(joints) + 6
        self.q_ref, self.v_ref = np.array(q_ref), np.array(v_ref)
        self.kp, self.kd = np.array(kp), np.array(kd)
        self._selection = np.eye(self.model.nv)[self._v_rows]

    def set_reference(self, q_ref: Array, v_ref: Array) -> None:
        """Change the target angles [rad] and velocities [rad/s]."""
        self.q_ref[:] = q_ref
        self.v_ref[:] = v_ref

    def _value(self, data: pin.Data, q: Array, v: Array, a: Array | None) -> Array:  # noqa: ARG002
        error = self.kd * (v[self._v_rows] - self.v_ref)
        error += self.kp * (q[self._q_rows] - self.q_ref)
        return error if a is None else error + a[self._v_rows]

    def _derivatives(
        self,
        data: pin.Data,  # noqa: ARG002
        q: Array,  # noqa: ARG002
        v: Array,  # noqa: ARG002
        a: Array | None,  # noqa: ARG002
    ) -> tuple[Array, Array, Array]:
        select = self._selection
        return self.kp[:, None] * select, self.kd[:, None] * select, select
