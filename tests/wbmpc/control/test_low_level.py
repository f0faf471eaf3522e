"""Splines, limits and what happens when plans stop coming."""

from __future__ import annotations

from dataclasses import replace

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


KNEE = "LEFT_KNEE_Y"
WRONG = [np.nan, np.inf, -np.inf]


def with_readings(
    robot: Robot, *, q: float | None = None, v: float | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """State at home with one knee's readings replaced."""
    knee = robot.joint_names.index(KNEE)
    q_full, v_full = robot.home_q_full.copy(), np.zeros(robot.full_model.nv)
    if q is not None:
        q_full[7 + knee] = q
    if v is not None:
        v_full[6 + knee] = v
    return q_full, v_full, knee


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("reading", ["q", "v"])
def test_a_reading_that_is_no_number_never_becomes_a_torque(
    robot: Robot, reading: str, wrong: float
) -> None:
    """First the last command of that joint, then feed-forward without the spring."""
    controller = LowLevelController(robot)
    plan = cubic_plan(robot)
    plan.tau_Nm[:] = 20.0
    controller.follow(plan)
    before = command_at(controller, robot, 1.0)
    q, v, knee = with_readings(robot, **{reading: wrong})
    soon = controller.command(1.01, q, v)
    assert soon.replaced == (knee,)
    assert soon.tau_Nm[knee] == before.tau_Nm[knee]
    assert not soon.saturated[knee]
    whole = LowLevelController(robot)
    whole.follow(plan)
    others = np.arange(len(robot.joint_names)) != knee
    expected = command_at(whole, robot, 1.01).tau_Nm
    np.testing.assert_array_equal(soon.tau_Nm[others], expected[others])
    late = controller.command(1.0 + 2 * MAX_PLAN_AGE_S, q, v)
    assert late.tau_Nm[knee] == 20.0 and late.mode is LowLevelMode.HOLD
    assert controller.faults() == {"torque_not_finite": 2}
    assert command_at(controller, robot, 1.2).replaced == ()


def test_without_its_angle_a_joint_is_still_damped(robot: Robot) -> None:
    controller = LowLevelController(robot)
    q, v, knee = with_readings(robot, q=np.nan, v=0.5)
    tau = controller.command(0.0, q, v).tau_Nm
    kd = robot.settings.low_level.legs.kd_Nms_per_rad
    assert tau[knee] == pytest.approx(-0.5 * kd)
    q, v, knee = with_readings(robot, q=np.inf, v=np.inf)
    assert controller.command(1.0, q, v).tau_Nm[knee] == 0.0


@pytest.mark.parametrize("wrong", WRONG)
def test_everything_wrong_at_once_is_finite(robot: Robot, wrong: float) -> None:
    controller = LowLevelController(robot, robot.friction)
    controller.follow(cubic_plan(robot))
    n = robot.full_model
    for time_s in (1.0, 1.01, wrong, 2.0, 2.0):
        command = controller.command(time_s, np.full(n.nq, wrong), np.full(n.nv, wrong))
        assert np.isfinite(command.tau_Nm).all()
        assert (np.abs(command.tau_Nm) <= robot.torque_limits_full_Nm).all()
    assert controller.faults()["torque_not_finite"] == 5
    assert controller.faults()["time_not_finite"] == 1


def test_a_bad_reading_does_not_spoil_the_feedback_of_the_others(robot: Robot) -> None:
    nv = robot.model.nv
    plan = replace(cubic_plan(robot), gain=np.ones((nv - 6, 2 * nv)))
    controller = LowLevelController(robot)
    controller.follow(plan)
    q, v, knee = with_readings(robot, v=np.nan)
    assert controller.command(1.0, q, v).replaced == (knee,)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("part", ["q", "v", "tau_Nm", "gain", "time_s", "node_dt_s"])
def test_a_plan_that_is_not_finite_is_not_followed(
    robot: Robot, part: str, wrong: float
) -> None:
    controller, untouched = LowLevelController(robot), LowLevelController(robot)
    nv = robot.model.nv
    good = replace(cubic_plan(robot), gain=np.zeros((nv - 6, 2 * nv)))
    for it in (controller, untouched):
        it.follow(good)
    value = getattr(good, part)
    if isinstance(value, float):
        bad = replace(good, **{part: wrong})
    else:
        value = value.copy()
        value[3, 9] = wrong
        bad = replace(good, **{part: value})
    controller.follow(bad)
    np.testing.assert_array_equal(
        command_at(controller, robot, 1.01).tau_Nm,
        command_at(untouched, robot, 1.01).tau_Nm,
    )
    assert controller.faults() == {"plan_not_finite": 1}


def constant_plan(robot: Robot, time_s: float, tau_Nm: float) -> Plan:
    plan = cubic_plan(robot)
    return replace(
        plan,
        time_s=time_s,
        q=np.tile(robot.home_q, (NODES + 1, 1)),
        v=np.zeros_like(plan.v),
        tau_Nm=np.full_like(plan.tau_Nm, tau_Nm),
    )


def knee_torque(controller: LowLevelController, robot: Robot, time_s: float) -> float:
    command = command_at(controller, robot, time_s)
    return float(command.tau_Nm[robot.joint_names.index(KNEE)])


def test_a_plan_older_than_the_one_in_force_is_ignored(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(constant_plan(robot, 1.0, 10.0))
    controller.follow(constant_plan(robot, 0.99, 5.0))
    assert knee_torque(controller, robot, 1.0) == 10.0
    controller.follow(constant_plan(robot, 0.995, 6.0))
    assert knee_torque(controller, robot, 1.001) == 10.0
    assert controller.faults() == {"plan_outdated": 2}
    controller.follow(constant_plan(robot, 1.0, 7.0))
    newest = knee_torque(controller, robot, 1.002)
    assert newest == pytest.approx(7.0), "the later of two for an instant"


def test_a_plan_for_later_does_not_block_those_behind_it(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(constant_plan(robot, 1.02, 5.0))
    controller.follow(constant_plan(robot, 1.0, 10.0))
    assert knee_torque(controller, robot, 1.001) == 10.0
    assert knee_torque(controller, robot, 1.02) == 5.0
    assert controller.faults() == {}


def test_after_the_clock_was_set_back_the_joints_wait_for_a_new_plan(
    robot: Robot,
) -> None:
    controller = LowLevelController(robot)
    controller.follow(constant_plan(robot, 5.0, 10.0))
    command_at(controller, robot, 5.0)
    controller.follow(constant_plan(robot, 5.01, 11.0))
    held = command_at(controller, robot, 3.0, velocity=0.1)
    assert held.mode is LowLevelMode.HOLD, "a plan of the future"
    controller.follow(constant_plan(robot, 5.02, 12.0))  # still on its way then
    for k in range(300):
        time_s = 3.01 + 0.01 * k
        controller.follow(constant_plan(robot, time_s, 20.0))
        command = command_at(controller, robot, time_s)
        assert command.mode is LowLevelMode.TRACK
        assert knee_torque(controller, robot, time_s + 0.005) == 20.0
    assert controller.faults() == {"clock_set_back": 1, "plan_too_far_ahead": 2}


def test_a_plan_that_came_with_the_new_time_is_followed_at_once(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(constant_plan(robot, 5.0, 10.0))
    command_at(controller, robot, 5.04)
    controller.follow(constant_plan(robot, 0.0, 20.0))
    assert knee_torque(controller, robot, 0.0) == 20.0


def test_a_clock_set_back_within_the_plan_changes_nothing(robot: Robot) -> None:
    controller = LowLevelController(robot)
    controller.follow(cubic_plan(robot))
    first = command_at(controller, robot, 1.01)
    command_at(controller, robot, 1.03)
    again = command_at(controller, robot, 1.01)
    assert again.mode is LowLevelMode.TRACK
    np.testing.assert_array_equal(first.tau_Nm, again.tau_Nm)
