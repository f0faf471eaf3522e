"""Measurement model: torque of the estimated links."""

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ekf.arrays import Array
from ekf.model_lookup import root_dofs


class TorqueMeasurement:
    r"""Residual torque and regressor of the estimated links.

    .. math::
        y = S^T \tau + \sum_i J_i^T \lambda_i - \tau^{nom}(q, v, \dot v), \qquad
        y = Y^{est}(q, v, \dot v)\, \pi^{est}

    with :math:`\tau^{nom}` one RNEA in which the estimated links weigh nothing.
    All nv rows are used, floating base included. Rotor armature is in
    ``model.armature``; RNEA adds it, so it sits in :math:`\tau^{nom}` and not in
    :math:`Y`. Joint damping and friction of the model are not modelled.

    Source: arXiv:2610.22176, eq. 10-12.

    Attributes:
        model: Own copy of the robot, estimated links without inertia.
    """

    def __init__(
        self,
        model: pin.Model,
        joint_ids: Sequence[int],
        foot_frame_ids: Sequence[int] = (),
    ) -> None:
        """Copy the model and take the estimated links' inertia out of the copy.

        Args:
            model: The robot; it is copied and never changed.
            joint_ids: Joints that carry the estimated links.
            foot_frame_ids: Frames at which contact wrenches act.
        """
        self.model = model.copy()
        self._data = self.model.createData()
        self._joint_ids = tuple(joint_ids)
        self._foot_frame_ids = tuple(foot_frame_ids)
        self._foot_velocities = np.zeros((len(self._foot_frame_ids), 3))
        self._root_dofs = root_dofs(model)
        for joint_id in self._joint_ids:
            self.model.inertias[joint_id] = pin.Inertia.Zero()

    @property
    def foot_speeds(self) -> Array:
        """(n_feet,) speed of each foot frame at the last sample [m/s]."""
        speeds: Array = np.linalg.norm(self._foot_velocities, axis=1)
        return speeds

    def evaluate(
        self, q: Array, v: Array, a: Array, tau_joints: Array, wrenches: Array
    ) -> tuple[Array, Array]:
        r"""Residual torque y (nv,) and regressor Y_est (nv, 10 n_links).

        Args:
            q: (nq,) configuration, Pinocchio's convention.
            v: (nv,) velocity; that of a free-flyer is in the base frame.
            a: (nv,) time derivative of ``v``.
            tau_joints: (nv - root,) actuated torques [Nm].
            wrenches: (n_feet, 6) contact wrenches [N, Nm], force first, world axes, at
                the foot frames.
        """
        model, data = self.model, self._data
        residual = -pin.rnea(model, data, q, v, a)
        residual[self._root_dofs :] += tau_joints
        pin.computeJointJacobians(model, data, q)
        pairs = zip(self._foot_frame_ids, wrenches, strict=True)
        for foot, (frame_id, wrench) in enumerate(pairs):
            jacobian = self._foot_jacobian(frame_id)
            residual += jacobian.T @ wrench
            self._foot_velocities[foot] = jacobian[:3] @ v
        return residual, self._regressor()

    def placement(self, joint_id: int) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a joint in the world, last sample."""
        placement = self._data.oMi[joint_id]
        return placement.rotation.copy(), placement.translation.copy()

    def _foot_jacobian(self, frame_id: int) -> Array:
        pin.updateFramePlacement(self.model, self._data, frame_id)
        jacobian: Array = pin.getFrameJacobian(
            self.model, self._data, frame_id, pin.LOCAL_WORLD_ALIGNED
        )
        return jacobian

    def _regressor(self) -> Array:
        # J_j^T times the body regressor equals the j-th block of
        # computeJointTorqueRegressor, without computing the other links' blocks.
        model, data = self.model, self._data
        regressor = np.empty((model.nv, 10 * len(self._joint_ids)))
        for block, joint_id in enumerate(self._joint_ids):
            jacobian = pin.getJointJacobian(model, data, joint_id, pin.LOCAL)
            body = pin.bodyRegressor(data.v[joint_id], data.a_gf[joint_id])
            regressor[:, 10 * block : 10 * block + 10] = jacobian.T @ body
        return regressor
