"""Where forces act, in which axes, and at which instant."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from ekf import LegTorqueWrench
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot

FRICTIONLESS = ("plant.joint_friction_Nm=0.0", "plant.joint_damping_Nms_per_rad=0.0")


def _in_the_air(robot: Robot) -> np.ndarray:
    q = robot.home_q_full.copy()
    q[2] += 1.0
    return q


def test_a_pose_written_by_hand_has_its_own_contacts(
    robot: Robot, standing_tau_Nm: np.ndarray
) -> None:
    """Lifted off the floor there is no force left from before, nor any contact."""
    plant = MujocoPlant(robot)
    plant.reset(robot.home_q_full)
    for _ in range(20):
        plant.step(standing_tau_Nm)
    assert plant.contact_truth().wrenches[:, 2].sum() > 300.0
    plant.reset(_in_the_air(robot))
    assert np.array_equal(plant.contact_truth().wrenches, np.zeros((2, 6)))


def test_pushes_on_one_link_add_up_in_world_axes() -> None:
    """On a robot yawed by 90 degrees, against Pinocchio's forward dynamics."""
    robot = Robot.load("alexander", FRICTIONLESS)
    model, plant = robot.full_model, MujocoPlant(robot)
    q = _in_the_air(robot)
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 0.0, np.pi / 2.0)).coeffs()
    arm = robot.arms["left"]
    forces = {arm.tip_frame: (10.0, 0.0, 0.0), arm.link: (0.0, 5.0, 0.0)}
    plant.reset(q)
    for frame, force in forces.items():
        plant.apply_push(frame, np.array(force), 1.0)
    measured = plant.step(np.zeros(len(robot.joint_names)))
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    torque = np.zeros(model.nv)
    for frame, force in forces.items():
        frame_id = model.getFrameId(frame)
        pin.updateFramePlacement(model, data, frame_id)
        jacobian = pin.getFrameJacobian(model, data, frame_id, pin.LOCAL_WORLD_ALIGNED)
        torque += jacobian[:3].T @ np.array(force)
    expected = pin.aba(model, data, q, np.zeros(model.nv), torque)
    free = pin.aba(model, data, q, np.zeros(model.nv), np.zeros(model.nv))
    acceleration = measured.v / plant.dt_s
    size = np.abs(expected - free).max()
    assert size > 1.0
    np.testing.assert_allclose(acceleration, expected, atol=1e-6 * size)


@pytest.mark.parametrize("feet", [(0,), (1,), (0, 1)])
def test_leg_torques_give_the_weight_on_one_foot_and_on_two(
    robot: Robot, feet: tuple[int, ...]
) -> None:
    """Summed upward force is the weight; a lifted foot carries nothing."""
    model = robot.full_model
    soles = [sole.frame for sole in robot.soles]
    q, zero = robot.home_q_full, np.zeros(model.nv)
    data = model.createData()
    gravity = pin.rnea(model, data, q, zero, zero)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    stacked = np.vstack(
        [
            pin.getFrameJacobian(
                model, data, model.getFrameId(soles[foot]), pin.LOCAL_WORLD_ALIGNED
            )
            for foot in feet
        ]
    )
    carried = np.linalg.lstsq(stacked[:, :6].T, gravity[:6], rcond=None)[0]
    tau = (gravity - stacked.T @ carried)[6:]
    solved = LegTorqueWrench(model, soles).solve(q, zero, zero, tau).wrenches
    weight_N = 9.81 * pin.computeTotalMass(model)
    assert solved[:, 2].sum() == pytest.approx(weight_N, rel=1e-9)
    for foot in range(2):
        share = solved[foot, 2] / weight_N
        assert share == pytest.approx(0.0 if foot not in feet else share, abs=1e-9)
        assert -1e-9 <= share <= 1.0 + 1e-9
