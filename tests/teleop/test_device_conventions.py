"""Axes, quaternions and faults of device poses."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from teleop.conventions import (
    ROTATION_WEBXR_TO_ROBOT,
    PoseFault,
    hand_sample,
    heading,
    read_pose,
    robot_from_webxr,
    webxr_from_robot,
)
from teleop.messages import Hand, Pose

UNIT = (0.0, 0.0, 0.0, 1.0)


def test_unit_vectors_map_exactly_and_handedness_is_kept() -> None:
    forward, up, right = [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]
    change = ROTATION_WEBXR_TO_ROBOT
    np.testing.assert_array_equal(change @ forward, [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(change @ up, [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(change @ right, [0.0, -1.0, 0.0])
    assert np.linalg.det(change) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("axis_webxr", "axis_robot"),
    [
        ([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
        ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        ([0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]),
    ],
)
def test_rotations_keep_their_sense(
    axis_webxr: list[float], axis_robot: list[float]
) -> None:
    turn = pin.exp3(np.radians(30.0) * np.array(axis_webxr))
    pose = robot_from_webxr(np.zeros(3), pin.Quaternion(turn).coeffs())
    expected = pin.exp3(np.radians(30.0) * np.array(axis_robot))
    np.testing.assert_allclose(pose.rotation, expected, atol=1e-12)


def test_there_and_back_again() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        pose = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))
        back = robot_from_webxr(*webxr_from_robot(pose))
        np.testing.assert_allclose(back.homogeneous, pose.homogeneous, atol=1e-12)


def test_stick_forward_is_positive_here() -> None:
    hand = Hand(grip=Pose(p=(0.0, 1.0, 0.0), q=UNIT), axes=(0.5, -1.0), squeeze=2.0)
    sample = hand_sample(hand, 3.0)
    assert (sample.stick_right, sample.stick_forward) == (0.5, 1.0)
    assert (sample.stamp_s, sample.squeeze) == (3.0, 1.0)


@pytest.mark.parametrize("missing", [None, float("nan"), float("inf")])
def test_buttons_without_a_number_are_at_rest(missing: float | None) -> None:
    grip = Pose(p=(0.0, 1.0, 0.0), q=UNIT)
    sample = hand_sample(Hand(grip=grip, axes=(missing, missing)), 0.0)
    assert (sample.stick_right, sample.stick_forward) == (0.0, 0.0)
    assert sample.pose is not None


@pytest.mark.parametrize(
    ("pose", "fault"),
    [
        (Pose(p=(0.0, 1.0, 0.0), q=UNIT, valid=False), PoseFault.NOT_TRACKED),
        (Pose(p=(None, 1.0, 0.0), q=UNIT), PoseFault.NOT_FINITE),
        (Pose(p=(0.0, 1.0, 0.0), q=(0, 0, float("inf"), 1)), PoseFault.NOT_FINITE),
        (Pose(p=(0.0, 1.0, 0.0), q=(0, 0, 0, 0)), PoseFault.NOT_RIGID),
        (Pose(p=(0.0, 1.0, 0.0), q=(0, 0, 0, 1.002)), PoseFault.NOT_RIGID),
        (Pose(p=(0.0, 0.0, 0.0), q=UNIT), PoseFault.PLACEHOLDER),
    ],
)
def test_unusable_poses_have_a_name(pose: Pose, fault: PoseFault) -> None:
    assert read_pose(pose)[:2] == (None, fault)


@pytest.mark.parametrize(("norm", "counted"), [(1.0 + 1e-7, False), (1.0005, True)])
def test_a_norm_a_little_off_is_set_right_and_counted(
    norm: float, counted: bool
) -> None:
    pose, fault, renormalised = read_pose(Pose(p=(0.0, 1.0, 0.0), q=(0, 0, 0, norm)))
    assert fault is None and renormalised is counted
    np.testing.assert_allclose(pose.rotation, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("yaw_rad", [-2.5, -0.3, 0.0, 1.0, 3.1])
@pytest.mark.parametrize("pitch_rad", [-1.4, 0.0, 1.4])
def test_heading_is_that_of_a_head_that_nods(yaw_rad: float, pitch_rad: float) -> None:
    turn = pin.rpy.rpyToMatrix(0.0, pitch_rad, yaw_rad)
    expected = pin.rpy.rpyToMatrix(0.0, 0.0, yaw_rad)
    np.testing.assert_allclose(heading(pin.SE3(turn, np.zeros(3))), expected, atol=1e-9)


def test_a_head_on_its_side_has_no_heading() -> None:
    side = pin.rpy.rpyToMatrix(np.pi / 2, 0.0, 0.7)
    np.testing.assert_array_equal(heading(pin.SE3(side, np.zeros(3))), np.eye(3))
