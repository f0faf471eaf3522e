"""Pelvis orientation and foot placement, Table I rows 3 and 4."""

from __future__ import annotations

import crocoddyl
import numpy as np
import pinocchio as pin

from wbmpc.residuals.base import Array, ResponseResidual


class _FrameResponse(ResponseResidual):
    """Rows of a frame's second-order response, all in the frame's own axes."""

    rows: slice

    def __init__(
        self,
        state: crocoddyl.StateMultibody,
        frame_id: int,
        kp: Array,
        kd: Array,
        nu: int,
        literal: bool,
    ) -> None:
        super().__init__(state, len(kp), nu, literal)
        self.frame_id = frame_id
        self.kp, self.kd = np.array(kp), np.array(kd)

    def _error(self, transform_frame_to_world: pin.SE3) -> tuple[Array, Array]:
        """Task error (nr,) and its Jacobian with respect to the frame's body motion."""
        raise NotImplementedError

    def _value(self, data: pin.Data, q: Array, v: Array, a: Array | None) -> Array:
        acceleration = np.zeros(self.model.nv) if a is None else a
        pin.forwardKinematics(self.model, data, q, v, acceleration)
        error, _ = self._error(
            pin.updateFramePlacement(self.model, data, self.frame_id)
        )
        velocity = pin.getFrameVelocity(self.model, data, self.frame_id).vector
        residual = self.kd * velocity[self.rows] + self.kp * error
        if a is None:
            return residual
        spatial = pin.getFrameAcceleration(self.model, data, self.frame_id).vector
        return residual + spatial[self.rows]

    def _derivatives(
        self, data: pin.Data, q: Array, v: Array, a: Array | None
    ) -> tuple[Array, Array, Array]:
        acceleration = np.zeros(self.model.nv) if a is None else a
        pin.computeForwardKinematicsDerivatives(self.model, data, q, v, acceleration)
        _, error_jacobian = self._error(
            pin.updateFramePlacement(self.model, data, self.frame_id)
        )
        dv_dq, da_dq, da_dv, jacobian = pin.getFrameAccelerationDerivatives(
            self.model, data, self.frame_id, pin.LOCAL
        )
        dr_dq = self.kd[:, None] * dv_dq[self.rows]
        dr_dq += self.kp[:, None] * (error_jacobian @ jacobian)
        dr_dv = self.kd[:, None] * jacobian[self.rows]
        if a is not None:
            dr_dq += da_dq[self.rows]
            dr_dv += da_dv[self.rows]
        return dr_dq, dr_dv, jacobian[self.rows]


class ResidualModelFrameRotationResponse(_FrameResponse):
    r"""Second-order response of a frame's orientation.

    r = \dot\omega + Kd \omega + Kp log(R_ref^T R), (3,) rad/s^2, in the frame's axes.
    """

    rows = slice(3, 6)

    def __init__(
        self,
        state: crocoddyl.StateMultibody,
        frame_id: int,
        rotation_ref: Array,
        kp: Array,
        kd: Array,
        nu: int,
        literal: bool = False,
    ) -> None:
        """Create the residual.

        Args:
            state: Multibody state.
            frame_id: Frame of the state's Pinocchio model.
            rotation_ref: (3, 3) target orientation in the world.
            kp: (3,) stiffness [1/s^2].
            kd: (3,) damping [1/s].
            nu: Joint torques.
            literal: Leave the acceleration out.
        """
        super().__init__(state, frame_id, kp, kd, nu, literal)
        self.rotation_ref = np.array(rotation_ref)

    def set_reference(self, rotation_ref: Array) -> None:
        """Change the target orientation in the world, (3, 3)."""
        self.rotation_ref[:] = rotation_ref

    def _error(self, transform_frame_to_world: pin.SE3) -> tuple[Array, Array]:
        rotation = self.rotation_ref.T @ transform_frame_to_world.rotation
        jacobian = np.zeros((3, 6))
        jacobian[:, 3:] = pin.Jlog3(rotation)
        return pin.log3(rotation), jacobian


class ResidualModelFramePlacementResponse(_FrameResponse):
    r"""Second-order response of a frame's placement.

    r = \dot\nu + Kd \nu + Kp log6(M_ref^{-1} M), (6,) [m/s^2, rad/s^2], with \nu the
    spatial velocity in the frame's axes.
    """

    rows = slice(0, 6)

    def __init__(
        self,
        state: crocoddyl.StateMultibody,
        frame_id: int,
        placement_ref: pin.SE3,
        kp: Array,
        kd: Array,
        nu: int,
        literal: bool = False,
    ) -> None:
        """Create the residual.

        Args:
            state: Multibody state.
            frame_id: Frame of the state's Pinocchio model.
            placement_ref: Target placement in the world.
            kp: (6,) stiffness [1/s^2].
            kd: (6,) damping [1/s].
            nu: Joint torques.
            literal: Leave the acceleration out.
        """
        super().__init__(state, frame_id, kp, kd, nu, literal)
        self.placement_ref = pin.SE3(placement_ref)

    def set_reference(self, placement_ref: pin.SE3) -> None:
        """Change the target placement in the world."""
        self.placement_ref = pin.SE3(placement_ref)

    def _error(self, transform_frame_to_world: pin.SE3) -> tuple[Array, Array]:
        relative = self.placement_ref.actInv(transform_frame_to_world)
        return pin.log6(relative).vector, pin.Jlog6(relative)
