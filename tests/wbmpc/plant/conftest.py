"""Fixtures of the plant tests."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from models.arrays import Array
from wbmpc.robot import Robot


@pytest.fixture(scope="session")
def standing_tau_Nm(robot: Robot) -> Array:
    """Joint torques that hold the home pose, the weight shared by both feet."""
    model = robot.full_model
    data = model.createData()
    q = robot.home_q_full
    gravity = pin.computeGeneralizedGravity(model, data, q).copy()
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    jacobian = np.vstack(
        [
            pin.getFrameJacobian(
                model, data, model.getFrameId(sole.frame), pin.LOCAL_WORLD_ALIGNED
            )
            for sole in robot.soles
        ]
    )
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return (gravity - jacobian.T @ wrenches)[6:]
