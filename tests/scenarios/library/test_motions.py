"""References of the scenarios: smooth, within reach, of every quantity of Table II."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from scenarios.library.catalogue import find_scenario, scenario_names
from scenarios.library.motions.gestures import HOME, Move, Pose, record_moves
from scenarios.library.squat_pickup import RISE_AT_S, WASH_AT_S, squat
from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack
from wbmpc.errors import UnknownNameError
from wbmpc.reference import UPPER_BODY, home_reference
from wbmpc.robot import Robot

MAX_RATE_RAD_PER_S = 4.0


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture(scope="module", params=scenario_names())
def track(request: pytest.FixtureRequest, robot: Robot) -> ReferenceTrack:
    scenario = find_scenario(request.param)
    return scenario.motion(robot, scenario.defaults.duration_s)


def test_starts_at_home_without_a_jump(robot: Robot, track: ReferenceTrack) -> None:
    first, home = track.at(0.0), home_reference(robot)
    np.testing.assert_allclose(first.q_upper, home.q_upper)
    np.testing.assert_allclose(first.com_m, home.com_m)
    rotation = home.rotation_pelvis_to_midfoot
    np.testing.assert_allclose(first.rotation_pelvis_to_midfoot, rotation)
    assert np.abs(np.diff(track.q_upper, axis=0)).max(initial=0.0) < (
        MAX_RATE_RAD_PER_S / STREAM_RATE_HZ
    )


def test_stays_within_the_joint_limits(robot: Robot, track: ReferenceTrack) -> None:
    joints = 7 + robot.joints(*UPPER_BODY)
    low = robot.model.lowerPositionLimit[joints]
    high = robot.model.upperPositionLimit[joints]
    assert (track.q_upper >= low - 1e-9).all()
    assert (track.q_upper <= high + 1e-9).all()


def test_velocities_belong_to_the_angles(track: ReferenceTrack) -> None:
    if len(track.q_upper) > 1:
        expected = np.gradient(track.q_upper, 1.0 / STREAM_RATE_HZ, axis=0)
        np.testing.assert_allclose(track.v_upper, expected, atol=1e-9)


@pytest.mark.parametrize("duration_s", [0.5, 2.0, 14.0])
def test_short_runs_have_references_too(robot: Robot, duration_s: float) -> None:
    for name in scenario_names():
        track = find_scenario(name).motion(robot, duration_s)
        assert track.at(duration_s).is_finite()


def test_arms_reach_forward_level_and_apart(robot: Robot) -> None:
    track = find_scenario("balance").motion(robot, 4.0)
    q = robot.home_q.copy()
    q[7 + robot.joints(*UPPER_BODY)] = track.at(4.0).q_upper
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    tips = [
        data.oMf[robot.frame_id(a.tip_frame)].translation for a in robot.arms.values()
    ]
    elbows = [
        data.oMi[robot.link_joint(a.link)].translation for a in robot.arms.values()
    ]
    for tip, elbow in zip(tips, elbows, strict=True):
        assert tip[2] == pytest.approx(elbow[2], abs=0.01)
        assert tip[0] > 0.6
    assert tips[0][1] - tips[1][1] > 0.4


def test_squat_asks_for_height_pitch_yaw_and_arms(robot: Robot) -> None:
    track = find_scenario("squat_pickup").motion(robot, 26.0)
    home, low = home_reference(robot), track.at(RISE_AT_S - 0.1)
    assert home.com_m[2] - low.com_m[2] == pytest.approx(squat(robot).com_lower_m)
    pitch = pin.log3(home.rotation_pelvis_to_midfoot.T @ low.rotation_pelvis_to_midfoot)
    np.testing.assert_allclose(
        pitch, [0.0, squat(robot).pelvis_pitch_rad, 0.0], atol=1e-9
    )
    assert low.q_upper[0] == pytest.approx(squat(robot).joints["SPINE_Z"])


def test_washing_after_the_squat_starts_at_home_and_moves(robot: Robot) -> None:
    track, home = (
        find_scenario("squat_pickup").motion(robot, 26.0),
        home_reference(robot),
    )
    start = track.at(WASH_AT_S)
    np.testing.assert_allclose(start.q_upper, home.q_upper, atol=1e-3)
    np.testing.assert_allclose(start.com_m, home.com_m, atol=1e-4)
    later = track.q_upper[round((WASH_AT_S + 3.0) * STREAM_RATE_HZ) :]
    assert np.ptp(later, axis=0).max() > 0.3


def test_moves_follow_one_another(robot: Robot) -> None:
    there = Pose(com_lower_m=0.1, pelvis_pitch_rad=0.2)
    moves = [Move(at_s=0.5, over_s=1.0, to=there), Move(at_s=1.0, over_s=1.0, to=HOME)]
    track = record_moves(robot, 3.0, moves)
    assert track.pelvis_pitch_rad is not None
    assert track.pelvis_pitch_rad.max() < 0.2
    assert track.pelvis_pitch_rad[-1] == pytest.approx(0.0, abs=1e-12)


def test_unknown_joint_is_refused(robot: Robot) -> None:
    pose = Pose(joints={"LEFT_KNEE_Y": 1.0})
    with pytest.raises(UnknownNameError, match="LEFT_KNEE_Y"):
        record_moves(robot, 1.0, [Move(at_s=0.0, over_s=1.0, to=pose)])


def test_track_without_height_and_pitch_keeps_the_standing_ones(robot: Robot) -> None:
    home = home_reference(robot)
    track = ReferenceTrack(
        standing=home, q_upper=home.q_upper[None], v_upper=home.v_upper[None]
    )
    assert track.at(1.0).com_m is home.com_m
