"""Capsules cover the arms of every robot, wherever the joints of their wrists are."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from models import robot_names
from teleop.arm_collisions import ArmCollisions
from teleop.elbow import arm_joints, elbow_place
from teleop.settings import CollisionSettings
from wbmpc.conventions import BASE_NV
from wbmpc.robot import Robot

ELBOWS = {
    "alexander": ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y"),
    "g1": ("left_elbow_joint", "right_elbow_joint"),
    "talos": ("arm_left_4_joint", "arm_right_4_joint"),
}


@pytest.fixture(scope="module", params=robot_names())
def robot(request: pytest.FixtureRequest) -> Robot:
    return Robot.load(request.param)


def test_the_elbow_is_found(robot: Robot) -> None:
    found = [
        arm_joints(robot, side)[elbow_place(robot, side)] for side in ("left", "right")
    ]
    assert tuple(found) == ELBOWS[robot.settings.name]


def test_every_distance_and_row_is_a_number(robot: Robot) -> None:
    settings = CollisionSettings(range_m=10.0)
    shapes, rng = ArmCollisions(robot, settings), np.random.default_rng(0)
    active = np.arange(BASE_NV, robot.model.nv)
    for _ in range(5):
        q = robot.home_q.copy()
        q[7:] += rng.normal(0.0, 0.3, robot.model.nq - 7)
        rows = shapes.inequalities(q, active)
        assert len(rows.upper) >= 5
        assert np.isfinite(rows.matrix).all()
        assert np.isfinite(rows.upper).all()
        assert np.isfinite(shapes.distance_m(q))


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_arm_from_its_second_joint_to_the_tip_is_covered(
    robot: Robot, side: str
) -> None:
    """At most the ends of pieces that are shorter than a capsule is thick stick out."""
    settings = CollisionSettings()
    shapes = ArmCollisions(robot, settings)._shapes.geometryObjects
    model, data = robot.model, robot.model.createData()
    pin.framesForwardKinematics(model, data, robot.home_q)
    joints = [model.getJointId(name) for name in arm_joints(robot, side)][1:]
    tip = data.oMf[robot.frame_id(robot.arms[side].tip_frame)].translation
    points = [*(data.oMi[joint].translation for joint in joints), tip]
    for start, end in zip(points, points[1:], strict=False):
        for share in np.linspace(0.0, 1.0, 11):
            point = start + share * (end - start)
            away = [
                distance_to_axis(data.oMi[s.parentJoint] * s.placement, s, point)
                for s in shapes
                if s.name.startswith(side)
            ]
            assert min(away) < settings.upper_arm_radius_m


def distance_to_axis(placement: pin.SE3, shape: pin.GeometryObject, point) -> float:
    local = placement.actInv(point)
    half = shape.geometry.halfLength
    return float(np.linalg.norm(local - [0.0, 0.0, np.clip(local[2], -half, half)]))


def test_a_tip_at_its_joint_has_a_ball(robot: Robot) -> None:
    frame = robot.frame_id(robot.arms["left"].tip_frame)
    model = robot.model
    before = model.frames[frame].placement.copy()
    try:
        model.frames[frame].placement = pin.SE3.Identity()
        assert np.isfinite(
            ArmCollisions(robot, CollisionSettings()).distance_m(robot.home_q)
        )
    finally:
        model.frames[frame].placement = before
