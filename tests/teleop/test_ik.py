"""Inverse kinematics: limits first, then targets; another implementation agrees."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from teleop.arm_collisions import ArmCollisions
from teleop.arms import ARMS, SIDES, ArmIk, ArmKinematics
from teleop.ik import (
    DifferentialIk,
    FrameTask,
    IkLimits,
    IkStatus,
    IkWeights,
    Inequalities,
)
from teleop.settings import CollisionSettings, IkSettings
from wbmpc.robot import BASE, Robot

DT_S = 0.02
WEIGHTS = IkWeights(gain=0.5, posture=1e-3, damping=1e-3)


@pytest.fixture(scope="module")
def home_tips(robot: Robot) -> dict[str, pin.SE3]:
    return ArmKinematics(robot).tips(robot.home_q[7 + robot.joints(*ARMS)])


def moved(tip: pin.SE3, by_m: list[float]) -> pin.SE3:
    return pin.SE3(tip.rotation, tip.translation + by_m)


def arm_ik(robot: Robot, *, speed: float = 4.0, low: float, high: float) -> tuple:
    """IK of the left elbow alone."""
    elbow = int(robot.joints("left_arm")[-1])
    limits = IkLimits(
        low=np.array([low]), high=np.array([high]), speed=np.array([speed])
    )
    ik = DifferentialIk(robot.model, [BASE + elbow], limits, WEIGHTS, robot.home_q)
    return ik, 7 + elbow


def left_task(robot: Robot, target: pin.SE3) -> FrameTask:
    return FrameTask(frame=robot.frame_id(robot.arms["left"].tip_frame), target=target)


@pytest.mark.parametrize("by_m", [[0.1, 0, 0], [0, 0.1, 0.05], [-0.05, 0, 0.15]])
def test_both_hands_arrive(robot: Robot, home_tips: dict, by_m: list[float]) -> None:
    ik = ArmIk(robot, IkSettings())
    targets = {side: moved(tip, by_m) for side, tip in home_tips.items()}
    for _ in range(60):
        step = ik.step(targets)
    assert step.status is IkStatus.SOLVED
    assert max(step.reach_error_m.values()) < 1e-3
    assert np.abs(step.v).max() < 0.05


def test_velocities_lead_from_one_tick_to_the_next(
    robot: Robot, home_tips: dict
) -> None:
    ik = ArmIk(robot, IkSettings())
    last = None
    for k in range(40):
        step = ik.step({"left": moved(home_tips["left"], [0.005 * k, 0, 0])})
        if last is not None:
            np.testing.assert_allclose(step.q, last.q + DT_S * step.v, atol=1e-12)
        last = step


def test_an_arm_without_a_target_holds_to_the_last_bit(
    robot: Robot, home_tips: dict
) -> None:
    ik = ArmIk(robot, IkSettings())
    start = ik.step({}).q
    for k in range(50):
        target = moved(home_tips["left"], [0.004 * k, -0.004 * k, 0])
        step = ik.step({"left": target, "right": None})
    np.testing.assert_array_equal(step.q[4:], start[4:])
    assert np.abs(step.q[:4] - start[:4]).max() > 0.1


def test_a_target_that_is_not_a_number_holds_and_says_so(
    robot: Robot, home_tips: dict
) -> None:
    ik = ArmIk(robot, IkSettings())
    start = ik.step({}).q
    step = ik.step({"left": moved(home_tips["left"], [np.nan, 0, 0])})
    assert step.status is IkStatus.NOT_FINITE and not step.v.any()
    np.testing.assert_array_equal(step.q, start)
    assert ik.step({"left": home_tips["left"]}).status.ok


@pytest.mark.parametrize("beyond_rad", [0.1, 1e-4])
@pytest.mark.parametrize("reach_m", [2.0, -2.0])
def test_from_outside_its_limits_it_goes_no_further_out(
    robot: Robot, beyond_rad: float, reach_m: float
) -> None:
    """Whatever the target asks; it comes back if that helps, at the speed limit."""
    ik, index = arm_ik(robot, speed=0.5, low=-1.0, high=-0.5)
    q = robot.home_q.copy()
    q[index] = -0.5 + beyond_rad
    target = left_task(robot, pin.SE3(np.eye(3), np.array([reach_m, 0.3, 1.0])))
    for _ in range(50):
        before = q[index]
        step = ik.step(q, [target], DT_S)
        assert step.status is IkStatus.SOLVED
        assert step.outside == int(before > -0.5)
        q = step.q
        assert -0.5 * DT_S - 1e-9 <= q[index] - before
        assert q[index] <= max(before, -0.5) + 1e-9


@pytest.mark.parametrize("beyond_rad", [0.05, 0.3])
def test_a_hand_held_still_is_still_though_a_joint_is_beyond_its_limit(
    robot: Robot, beyond_rad: float
) -> None:
    """Three degrees past a limit moved other joints by up to 29 degrees."""
    ik = ArmIk(robot, IkSettings(posture_weight=0.0))
    arms = robot.joints(*ARMS)
    limits = robot.model.upperPositionLimit[7 + arms]
    q = robot.home_q[7 + arms].copy()
    q[0] = limits[0] + beyond_rad
    ik.seed(q)
    targets: dict[str, pin.SE3 | None] = dict(ik.tips())
    for _ in range(100):
        step = ik.step(targets)
    np.testing.assert_allclose(step.q, q, atol=1e-6)


def test_limits_hold_for_everything_that_moves_the_base_included(
    robot: Robot,
) -> None:
    """1 rad/s for joints, 0.2 m/s and rad/s for the base, target 3 m away."""
    joints = BASE + robot.joints("left_arm")
    active = [*range(BASE), *joints]
    speed = np.array([0.2] * BASE + [1.0] * len(joints))
    infinite = np.full(len(active), np.inf)
    q = robot.home_q.copy()
    low, high = -infinite, infinite.copy()
    low[BASE:] = robot.model.lowerPositionLimit[1 + joints]
    high[BASE:] = robot.model.upperPositionLimit[1 + joints]
    limits = IkLimits(low=low, high=high, speed=speed)
    ik = DifferentialIk(robot.model, active, limits, WEIGHTS, q)
    target = left_task(robot, pin.SE3(np.eye(3), np.array([3.0, 0.3, 1.0])))
    for _ in range(200):
        step = ik.step(q, [target], DT_S)
        assert step.status is IkStatus.SOLVED
        assert (np.abs(step.v[active]) <= speed + 1e-9).all()
        idle = np.setdiff1d(np.arange(robot.model.nv), active)
        assert not step.v[idle].any()
        q = step.q
        assert (q[1 + joints] >= low[BASE:] - 1e-9).all()
        assert (q[1 + joints] <= high[BASE:] + 1e-9).all()
    assert q[0] > 0.5


def test_arms_stay_within_their_own_limits_and_elbows_bent(
    robot: Robot, home_tips: dict
) -> None:
    rng, ik, arms = np.random.default_rng(0), ArmIk(robot, IkSettings()), 7
    low = robot.model.lowerPositionLimit[arms + robot.joints(*ARMS)]
    high = robot.model.upperPositionLimit[arms + robot.joints(*ARMS)]
    for _ in range(40):
        targets = {s: moved(t, rng.normal(0, 0.5, 3)) for s, t in home_tips.items()}
        for _ in range(10):
            step = ik.step(targets)
            assert step.status is IkStatus.SOLVED
            assert (step.q > low).all() and (step.q < high).all()
            assert (step.q[[3, 7]] <= -IkSettings().min_elbow_bend_rad + 1e-9).all()
            assert np.abs(step.v).max() <= IkSettings().max_speed_rad_per_s + 1e-9


def test_arms_do_not_meet_each_other_or_the_trunk(
    robot: Robot, home_tips: dict
) -> None:
    settings = IkSettings()
    shapes = ArmCollisions(robot, settings.collision)
    rng, ik = np.random.default_rng(1), ArmIk(robot, settings)
    q = robot.home_q.copy()
    nearest = np.inf
    for _ in range(40):
        inward = {"left": [0, -0.5, 0], "right": [0, 0.5, 0]}
        targets = {
            side: moved(home_tips[side], inward[side] + rng.normal(0, 0.15, 3))
            for side in SIDES
        }
        for _ in range(15):
            q[7 + robot.joints(*ARMS)] = ik.step(targets).q
            nearest = min(nearest, shapes.distance_m(q))
    assert 0.0 < nearest
    assert nearest == pytest.approx(settings.collision.margin_m, abs=0.015)


def test_without_the_collision_rows_they_would_meet(
    robot: Robot, home_tips: dict
) -> None:
    """So that the test above can fail."""
    ik = ArmIk(robot, IkSettings(collision=CollisionSettings(enabled=False)))
    inward = {"left": [0, -0.4, 0], "right": [0, 0.4, 0]}
    for _ in range(60):
        step = ik.step({s: moved(home_tips[s], inward[s]) for s in SIDES})
    q = robot.home_q.copy()
    q[7 + robot.joints(*ARMS)] = step.q
    assert ArmCollisions(robot, CollisionSettings()).distance_m(q) < 0.0


def test_collision_rows_are_the_derivative_of_the_distance(robot: Robot) -> None:
    settings = CollisionSettings(range_m=10.0, margin_m=0.0)
    shapes, rng = ArmCollisions(robot, settings), np.random.default_rng(2)
    active = BASE + robot.joints(*ARMS)
    for _ in range(10):
        q = robot.home_q.copy()
        q[7 + robot.joints(*ARMS)] += rng.normal(0, 0.2, len(active))
        rows = shapes.inequalities(q, active)
        step = 1e-6 * rng.standard_normal(len(active))
        full = np.zeros(robot.model.nv)
        full[active] = step
        after = shapes.inequalities(pin.integrate(robot.model, q, full), active)
        apart = rows.upper > 0.0
        closer = 2.0 * (rows.upper - after.upper)
        predicted = rows.matrix @ step
        np.testing.assert_allclose(predicted[apart], closer[apart], atol=1e-9)
        assert apart.sum() >= 3


def test_inequalities_are_kept(robot: Robot) -> None:
    ik, index = arm_ik(robot, low=-2.0, high=0.0)
    only_up = Inequalities(matrix=np.array([[-1.0]]), upper=np.array([0.0]))
    away = pin.SE3(np.eye(3), np.array([0.1, 0.3, 1.3]))
    free = ik.step(robot.home_q, [left_task(robot, away)], DT_S)
    kept = ik.step(robot.home_q, [left_task(robot, away)], DT_S, inequalities=only_up)
    assert free.q[index] < robot.home_q[index] - 1e-3
    assert kept.q[index] >= robot.home_q[index] - 1e-6


def test_one_step_is_that_of_pink(robot: Robot) -> None:
    """The same program by an independent implementation."""
    pink = pytest.importorskip("pink")
    from pink.limits import ConfigurationLimit, VelocityLimit
    from pink.tasks import FrameTask as PinkFrameTask

    model = pin.buildReducedModel(
        robot.model,
        [
            i
            for i in range(2, robot.model.njoints)
            if robot.model.names[i] not in robot.settings.groups.left_arm
        ],
        robot.home_q,
    )
    base = pin.JointModelFreeFlyer().nv
    assert model.nv == base + 4
    fixed = pin.buildReducedModel(model, [1], pin.neutral(model))
    tip = robot.arms["left"].tip_frame
    q = fixed.lowerPositionLimit * 0.3 + fixed.upperPositionLimit * 0.2
    data = fixed.createData()
    configuration = pink.Configuration(fixed, data, q)
    target = configuration.get_transform_frame_to_world(tip)
    target = target * pin.SE3(pin.exp3(np.array([0.0, 0.0, 1e-9])), np.zeros(3))
    target.translation = target.translation + [0.004, -0.003, 0.002]
    task = PinkFrameTask(
        tip, position_cost=1.0, orientation_cost=0.0, gain=0.5, lm_damping=1.0
    )
    task.set_target(target)
    limits = [ConfigurationLimit(fixed), VelocityLimit(fixed)]
    velocity = pink.solve_ik(
        configuration, [task], DT_S, solver="daqp", damping=2e-6, limits=limits
    )
    own = DifferentialIk(
        fixed,
        range(4),
        IkLimits(
            low=fixed.lowerPositionLimit,
            high=fixed.upperPositionLimit,
            speed=fixed.upperVelocityLimit,
        ),
        WEIGHTS,
        q,
    )
    step = own.step(q, [FrameTask(frame=fixed.getFrameId(tip), target=target)], DT_S)
    np.testing.assert_allclose(step.v, velocity, rtol=0.02, atol=2e-3)
