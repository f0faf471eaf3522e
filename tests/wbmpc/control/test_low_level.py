"""Splines, limits and what happens when plans stop coming."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc.control.low_level import (
    MAX_PLAN_AGE_S,
    JointCommand,
    LowLevelController,
    LowLevelMode,
    sample,
)
from wbmpc.control.plan import Plan
from wbmpc.robot import Robot

NODES, DT = 10, 0.02


def cubic_plan(robot: Robot) -> Plan:
    """Joint angles that follow a cubic in time, which the spline must reproduce."""
    times = DT * np.arange(NODES + 1)
    rate = np.linspace(-1.0, 1.0, robot.model.nv - 6)
    q = np.tile(robot.home_q, (NODES + 1, 1))
    q[:, 7:] += np.outer(times**3 - times**2, rate)
    v = np.zeros((NODES + 1, robot.model.nv))
    v[:, 6:] = np.outer(3 * times**2 - 2 * times, rate)
    tau = np.tile(np.arange(NODES)[:, None], (1, robot.model.nv - 6)).astype(float)
    return Plan(time_s=1.0, node_dt_s=DT, q=q, v=v, tau_Nm=tau, cost=0.0)


def test_spline_reproduces_a_cubic(robot: Robot) -> None:
    plan = cubic_plan(robot)
    rate = np.linspace(-1.0, 1.0, robot.model.nv - 6)
    for time in np.linspace(0.0, NODES * DT, 37):
        q, v, _ = sample(plan, 1.0 + time)
        expected = robot.home_q[7:] + rate * (time**3 - time**2)
        np.testing.assert_allclose(q, expected, atol=1e-12)
        np.testing.assert_allclose(v, rate * (3 * time**2 - 2 * time), atol=1e-12)


def test_torques_are_constant_between_nodes(robot: Robot) -> None:
    plan = cubic_plan(robot)
    assert sample(plan, 1.0 + 0.019)[2][0] == 0.0
    assert sample(plan, 1.0 + 0.020)[2][0] == 1.0


def test_a_plan_is_not_used_past_its_end(robot: Robot) -> None:
    plan = cubic_plan(robot)
    q, _, _ = sample(plan, plan.end_s + 5.0)
    np.testing.assert_allclose(q, plan.q[-1, 7:])


def command_at(
    controller: LowLevelController, robot: Robot, time_s: float, velocity: float = 0.0
) -> JointCommand:
    v = np.zeros(robot.full_model.nv)
    v[6:] = velocity
    return controller.command(time_s, robot.home_q_full, v)


def test_old_plan_is_followed_for_its_age_and_then_held(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(cubic_plan(robot))
    late = 1.0 + MAX_PLAN_AGE_S
    assert command_at(controller, robot, late - 1e-3).mode is LowLevelMode.TRACK
    first = command_at(controller, robot, late + 1e-3)
    later = command_at(controller, robot, late + 1.0)
    assert first.mode is later.mode is LowLevelMode.HOLD
    np.testing.assert_array_equal(first.tau_Nm, later.tau_Nm)


def test_hold_damps_and_never_follows_the_motion(robot: Robot) -> None:
    """Torque of a held joint opposes its velocity, whatever came before."""
    controller = LowLevelController(robot)
    controller.follow(cubic_plan(robot))
    still = command_at(controller, robot, 2.0)
    moving = command_at(controller, robot, 2.0, velocity=0.5)
    assert (moving.tau_Nm < still.tau_Nm).all()


def test_a_late_first_call_holds_where_the_plan_last_was(robot: Robot) -> None:
    """Even if no command was asked for while the plan was fresh."""
    prompt, late = LowLevelController(robot), LowLevelController(robot)
    for controller in (prompt, late):
        controller.follow(cubic_plan(robot))
    command_at(prompt, robot, 1.0 + MAX_PLAN_AGE_S)
    np.testing.assert_allclose(
        command_at(prompt, robot, 3.0).tau_Nm, command_at(late, robot, 3.0).tau_Nm
    )


def test_a_new_plan_ends_the_hold(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(cubic_plan(robot))
    assert command_at(controller, robot, 2.0).mode is LowLevelMode.HOLD
    plan = cubic_plan(robot)
    controller.follow(
        Plan(
            time_s=2.0,
            node_dt_s=DT,
            q=plan.q,
            v=plan.v,
            tau_Nm=plan.tau_Nm,
            cost=0.0,
        )
    )
    assert command_at(controller, robot, 2.01).mode is LowLevelMode.TRACK


def test_torques_stay_within_limits_and_say_so(robot: Robot) -> None:
    controller = LowLevelController(robot)
    plan = cubic_plan(robot)
    plan.tau_Nm[:] = 1e4
    controller.follow(plan)
    command = command_at(controller, robot, 1.0)
    controlled = ~np.isin(robot.joint_names, robot.settings.groups.neck)
    np.testing.assert_allclose(
        command.tau_Nm[controlled], robot.torque_limits_full_Nm[controlled]
    )
    assert command.saturated[controlled].all()
    assert not command.saturated[~controlled].any()


def test_neck_is_pulled_home(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(cubic_plan(robot))
    q = robot.home_q_full.copy()
    neck = robot.joints_full("neck")
    q[7 + neck] += 0.1
    tau = controller.command(1.0, q, np.zeros(robot.full_model.nv)).tau_Nm
    kp = robot.settings.low_level.neck.kp_Nm_per_rad
    np.testing.assert_allclose(tau[neck], -0.1 * kp)


@pytest.mark.parametrize("group", ["legs", "spine", "arms", "neck"])
@pytest.mark.parametrize("gain", ["kp_Nm_per_rad", "kd_Nms_per_rad"])
def test_every_gain_changes_something(group: str, gain: str) -> None:
    torques = []
    for value in ("10.0", "20.0"):
        robot = Robot.load("alexander", (f"low_level.{group}.{gain}={value}",))
        controller = LowLevelController(robot)
        controller.follow(cubic_plan(robot))
        q = robot.home_q_full + 0.01
        torques.append(controller.command(1.0, q, np.full(29, 0.01)).tau_Nm)
    assert np.abs(torques[0] - torques[1]).max() > 1e-3
