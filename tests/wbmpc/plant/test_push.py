"""Pushes: momentum in, nothing else."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc import MockPlant, MujocoPlant, TwinPlant
from wbmpc.errors import PushError
from wbmpc.plant.imperfections import CLEAN
from wbmpc.robot import Robot

FORCE_N = np.array([30.0, -20.0, 10.0])
TIP = "LEFT_FOREARM_TIP"


def _in_the_air(robot: Robot) -> np.ndarray:
    q = robot.home_q_full.copy()
    q[2] += 1.0
    return q


def _momentum(robot: Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    data = robot.full_model.createData()
    return np.array(pin.computeCentroidalMomentum(robot.full_model, data, q, v))


@pytest.mark.parametrize("frame", ["PELVIS_LINK", TIP])
def test_impulse_is_force_times_time(robot: Robot, frame: str) -> None:
    plant, torque = MujocoPlant(robot), np.zeros(len(robot.joint_names))
    plant.reset(_in_the_air(robot))
    plant.apply_push(frame, FORCE_N, 0.02)
    for _ in range(30):
        measured = plant.step(torque)
    pushed = _momentum(robot, measured.q, measured.v)
    plant.reset(_in_the_air(robot))
    for _ in range(30):
        measured = plant.step(torque)
    free = _momentum(robot, measured.q, measured.v)
    gained = pushed - free
    # Joint angles integrated step by step keep momentum to first order only.
    np.testing.assert_allclose(gained[:3], 0.02 * FORCE_N, atol=1e-2)


def test_off_centre_push_turns(robot: Robot) -> None:
    plant, torque = MujocoPlant(robot), np.zeros(len(robot.joint_names))
    start = plant.reset(_in_the_air(robot))
    data = robot.full_model.createData()
    com = pin.centerOfMass(robot.full_model, data, start.q)
    pin.framesForwardKinematics(robot.full_model, data, start.q)
    tip = data.oMf[robot.full_model.getFrameId(TIP)].translation
    plant.apply_push(TIP, FORCE_N, 0.01)
    for _ in range(10):
        measured = plant.step(torque)
    turned = _momentum(robot, measured.q, measured.v)[3:]
    expected = 0.01 * np.cross(tip - com, FORCE_N)
    np.testing.assert_allclose(turned, expected, rtol=2e-2, atol=2e-3)


def test_no_push_and_expired_push_change_nothing(robot: Robot) -> None:
    plant, torque = MujocoPlant(robot), np.zeros(len(robot.joint_names))
    plant.reset(robot.home_q_full)
    plant.apply_push("PELVIS_LINK", FORCE_N, 0.01)
    for _ in range(20):
        plant.step(torque)
    plant.reset(robot.home_q_full)
    again = [plant.step(torque).q for _ in range(30)]
    fresh = MujocoPlant(robot)
    fresh.reset(robot.home_q_full)
    assert np.array_equal(again, [fresh.step(torque).q for _ in range(30)])


def test_mock_agrees_about_the_ground(
    robot: Robot, standing_tau_Nm: np.ndarray
) -> None:
    plant = MockPlant(robot)
    plant.step(standing_tau_Nm)
    before = plant.contact_truth().wrenches[:, :3].sum(axis=0)
    plant.apply_push("PELVIS_LINK", np.array([0.0, 0.0, -50.0]), 1.0)
    start = plant.step(standing_tau_Nm)
    after = plant.contact_truth().wrenches[:, :3].sum(axis=0)
    assert start.time_s > 0.0
    # Some of the push accelerates the body while the knees give.
    assert 1.0 < after[2] - before[2] <= 50.0


def test_twin_hands_the_push_through(robot: Robot) -> None:
    torque = np.zeros(len(robot.joint_names))
    twin = TwinPlant(robot, MujocoPlant(robot), CLEAN)
    plain = MujocoPlant(robot)
    plants = [twin, plain]
    for plant in plants:
        plant.reset(robot.home_q_full)
        plant.apply_push("PELVIS_LINK", FORCE_N, 0.02)
    for _ in range(30):
        states = [plant.step(torque) for plant in plants]
    assert np.array_equal(states[0].q, states[1].q)


@pytest.mark.parametrize(
    ("frame", "force", "duration_s"),
    [
        ("NOWHERE", FORCE_N, 0.1),
        ("PELVIS_LINK", np.array([np.nan, 0.0, 0.0]), 0.1),
        ("PELVIS_LINK", np.array([1e5, 0.0, 0.0]), 0.1),
        ("PELVIS_LINK", np.array([1.0, 0.0]), 0.1),
        ("PELVIS_LINK", FORCE_N, 0.0),
        ("PELVIS_LINK", FORCE_N, np.inf),
    ],
)
def test_impossible_pushes_are_refused(
    robot: Robot, frame: str, force: np.ndarray, duration_s: float
) -> None:
    for plant in (MujocoPlant(robot), MockPlant(robot)):
        with pytest.raises(PushError):
            plant.apply_push(frame, force, duration_s)
