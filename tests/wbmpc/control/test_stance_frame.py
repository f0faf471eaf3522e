"""The robot may stand anywhere and face anywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.control.loop import ControlLoop
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.control.stance_frame import NEAR_M, StanceFrame
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

ELSEWHERE = StanceFrame(
    position_m=np.array([-3.0, 2.0, 0.3]), yaw_rad=float(np.radians(170.0))
)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def test_there_and_back(robot: Robot) -> None:
    q = np.stack([pin.randomConfiguration(robot.model) for _ in range(4)])
    q[:, :3] = np.random.default_rng(0).uniform(-2.0, 2.0, (4, 3))
    there = ELSEWHERE.to_world(q)
    np.testing.assert_allclose(ELSEWHERE.from_world(there), q, atol=1e-12)
    moved = pin.XYZQUATToSE3(there[0, :7])
    placement = pin.SE3(
        pin.rpy.rpyToMatrix(0, 0, ELSEWHERE.yaw_rad), ELSEWHERE.position_m
    )
    expected = placement * pin.XYZQUATToSE3(q[0, :7])
    np.testing.assert_allclose(moved.homogeneous, expected.homogeneous, atol=1e-12)


def test_it_is_found_from_the_feet(robot: Robot) -> None:
    found = StanceFrame.measured(robot, ELSEWHERE.to_world(robot.home_q))
    np.testing.assert_allclose(found.position_m, ELSEWHERE.position_m, atol=1e-9)
    assert found.yaw_rad == pytest.approx(ELSEWHERE.yaw_rad)


def test_a_hair_beside_home_is_home(robot: Robot) -> None:
    q = robot.home_q.copy()
    q[:3] += 0.5 * NEAR_M
    found = StanceFrame.measured(robot, q)
    assert found.is_home
    assert found.from_world(q) is q


@pytest.mark.parametrize("yaw_deg", [0.0, 90.0, 170.0, -135.0])
def test_plans_are_the_same_anywhere(robot: Robot, yaw_deg: float) -> None:
    frame = StanceFrame(
        position_m=np.array([0.05, -0.4, 0.0]), yaw_rad=float(np.radians(yaw_deg))
    )
    at_home, moved = WholeBodyMpc(robot), WholeBodyMpc(robot)
    q, v = robot.home_q.copy(), np.zeros(robot.model.nv)
    q[7:] += 0.01
    reference = home_reference(robot)
    for k in range(3):
        there = moved.solve(0.01 * k, frame.to_world(q), v, reference)
        here = at_home.solve(0.01 * k, q, v, reference)
        assert there.status is here.status
    np.testing.assert_allclose(there.plan.tau_Nm, here.plan.tau_Nm, atol=1e-5)
    np.testing.assert_allclose(there.plan.q[:, 7:], here.plan.q[:, 7:], atol=1e-8)
    np.testing.assert_allclose(
        there.plan.q[:, :3], frame.to_world(here.plan.q)[:, :3], atol=1e-8
    )


@pytest.mark.parametrize("asked_m", [0.05, 0.15])
def test_a_sideways_reference_is_followed_as_far_as_the_feet_hold(
    robot: Robot, asked_m: float
) -> None:
    loop, plant = ControlLoop(robot), MujocoPlant(robot)
    measured, home = plant.reset(robot.home_q_full), home_reference(robot)
    for _ in range(2500):
        aside = asked_m * min(measured.time_s, 1.0)
        asked = replace(home, com_m=home.com_m + np.array([0.0, aside, 0.0]))
        measured = plant.step(loop.step(measured, asked).tau_Nm)
    com = pin.centerOfMass(robot.full_model, robot.full_model.createData(), measured.q)
    assert loop.last_tick is not None
    assert loop.last_tick.result.bounded == (asked_m > 0.1)
    assert com[1] - home.com_m[1] == pytest.approx(min(asked_m, 0.0962), abs=2e-3)
