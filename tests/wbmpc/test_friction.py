"""Known joint friction: its law, where it comes from, what the low level adds."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from models.settings import JointFrictionSettings, MeasuredFriction
from wbmpc.control.low_level import MAX_PLAN_AGE_S, JointCommand, LowLevelController
from wbmpc.control.plan import Plan
from wbmpc.errors import SettingsError, UnknownNameError
from wbmpc.friction import JointFriction, effort_scale_Nm
from wbmpc.robot import BASE, Robot
from wbmpc.settings import load_settings

NAMES = ("hip", "wheel")
LIMITS_NM = np.array([100.0, np.inf])
NOTHING = "joint_friction.coulomb_share=0", "joint_friction.viscous_share_s=0"


def law(**settings: object) -> JointFriction:
    return JointFriction.of(JointFrictionSettings(**settings), NAMES, LIMITS_NM)


def test_dry_friction_has_a_smooth_sign_and_viscous_grows() -> None:
    friction = law(coulomb_share=0.01, viscous_share_s=0.002, smoothing_rad_per_s=0.1)
    speeds = np.array([0.0, 0.05, 0.1, 3.0])
    torques = [friction.torque_Nm(np.full(2, v))[0] for v in speeds]
    np.testing.assert_allclose(torques, np.tanh(speeds / 0.1) + 0.2 * speeds)
    against = [friction.torque_Nm(np.full(2, -v))[0] for v in speeds]
    np.testing.assert_allclose(against, -np.array(torques))


def test_dry_friction_never_exceeds_what_is_known() -> None:
    torque = law(coulomb_share=0.01).torque_Nm(np.array([1e6, 1e6]))
    np.testing.assert_array_equal(torque, [1.0, 0.0])


def test_a_joint_without_limit_has_a_friction_only_if_named() -> None:
    own = MeasuredFriction(coulomb_Nm=0.4, viscous_Nms_per_rad=0.1)
    friction = law(coulomb_share=0.01, joints={"wheel": own})
    np.testing.assert_array_equal(friction.coulomb_Nm, [1.0, 0.4])
    np.testing.assert_array_equal(friction.viscous_Nms_per_rad, [0.0, 0.1])


def test_friction_of_a_joint_that_is_not_moved_is_refused() -> None:
    """The neck is held by its own PD: a value for it would do nothing."""
    known = JointFrictionSettings(joints={"NECK_Z": MeasuredFriction(coulomb_Nm=0.1)})
    settings = msgspec.structs.replace(load_settings("alexander"), joint_friction=known)
    with pytest.raises(UnknownNameError, match="NECK_Z.*LEFT_KNEE_Y") as refused:
        Robot(settings)
    assert "joint_friction.joints" in str(refused.value)


@pytest.mark.parametrize("key", ["coulomb_share", "viscous_share_s"])
def test_negative_friction_is_refused(key: str) -> None:
    with pytest.raises(SettingsError, match=key):
        Robot.load("alexander", (f"joint_friction.{key}=-0.1",))


def test_smoothing_must_be_positive() -> None:
    with pytest.raises(SettingsError, match="smoothing_rad_per_s"):
        Robot.load("alexander", ("joint_friction.smoothing_rad_per_s=0",))


def test_joints_without_a_limit_have_no_share() -> None:
    np.testing.assert_array_equal(
        effort_scale_Nm(np.array([100.0, np.inf, 0.0])), [100.0, 0.0, 0.0]
    )


def test_a_joint_that_rests_is_held_by_what_it_is_pushed_with() -> None:
    """One that moves, either way, is not: its friction opposes its motion."""
    friction = law(coulomb_share=0.01, smoothing_rad_per_s=0.02)
    pushed = np.array([0.01, 0.0])
    at_rest = friction.torque_Nm(np.zeros(2), pushed)
    np.testing.assert_array_equal(at_rest, friction.torque_Nm(pushed))
    for speed in (-1.0, 1.0):
        torque = friction.torque_Nm(np.array([speed, 0.0]), pushed)
        np.testing.assert_allclose(torque, [speed, 0.0], atol=1e-9)


# Low level


def moving_plan(robot: Robot, speed: float, joint: int) -> Plan:
    """One joint moves steadily."""
    nodes, dt = 10, 0.02
    v = np.zeros((nodes + 1, robot.model.nv))
    v[:, BASE + joint] = speed
    q = np.tile(robot.home_q, (nodes + 1, 1))
    q[:, 7 + joint] += speed * dt * np.arange(nodes + 1)
    tau = np.zeros((nodes, robot.model.nv - BASE))
    return Plan(time_s=0.0, node_dt_s=dt, q=q, v=v, tau_Nm=tau, cost=0.0)


def commands(
    robot: Robot, plan: Plan, time_s: float = 0.01
) -> tuple[JointCommand, JointCommand]:
    """Without and with the robot's known friction, on the same plan and state."""
    still = np.zeros(robot.full_model.nv)
    without, with_it = (
        LowLevelController(robot),
        LowLevelController(robot, robot.friction),
    )
    for controller in (without, with_it):
        controller.follow(plan)
    return tuple(
        controller.command(time_s, robot.home_q_full, still)
        for controller in (without, with_it)
    )  # type: ignore[return-value]


@pytest.mark.parametrize("speed", [-0.5, 0.5])
def test_low_level_pushes_the_way_the_plan_moves(robot: Robot, speed: float) -> None:
    joint = int(robot.joints("left_arm")[0])
    plain, helped = commands(robot, moving_plan(robot, speed, joint))
    added = robot.controlled_tau(helped.tau_Nm - plain.tau_Nm)
    expected = np.zeros(len(added))
    limit = robot.torque_limits_Nm[joint]
    expected[joint] = limit * (0.01 * np.tanh(speed / 0.02) + 0.002 * speed)
    np.testing.assert_allclose(added, expected, atol=1e-9)


def test_low_level_adds_nothing_to_a_plan_that_rests(robot: Robot) -> None:
    plain, helped = commands(robot, moving_plan(robot, 0.0, 0))
    np.testing.assert_array_equal(helped.tau_Nm, plain.tau_Nm)


def test_low_level_adds_nothing_to_an_old_plan(robot: Robot) -> None:
    """A held joint must not be pushed along by motion that was planned once."""
    plan = moving_plan(robot, 0.5, 0)
    plain, helped = commands(robot, plan, MAX_PLAN_AGE_S + 1e-3)
    np.testing.assert_array_equal(helped.tau_Nm, plain.tau_Nm)


def test_limits_hold_with_friction_on_top(robot: Robot) -> None:
    plan = moving_plan(robot, 0.5, 0)
    plan.tau_Nm[:] = 0.999 * robot.torque_limits_Nm
    _, helped = commands(robot, plan)
    assert (np.abs(helped.tau_Nm) <= robot.torque_limits_full_Nm).all()
    assert helped.saturated[robot.joint_names.index(robot.controlled_joints[0])]


def test_nothing_known_changes_nothing() -> None:
    """To the last bit, as without the capability."""
    robot = Robot.load("alexander", NOTHING)
    joint = int(robot.joints("left_arm")[0])
    plain, helped = commands(robot, moving_plan(robot, 0.5, joint))
    np.testing.assert_array_equal(helped.tau_Nm, plain.tau_Nm)
