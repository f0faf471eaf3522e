"""The recorded washing motion and how it is played back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from stick import Stick, proposed

from scenarios.library.motions.inverse_kinematics import solve_arms
from scenarios.library.motions.washing import WashingMotion, record_washing
from teleop import STREAM_RATE_HZ
from wbmpc.errors import RobotError
from wbmpc.reference import UPPER_BODY
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def tips(robot: Robot, q_upper: np.ndarray) -> np.ndarray:
    q = robot.home_q.copy()
    q[7 + robot.joints(*UPPER_BODY)] = q_upper
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    frames = [robot.frame_id(arm.tip_frame) for arm in robot.arms.values()]
    return np.array([data.oMf[frame].translation for frame in frames])


def test_tips_sweep_a_frontal_plane(robot: Robot) -> None:
    motion = WashingMotion()
    track = record_washing(robot, 8.0)
    washing = track.q_upper[int(STREAM_RATE_HZ * motion.approach_s) :]
    paths = np.array([tips(robot, q) for q in washing])
    spans = np.ptp(paths, axis=0)
    np.testing.assert_allclose(spans[:, 0], 0.0, atol=1e-3)
    np.testing.assert_allclose(spans[:, 1], 2 * motion.half_width_m, rtol=0.02)
    np.testing.assert_allclose(spans[:, 2], 2 * motion.half_height_m, rtol=0.02)


def test_arms_mirror_each_other(robot: Robot) -> None:
    track = record_washing(robot, 4.0)
    for q in track.q_upper[::20]:
        left, right = tips(robot, q)
        np.testing.assert_allclose(left * [1, -1, 1], right, atol=5e-4)


def test_it_starts_at_home_without_a_jump(robot: Robot) -> None:
    track = record_washing(robot, 4.0)
    np.testing.assert_allclose(
        track.q_upper[0], robot.home_q[7 + robot.joints(*UPPER_BODY)]
    )
    assert np.abs(np.diff(track.q_upper, axis=0)).max() < 0.1
    assert np.abs(track.v_upper).max() < 3.0


def test_angles_stay_within_the_joint_limits(robot: Robot) -> None:
    track = record_washing(robot, 4.0)
    joints = 7 + robot.joints(*UPPER_BODY)
    assert (track.q_upper >= robot.model.lowerPositionLimit[joints]).all()
    assert (track.q_upper <= robot.model.upperPositionLimit[joints]).all()


def test_playback_holds_the_last_sample_and_never_looks_ahead(robot: Robot) -> None:
    track = record_washing(robot, 1.0)
    np.testing.assert_array_equal(track.at(0.039).q_upper, track.q_upper[1])
    np.testing.assert_array_equal(track.at(0.040).q_upper, track.q_upper[2])
    np.testing.assert_array_equal(track.at(99.0).q_upper, track.q_upper[-1])


def test_velocities_are_those_of_the_angles(robot: Robot) -> None:
    track = record_washing(robot, 4.0)
    moved = np.cumsum(track.v_upper, axis=0)[-2] / STREAM_RATE_HZ
    np.testing.assert_allclose(moved, track.q_upper[-1] - track.q_upper[0], atol=0.02)


def test_a_target_out_of_reach_is_refused(robot: Robot) -> None:
    with pytest.raises(RobotError, match="left tip cannot reach"):
        solve_arms(robot, {"left": np.array([2.0, 0.0, 1.0])}, robot.home_q)


def test_a_path_along_joint_limits_is_reached(tmp_path: Path) -> None:
    """Shoulders that hardly spread: clipped steps alone end short of the path."""
    narrow = Stick(
        replace=(
            ('lower="-0.4" upper="2.0"', 'lower="-0.4" upper="0.3"'),
            ('lower="-2.0" upper="0.4"', 'lower="-0.3" upper="0.4"'),
        )
    )
    robot = Robot(proposed(narrow, tmp_path).settings)
    track = record_washing(robot, 6.0)
    columns = 7 + robot.joints(*UPPER_BODY)
    high = robot.model.upperPositionLimit[columns]
    assert (track.q_upper <= high).all()
    assert (track.q_upper >= robot.model.lowerPositionLimit[columns]).all()
    shoulder = list(robot.joints(*UPPER_BODY)).index(
        robot.controlled_joints.index("l_sho_x")
    )
    assert (track.q_upper[:, shoulder] == high[shoulder]).any()
    data, q = robot.model.createData(), robot.home_q.copy()
    height = []
    for row in track.q_upper[-100:]:
        q[columns] = row
        pin.framesForwardKinematics(robot.model, data, q)
        height.append(data.oMf[robot.frame_id("left_tip")].translation[0])
    assert np.ptp(height) < 3e-4  # a frontal plane
