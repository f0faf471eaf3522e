"""Legs seen from the base: against the whole model and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from squat_motion import Motion

from wbmpc.robot import Robot
from wbmpc.state_estimation.contact_detection import ContactDetector, vertical_force_N
from wbmpc.state_estimation.leg_kinematics import LegKinematics, SoleInBase
from wbmpc.state_estimation.rotations import (
    exp_rotation,
    log_rotation,
    orthonormal,
    xyzw_from_rotation,
)


@pytest.fixture
def q_joints(robot: Robot) -> np.ndarray:
    rng = np.random.default_rng(0)
    return robot.home_q_full[7:] + rng.uniform(-0.2, 0.2, len(robot.joint_names))


def test_soles_are_those_of_the_whole_robot(robot: Robot, q_joints: np.ndarray) -> None:
    model, data = robot.full_model, robot.full_model.createData()
    q = np.concatenate([robot.home_q_full[:7], q_joints])
    pin.framesForwardKinematics(model, data, q)
    for sole, ours in zip(
        robot.soles, LegKinematics(robot).soles(q_joints), strict=True
    ):
        placement = data.oMi[1].actInv(data.oMf[model.getFrameId(sole.frame)])
        np.testing.assert_allclose(ours.position_m, placement.translation, atol=1e-12)
        np.testing.assert_allclose(ours.rotation, placement.rotation, atol=1e-12)


@pytest.mark.parametrize("foot", [0, 1])
def test_jacobian_is_the_derivative(
    robot: Robot, q_joints: np.ndarray, foot: int
) -> None:
    kinematics = LegKinematics(robot)
    here, step = kinematics.soles(q_joints)[foot], 1e-6
    for column, joint in enumerate(kinematics.legs[foot]):
        ahead = q_joints.copy()
        ahead[joint] += step
        there = kinematics.soles(ahead)[foot]
        linear = (there.position_m - here.position_m) / step
        turn = log_rotation(there.rotation @ here.rotation.T) / step
        np.testing.assert_allclose(here.jacobian[:3, column], linear, atol=1e-5)
        np.testing.assert_allclose(here.jacobian[3:, column], turn, atol=1e-5)


def test_vertical_force_is_recovered_from_torques(
    robot: Robot, q_joints: np.ndarray
) -> None:
    kinematics = LegKinematics(robot)
    up = np.array([0.1, 0.0, np.sqrt(0.99)])
    for sole in kinematics.soles(q_joints):
        force = np.array([20.0, -10.0, 300.0])
        tau = -sole.jacobian.T @ np.concatenate([force, [5.0, -3.0, 1.0]])
        assert vertical_force_N(sole, tau, up) == pytest.approx(force @ up)


def test_straight_leg_stands() -> None:
    """A singular leg carries without torque: never counted as lifted."""
    sole = SoleInBase(
        position_m=np.zeros(3), rotation=np.eye(3), jacobian=np.zeros((6, 6))
    )
    assert vertical_force_N(sole, np.zeros(6), np.array([0, 0, 1.0])) == np.inf


def test_contact_has_hysteresis_and_debounce(
    robot: Robot, clean_motion: Motion
) -> None:
    """Scaled torques: 10 samples at no load lift the feet, a short gap does not."""
    kinematics = LegKinematics(robot)
    detector = ContactDetector(kinematics)
    loaded = clean_motion.readings[100]
    soles = kinematics.soles(loaded.q)
    up = np.array([0, 0, 1.0])

    def after(load: float, samples: int) -> list[bool]:
        readings = replace(loaded, tau_Nm=load * loaded.tau_Nm)
        for _ in range(samples):
            standing = detector.update(readings, soles, up)
        return standing.tolist()

    assert after(1.0, 20) == [True, True]
    assert after(0.0, 9) == [True, True]
    assert after(1.0, 1) == [True, True]
    assert after(0.0, 10) == [False, False]
    assert after(0.15, 20) == [False, False], "between both thresholds nothing changes"
    assert after(1.0, 10) == [True, True]
    assert after(0.15, 20) == [True, True]


def test_rotations_round_trip() -> None:
    rng = np.random.default_rng(1)
    for vector in rng.uniform(-1.5, 1.5, size=(20, 3)):
        rotation = exp_rotation(vector)
        np.testing.assert_allclose(log_rotation(rotation), vector, atol=1e-9)
        back = pin.Quaternion(xyzw_from_rotation(rotation)).toRotationMatrix()
        np.testing.assert_allclose(back, rotation, atol=1e-12)
        bent = rotation + 1e-6 * rng.normal(size=(3, 3))
        repaired = orthonormal(bent)
        np.testing.assert_allclose(repaired.T @ repaired, np.eye(3), atol=1e-11)
