"""Feedback between solves: the plan's state, the gain's sign, predicted starts."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.control.feedback import feedback_torque, state_at
from wbmpc.control.low_level import LowLevelController
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.control.plan import Plan
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

STILL = np.zeros(27)
RTI = ("mpc.realtime_iteration=true",)


@pytest.fixture(scope="module")
def robot_rti() -> Robot:
    return Robot.load("alexander", RTI)


def moving_plan(robot: Robot, gain: np.ndarray | None = None) -> Plan:
    velocity = np.linspace(-0.5, 0.5, robot.model.nv)
    q = [pin.integrate(robot.model, robot.home_q, 0.02 * k * velocity) for k in (0, 1)]
    return Plan(
        time_s=2.0,
        node_dt_s=0.02,
        q=np.array(q),
        v=np.array([velocity, 3.0 * velocity]),
        tau_Nm=np.zeros((1, robot.model.nv - 6)),
        cost=0.0,
        gain=gain,
    )


def test_state_between_nodes_is_on_the_manifold(robot: Robot) -> None:
    plan = moving_plan(robot)
    q, v = state_at(robot.model, plan, 2.005)
    step = pin.difference(robot.model, plan.q[0], q)
    whole = pin.difference(robot.model, plan.q[0], plan.q[1])
    np.testing.assert_allclose(step, 0.25 * whole, atol=1e-9)
    np.testing.assert_allclose(v, 1.5 * plan.v[0])


@pytest.mark.parametrize(("time_s", "node"), [(1.0, 0), (2.0, 0), (2.02, 1), (9.0, 1)])
def test_outside_its_nodes_a_plan_stands_still(
    robot: Robot, time_s: float, node: int
) -> None:
    plan = moving_plan(robot)
    q, v = state_at(robot.model, plan, time_s)
    np.testing.assert_allclose(q, plan.q[node], atol=1e-12)
    np.testing.assert_allclose(v, plan.v[node], atol=1e-12)


def test_feedback_opposes_the_error(robot: Robot) -> None:
    nv = robot.model.nv
    gain = np.zeros((nv - 6, 2 * nv))
    gain[:, 6:nv] = 7.0 * np.eye(nv - 6)
    plan = moving_plan(robot, gain)
    off = np.zeros(nv)
    off[6 + 4] = 0.1
    q = pin.integrate(robot.model, plan.q[0], off)
    torque = feedback_torque(robot.model, plan, 2.0, q, plan.v[0])
    np.testing.assert_allclose(torque, -7.0 * off[6:], atol=1e-12)


def test_the_low_level_adds_the_feedback(robot: Robot) -> None:
    nv = robot.model.nv
    gain = np.zeros((nv - 6, 2 * nv))
    gain[3, nv:] = 1.0
    commands = []
    for plan in (moving_plan(robot), moving_plan(robot, gain)):
        low_level = LowLevelController(robot)
        low_level.follow(plan)
        still = np.zeros(robot.full_model.nv)
        commands.append(low_level.command(2.0, robot.home_q_full, still).tau_Nm)
    change = robot.controlled_tau(commands[1] - commands[0])
    expected = np.zeros(nv - 6)
    expected[3] = moving_plan(robot).v[0].sum()
    np.testing.assert_allclose(change, expected, atol=1e-9)


def test_gains_are_read_only_when_asked_for(robot: Robot, robot_rti: Robot) -> None:
    assert WholeBodyMpc(robot).plan.gain is None
    gain = WholeBodyMpc(robot_rti).plan.gain
    assert gain is not None
    assert gain.shape == (21, 54)
    assert np.isfinite(gain).all()


def test_real_time_iteration_plans_for_the_next_tick(robot_rti: Robot) -> None:
    mpc = WholeBodyMpc(robot_rti)
    q = pin.integrate(robot_rti.model, robot_rti.home_q, np.full(27, 1e-3))
    result = mpc.solve(1.0, q, STILL, home_reference(robot_rti))
    assert result.status.ok
    assert result.plan.time_s == pytest.approx(1.01)
    # The predicted state keeps the deviation that was measured.
    off = pin.difference(robot_rti.model, robot_rti.home_q, result.plan.q[0])
    np.testing.assert_allclose(off, 1e-3, atol=2e-4)


def test_the_gain_is_what_the_next_solve_would_do(robot_rti: Robot) -> None:
    """First order: u(x + dx) - u(x) = -K dx, near standing where no cone is active."""
    mpc, model = WholeBodyMpc(robot_rti), robot_rti.model
    solver = mpc.solver
    for _ in range(5):
        solver.solve(list(solver.xs), list(solver.us), 30, False, 1e-9)
    gain, u0, x0 = np.array(solver.K[0]), np.array(solver.us[0]), solver.xs[0].copy()
    off = np.zeros(2 * model.nv)
    off[model.nv + 6 + 12 :] = 0.02  # joint velocities of the upper body
    x = np.concatenate([x0[: model.nq], x0[model.nq :] + off[model.nv :]])
    mpc.ocp.problem.x0 = x
    xs = [x, *list(solver.xs)[1:]]
    for _ in range(5):
        solver.solve(xs, list(solver.us), 30, False, 1e-9)
        xs = list(solver.xs)
    asked = np.array(solver.us[0]) - u0
    assert np.linalg.norm(asked + gain @ off) < 0.2 * np.linalg.norm(asked)
