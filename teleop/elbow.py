"""Which joint of an arm is its elbow."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from wbmpc.robot import Robot


def arm_joints(robot: Robot, side: str) -> tuple[str, ...]:
    """Names of the moved joints of an arm, from the shoulder."""
    groups = robot.settings.groups
    return groups.left_arm if side == "left" else groups.right_arm


def elbow_place(robot: Robot, side: str) -> int:
    """Place of the elbow among the joints of an arm.

    It is the one that changes the distance r from the first joint to the tip most:
    |dr/dq_j| = |u . J_j| at home, u from the first joint to the tip, J the tip's
    Jacobian. Joints at the shoulder turn about a point near the first, those of a wrist
    have a short lever.
    """
    model, data = robot.model, robot.model.createData()
    joints = [model.getJointId(name) for name in arm_joints(robot, side)]
    frame = robot.frame_id(robot.arms[side].tip_frame)
    jacobian = pin.computeFrameJacobian(
        model, data, robot.home_q, frame, pin.LOCAL_WORLD_ALIGNED
    )
    pin.updateFramePlacement(model, data, frame)
    away = data.oMf[frame].translation - data.oMi[joints[0]].translation
    columns = [model.joints[joint].idx_v for joint in joints]
    return int(np.argmax(np.abs(away @ jacobian[:3, columns])))
