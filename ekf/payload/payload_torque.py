"""Torque a payload adds to the unloaded robot, and its regressors."""

from collections.abc import Sequence

import pinocchio as pin

from ekf.arrays import Array, frozen
from ekf.errors import UnknownLinkError
from ekf.model_lookup import frame_id, frame_ids, link_joint_id, root_dofs
from ekf.signals.samples import JointSample


class PayloadTorque:
    r"""Residual of the unloaded model and what one link's payload does to it.

    .. math:: r = S^T \tau + \sum_i J_i^T \lambda_i - ID(q, v, \dot v)

    All nv rows. Rotor armature of the model is in ID; joint friction is not.
    """

    def __init__(self, model: pin.Model, link: str, feet: Sequence[str] = ()) -> None:
        """Find the link.

        Args:
            model: The unloaded robot; copied, never changed.
            link: A joint name or any frame (a body, a tool): the payload belongs to the
                joint that carries it.
            feet: Frames at which samples bring contact wrenches, in that order.

        Raises:
            UnknownLinkError: If a name is not in the model.
        """
        self.model = model.copy()
        self.joint_id, self.placement = locate(self.model, link)
        self.link = link
        frame = pin.Frame(
            f"payload_of_{link}", self.joint_id, self.placement, pin.FrameType.OP_FRAME
        )
        self._frame = self.model.addFrame(frame, False)
        self._data = self.model.createData()
        self._down = -self.model.gravity.linear
        self.feet = frame_ids(model, feet)
        self._root = root_dofs(model)

    @property
    def nominal_parameters(self) -> Array:
        """(10,) unloaded inertia at the joint, Pinocchio's order."""
        return frozen(self.model.inertias[self.joint_id].toDynamicParameters())

    def residual(self, sample: JointSample, a: Array) -> Array:
        """Torque (nv,) that the unloaded model does not explain [N, Nm]."""
        model, data = self.model, self._data
        residual = -pin.rnea(model, data, sample.q, sample.v, a)
        return self.add_applied(residual, sample)

    def add_applied(self, generalised: Array, sample: JointSample) -> Array:
        """``generalised`` plus joint torques and contact wrenches, in place."""
        generalised[self._root :] += sample.tau
        if self.feet and sample.wrenches is not None:
            for frame_id, wrench in zip(self.feet, sample.wrenches, strict=True):
                jacobian = pin.computeFrameJacobian(
                    self.model,
                    self._data,
                    sample.q,
                    frame_id,
                    pin.LOCAL_WORLD_ALIGNED,
                )
                generalised += jacobian.T @ wrench
        return generalised

    def lift(self, q: Array) -> Array:
        r"""Gravity torque (nv,) of 1 kg at the link's frame: :math:`-J_{lin}^T g`."""
        jacobian = pin.computeFrameJacobian(
            self.model, self._data, q, self._frame, pin.LOCAL_WORLD_ALIGNED
        )
        torque: Array = self._down @ jacobian[:3]
        return torque

    def full_regressor(self, sample: JointSample) -> Array:
        """(nv, 10) torque of the link's parameters in motion.

        Call it after `residual` of the same sample, whose kinematics it uses.
        """
        data, joint = self._data, self.joint_id
        pin.computeJointJacobians(self.model, data, sample.q)
        return self._to_joints(pin.bodyRegressor(data.v[joint], data.a_gf[joint]))

    def gravity_regressor(self, sample: JointSample) -> Array:
        """(nv, 10) torque of the link's parameters at rest."""
        data = self._data
        pin.computeJointJacobians(self.model, data, sample.q)
        at_rest = data.oMi[self.joint_id].actInv(-self.model.gravity)
        return self._to_joints(pin.bodyRegressor(pin.Motion.Zero(), at_rest))

    def _to_joints(self, body: Array) -> Array:
        jacobian = pin.getJointJacobian(
            self.model, self._data, self.joint_id, pin.LOCAL
        )
        regressor: Array = jacobian.T @ body
        return regressor


def locate(model: pin.Model, link: str) -> tuple[int, pin.SE3]:
    """Joint that carries a link or frame, and the frame's placement on it.

    Raises:
        UnknownLinkError: If the model has neither such a joint nor such a frame.
    """
    if model.existFrame(link):
        frame = model.frames[frame_id(model, link)]
        if frame.parentJoint > 0:
            return int(frame.parentJoint), frame.placement.copy()
        choices = [f.name for f in model.frames if f.parentJoint > 0]
        raise UnknownLinkError("link", link, choices)
    return link_joint_id(model, link), pin.SE3.Identity()


full_regressor = PayloadTorque.full_regressor
"""Weight and inertial forces of a payload."""
gravity_regressor = PayloadTorque.gravity_regressor
"""Only a payload's weight; its inertial forces count as noise."""
