"""Settings proposed from robot files: parts, soles, poses, scaling, text."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from models.errors import ProposalError
from models.installed import installed_urdf
from models.proposal import SHIPPED, Proposal, propose, settings_text
from models.proposal.mirror import named_side
from models.proposal.scaling import Scale, scaled
from models.proposal.solve import least_squares
from models.proposal.stance import TORQUE_SHARE
from wbmpc.reference import home_reference
from wbmpc.robot import Robot
from wbmpc.robot_model import load_any
from wbmpc.settings import RobotSettings, load_settings

INSTALLED = ("g1", "talos_full", "romeo")


def urdf_of(name: str) -> Path:
    if name == "alexander":
        return Path(load_settings(name).urdf)
    return installed_urdf(f"example-robot-data:{name}")


@cache
def proposal_of(name: str, wrists: bool = True) -> Proposal[RobotSettings]:
    return propose(*load_any(urdf_of(name)), load_settings(SHIPPED), wrists=wrists)


@pytest.fixture(scope="module")
def shipped() -> RobotSettings:
    return load_settings(SHIPPED)


def test_the_shipped_robot_is_proposed_as_it_was_tuned(shipped: RobotSettings) -> None:
    """What every other proposal is scaled from comes out again."""
    settings = proposal_of("alexander").settings
    assert settings.groups == shipped.groups
    assert settings.left.link == shipped.left.link
    for ours, theirs in ((settings.left_sole, shipped.left_sole),):
        assert ours.half_length_m == pytest.approx(theirs.half_length_m, abs=1e-3)
        assert ours.half_width_m == pytest.approx(theirs.half_width_m, abs=1e-3)
    for name, angle in shipped.home.items():
        assert settings.home[name] == pytest.approx(angle, abs=0.15), name
    theirs = msgspec.to_builtins(shipped.mpc.costs)
    for term, fields in msgspec.to_builtins(settings.mpc.costs).items():
        for field, value in fields.items():
            assert value == pytest.approx(theirs[term][field], rel=0.02), (term, field)


def test_the_shipped_robots_frames_are_found_again(shipped: RobotSettings) -> None:
    ours, theirs = Robot(proposal_of("alexander").settings), Robot(shipped)
    for found, known in (("left_sole", "LEFT_SOLE"), ("left_tip", "LEFT_FOREARM_TIP")):
        a = ours.model.frames[ours.frame_id(found)].placement
        b = theirs.model.frames[theirs.frame_id(known)].placement
        assert np.linalg.norm(a.translation - b.translation) < 0.015, found


@pytest.mark.parametrize("name", INSTALLED)
def test_the_proposed_home_stands(name: str) -> None:
    proposal = proposal_of(name)
    robot = Robot(proposal.settings)
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, robot.home_q)
    np.testing.assert_allclose(com[0], 0.0, atol=2e-3)
    assert abs(com[1]) < 0.02
    pin.framesForwardKinematics(robot.model, data, robot.home_q)
    for sole in robot.soles:
        placement = data.oMf[robot.frame_id(sole.frame)]
        assert placement.translation[2] == pytest.approx(0.0, abs=2e-3)
        np.testing.assert_allclose(placement.rotation, np.eye(3), atol=5e-3)
    low, high = robot.model.lowerPositionLimit, robot.model.upperPositionLimit
    assert (robot.home_q[7:] >= low[7:]).all()
    assert (robot.home_q[7:] <= high[7:]).all()
    assert proposal.stance.torque_share <= TORQUE_SHARE
    assert home_reference(robot).com_m[2] == pytest.approx(
        proposal.stance.com_height_m, abs=3e-3
    )


@pytest.mark.parametrize("name", INSTALLED)
def test_hands_are_in_front_and_mirror_each_other(name: str) -> None:
    robot = Robot(proposal_of(name).settings)
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.home_q)
    left, right = (
        data.oMf[robot.frame_id(arm.tip_frame)].translation
        for arm in robot.arms.values()
    )
    assert left[0] > 0.15
    np.testing.assert_allclose(left * [1, -1, 1], right, atol=0.02)


def test_parts_of_a_robot_with_hands() -> None:
    groups = proposal_of("romeo", wrists=False).settings.groups
    assert groups.left_arm[-1] == "LElbowYaw"
    assert groups.locked[:3] == ("LWristRoll", "LWristYaw", "LWristPitch")
    assert groups.neck == ("NeckYaw", "NeckPitch", "HeadPitch", "HeadRoll")
    assert len(groups.welded) == 24
    assert all("Finger" in n or "Thumb" in n or "Hand" in n for n in groups.welded)


def test_wrists_move_with_the_arms_unless_they_are_locked() -> None:
    settings = proposal_of("g1").settings
    assert settings.groups.left_arm[-1] == "left_wrist_yaw_joint"
    assert settings.groups.locked == ()
    assert settings.left.link == "left_wrist_yaw_link"
    assert len(Robot(settings).controlled_joints) == 29
    locked = proposal_of("g1", wrists=False).settings
    assert locked.left.link == "left_elbow_link"
    assert len(Robot(locked).controlled_joints) == 23


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("go1", "has 3 joints, must have 6"),
        ("panda", "two legs"),
        ("alexander", "two arms"),
        ("icub", "must face along x"),
        ("simple_humanoid", "has no readable shape"),
    ],
)
def test_robots_it_cannot_propose_for_are_told_why(name: str, words: str) -> None:
    path = installed_urdf(f"example-robot-data:{name}")
    with pytest.raises(ProposalError, match=words):
        propose(*load_any(path), load_settings(SHIPPED))


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("left_hip_yaw", "left"),
        ("LHipYaw", "left"),
        ("arm_right_3_joint", "right"),
        ("r_knee", "right"),
        ("LLEG_KNEE", "left"),
        ("RARM_ELBOW", "right"),
        ("torso", None),
        ("Lift", None),
        ("left_right_lever", None),
    ],
)
def test_names_tell_sides(name: str, side: str | None) -> None:
    assert named_side(name) == side


@pytest.mark.parametrize("name", ["romeo", "g1"])
def test_the_text_is_the_settings(name: str, tmp_path: Path) -> None:
    proposal = proposal_of(name)
    urdf = f"example-robot-data:{name}"
    path = tmp_path / "settings.toml"
    path.write_text(settings_text(proposal, urdf, "it"), encoding="utf-8")
    read = load_settings(str(path))
    assert read == msgspec.structs.replace(
        proposal.settings, name="it", urdf=str(installed_urdf(urdf))
    )


def test_every_field_says_its_unit_or_reason() -> None:
    """A comment on its line, the line before, or at the head of its table."""
    text = settings_text(proposal_of("g1"), "g1.urdf", "g1")
    told, bare = False, []
    for line in text.splitlines():
        if not line or line.startswith("["):
            told = told and line.startswith("[")
        elif line.startswith("#"):
            told = True
        elif not (told or "#" in line):
            bare.append(line)
    assert not bare
    assert max(map(len, (n for n in text.splitlines() if n.startswith("#")))) <= 88
    assert tomllib.loads(text)["name"] == "g1"


def test_scaling_by_one_changes_nothing(shipped: RobotSettings) -> None:
    one = Scale(length=1.0, mass=1.0)
    assert scaled(shipped, one) == shipped


def test_scaling_follows_the_dimensions(shipped: RobotSettings) -> None:
    """Costs of similar motions are equal: weight times residual squared."""
    scale = Scale(length=0.25, mass=8.0)
    before, after = shipped.mpc.costs, scaled(shipped, scale).mpc.costs
    residuals = {
        "upper_body_tracking": 1.0 / scale.length,
        "center_of_mass": 1.0,
        "pelvis_orientation": 1.0 / scale.length,
        "angular_momentum": scale.mass * scale.length,
        "torque": scale.mass * scale.length,
        "wrench": scale.mass,
        "center_of_pressure": scale.mass * scale.length,
        "wrench_cone": scale.mass,
    }
    for term, ratio in residuals.items():
        weights = [getattr(costs, term).weight for costs in (before, after)]
        assert weights[1] * ratio**2 == pytest.approx(weights[0], rel=5e-3), term
    # e'' + kd e' + kp e keeps its terms' ratios when times go with sqrt(length).
    assert after.pelvis_orientation.kp[0] == before.pelvis_orientation.kp[0] * 4.0
    assert after.pelvis_orientation.kd[0] == before.pelvis_orientation.kd[0] * 2.0
    legs = scaled(shipped, scale).low_level.legs
    assert legs.kp_Nm_per_rad == shipped.low_level.legs.kp_Nm_per_rad * 2.0
    assert legs.kd_Nms_per_rad == shipped.low_level.legs.kd_Nms_per_rad


def test_light_joints_get_gains_a_millisecond_can_damp() -> None:
    proposal = proposal_of("romeo", wrists=False)
    settings, robot = proposal.settings, Robot(proposal.settings)
    mass = pin.crba(robot.full_model, robot.full_model.createData(), robot.home_q_full)
    upper = (*settings.groups.left_arm, *settings.groups.locked, *settings.groups.neck)
    group = settings.low_level
    for name in upper:
        shared = group.arms if name in settings.groups.left_arm else group.locked
        gains = group.joints.get(name, shared)
        row = 6 + robot.joint_names.index(name)
        # 1e-3 s, and some slack for rounding.
        assert gains.kd_Nms_per_rad * 1e-3 < 0.4 * mass[row, row], name


def test_least_squares_finds_minima_inside_and_on_bounds() -> None:
    def rosenbrock(x: np.ndarray) -> np.ndarray:
        return np.array([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])

    wide = np.full(2, 3.0)
    x, value = least_squares(rosenbrock, np.array([-1.2, 1.0]), -wide, wide)
    np.testing.assert_allclose(x, [1.0, 1.0], atol=1e-4)
    assert value < 1e-8
    # With x <= 0.5 the minimum is on that bound, at y = x^2.
    bound = np.array([0.5, 3.0])
    x, value = least_squares(rosenbrock, np.array([-1.2, 1.0]), -wide, bound)
    np.testing.assert_allclose(x, [0.5, 0.25], atol=1e-4)
    assert value == pytest.approx(0.25, rel=1e-4)


def test_a_variable_without_room_stays() -> None:
    at = np.array([0.5, -3.0])
    x, _ = least_squares(lambda x: x, np.zeros(2), at, np.array([0.5, 3.0]))
    np.testing.assert_allclose(x, [0.5, 0.0], atol=1e-6)


def test_a_leg_without_a_torque_limit_is_refused(tmp_path: Path) -> None:
    text = urdf_of("alexander").read_text(encoding="utf-8")
    limit = 'effort="200"'
    assert limit in text
    path = tmp_path / "weak.urdf"
    path.write_text(text.replace(limit, 'effort="0"'), encoding="utf-8")
    with pytest.raises(ProposalError, match="effort limit 0: must be finite and > 0"):
        propose(*load_any(path), load_settings(SHIPPED))
