"""The mock plant obeys the equations it claims."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.plant.interface import Payload
from wbmpc.plant.mock import MockPlant
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot


def test_both_plants_are_plants(robot: Robot) -> None:
    """One interface."""
    plants = [MockPlant(robot, dt_s=0.002), MujocoPlant(robot, dt_s=0.002)]
    for plant in plants:
        measured = plant.reset(robot.home_q_full)
        assert plant.dt_s == 0.002
        np.testing.assert_array_equal(measured.q, robot.home_q_full)
        np.testing.assert_array_equal(measured.v, np.zeros(robot.full_model.nv))
        assert plant.step(measured.tau_Nm).time_s == pytest.approx(0.002)


def test_standing(robot: Robot, standing_tau_Nm: np.ndarray) -> None:
    """Torques that balance the weight keep it where it is; forces point up."""
    plant = MockPlant(robot)
    for _ in range(100):
        measured = plant.step(standing_tau_Nm)
    weight_N = 9.81 * pin.computeTotalMass(robot.full_model)
    assert plant.contact_truth().wrenches[:, 2].sum() == pytest.approx(weight_N)
    np.testing.assert_allclose(measured.q, robot.home_q_full, atol=1e-9)


def test_step_solves_the_equation_of_motion(robot: Robot) -> None:
    """M a + b = S^T tau + sum J^T lambda, and the soles stay still."""
    plant = MockPlant(robot)
    tau = np.random.default_rng(0).uniform(-10, 10, len(robot.joint_names))
    for _ in range(20):
        start = plant.step(tau)
    after = plant.step(tau)
    model, data = robot.full_model, robot.full_model.createData()
    acceleration = (after.v - start.v) / plant.dt_s
    residual = pin.rnea(model, data, start.q, start.v, acceleration)
    residual[6:] -= tau
    pin.computeJointJacobians(model, data, start.q)
    pin.updateFramePlacements(model, data)
    wrenches = plant.contact_truth().wrenches
    for sole, wrench in zip(robot.soles, wrenches, strict=True):
        frame = model.getFrameId(sole.frame)
        jacobian = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        residual -= jacobian.T @ wrench
        np.testing.assert_allclose(jacobian @ start.v, 0.0, atol=1e-3)
    np.testing.assert_allclose(residual, 0.0, atol=1e-6)
    assert np.abs(start.v).max() > 1e-2


def test_payload_adds_its_weight_and_leaves_the_robot_alone(
    robot: Robot, standing_tau_Nm: np.ndarray
) -> None:
    """The controller's own model does not learn of the load."""
    plant = MockPlant(robot)
    mass_kg = pin.computeTotalMass(robot.full_model)
    bare = plant.step(standing_tau_Nm)
    plant.reset(robot.home_q_full)
    plant.set_payload("LEFT_FOREARM_TIP", Payload(mass_kg=5.0), 0.0)
    loaded = plant.step(standing_tau_Nm)
    elbow = 6 + robot.joint_names.index("LEFT_ELBOW_Y")
    assert loaded.v[elbow] - bare.v[elbow] > 1e-3
    assert pin.computeTotalMass(robot.full_model) == mass_kg
    again = plant.reset(robot.home_q_full)
    again = plant.step(standing_tau_Nm)
    np.testing.assert_array_equal(again.v, bare.v)


def test_torque_that_is_not_finite_stops_the_plant(robot: Robot) -> None:
    """The same rule as in the simulator."""
    plant = MockPlant(robot)
    before = plant.reset(robot.home_q_full)
    after = plant.step(np.full(len(robot.joint_names), np.nan))
    assert plant.fault == "torque not finite"
    assert after is before
