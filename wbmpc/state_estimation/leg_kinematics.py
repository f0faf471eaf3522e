"""Placement and motion of the soles as the base sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.arrays import Array
from models.frame_names import frame_index, lock_joints
from wbmpc.robot import BASE, Robot


@dataclass(frozen=True, kw_only=True)
class SoleInBase:
    """One sole.

    Attributes:
        position_m: (3,) of the sole frame in the base frame.
        rotation: (3, 3) sole to base.
        jacobian: (6, n_leg) [linear, angular] velocity of the sole frame relative to
            the base, in base axes, per velocity of the leg's joints.
    """

    position_m: Array
    rotation: Array
    jacobian: Array


class LegKinematics:
    """Forward kinematics of both legs; nothing above the pelvis is computed."""

    def __init__(self, robot: Robot) -> None:
        """Lock every joint but the legs' in a copy of the robot's model."""
        full, groups = robot.full_model, robot.settings.groups
        legs = groups.left_leg + groups.right_leg
        locked = [full.getJointId(n) for n in robot.joint_names if n not in legs]
        self._model = lock_joints(full, locked, robot.home_q_full)
        self._data = self._model.createData()
        names = tuple(self._model.names[2:])
        self._joints = np.array([robot.joint_names.index(n) for n in names])
        self._frames = [frame_index(self._model, sole.frame) for sole in robot.soles]
        self._columns = [
            np.array([BASE + names.index(n) for n in leg])
            for leg in (groups.left_leg, groups.right_leg)
        ]
        self.legs = (robot.joints_full("left_leg"), robot.joints_full("right_leg"))
        self._q = pin.neutral(self._model)

    def soles(self, q_joints: Array) -> tuple[SoleInBase, SoleInBase]:
        """Left and right sole.

        Args:
            q_joints: (n,) joint angles in the order of `Robot.joint_names`.
        """
        self._q[7:] = q_joints[self._joints]
        pin.computeJointJacobians(self._model, self._data, self._q)
        left, right = (
            self._sole(frame, columns)
            for frame, columns in zip(self._frames, self._columns, strict=True)
        )
        return left, right

    def _sole(self, frame: int, columns: NDArray[np.intp]) -> SoleInBase:
        placement = pin.updateFramePlacement(self._model, self._data, frame)
        # The base is at the origin of this model's world, so world axes are base axes.
        jacobian = pin.getFrameJacobian(
            self._model, self._data, frame, pin.LOCAL_WORLD_ALIGNED
        )
        return SoleInBase(
            position_m=np.array(placement.translation),
            rotation=np.array(placement.rotation),
            jacobian=jacobian[:, columns],
        )
