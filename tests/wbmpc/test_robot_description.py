"""Joint order, groups, frames; and both models are the same robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.errors import (
    DimensionError,
    RobotError,
    SettingError,
    UnknownNameError,
)
from wbmpc.reference import UPPER_BODY
from wbmpc.robot import Robot
from wbmpc.settings import load_settings


def test_neck_is_locked_out_of_the_controller(robot: Robot) -> None:
    neck = set(robot.settings.groups.neck)
    assert set(robot.joint_names) - set(robot.controlled_joints) == neck
    assert len(robot.joint_names) == 23
    assert len(robot.controlled_joints) == 21


def test_locking_the_neck_changes_no_physics(robot: Robot) -> None:
    """With a still neck, both models need the same torques for the same motion."""
    rng = np.random.default_rng(0)
    q_full = robot.home_q_full.copy()
    v_full, a_full = rng.normal(size=(2, robot.full_model.nv))
    neck = 6 + robot.joints_full("neck")
    v_full[neck] = a_full[neck] = 0.0
    full = pin.rnea(
        robot.full_model, robot.full_model.createData(), q_full, v_full, a_full
    )
    reduced = pin.rnea(
        robot.model,
        robot.model.createData(),
        robot.controlled_q(q_full),
        robot.controlled_v(v_full),
        robot.controlled_v(a_full),
    )
    np.testing.assert_allclose(robot.controlled_v(full), reduced, atol=1e-10)


def test_groups_cover_the_controlled_joints_once(robot: Robot) -> None:
    indices = robot.joints("left_leg", "right_leg", *UPPER_BODY)
    assert sorted(indices) == list(range(len(robot.controlled_joints)))


def test_torques_round_trip(robot: Robot) -> None:
    tau = np.arange(21.0)
    full = robot.full_tau(tau, np.full(23, -1.0))
    np.testing.assert_array_equal(robot.controlled_tau(full), tau)
    assert (full[robot.joints_full("neck")] == -1.0).all()


def test_home_stands_with_the_mass_over_the_feet(robot: Robot) -> None:
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, robot.home_q)
    np.testing.assert_allclose(com[:2], 0.0, atol=1e-4)
    assert com[2] == pytest.approx(0.795, abs=1e-3)
    pin.framesForwardKinematics(robot.model, data, robot.home_q)
    for sole in robot.soles:
        placement = data.oMf[robot.frame_id(sole.frame)]
        assert placement.translation[2] == pytest.approx(0.0, abs=1e-9)
        np.testing.assert_allclose(placement.rotation, np.eye(3), atol=1e-9)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ('groups.neck=["NECK_Z", "NECK_X"]', "joint"),
        ('left_sole.frame="LEFT_SOUL"', "frame"),
        ('left.tip_frame="TIP"', "frame"),
        ('root_link="PELVIS"', "frame"),
    ],
)
def test_names_that_do_not_exist_are_refused(key: str, kind: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown {kind}"):
        Robot(load_settings("alexander", [key]))


def test_a_joint_left_out_of_the_groups_is_named() -> None:
    with pytest.raises(SettingError, match="groups: .* not in any: NECK_Y"):
        Robot(load_settings("alexander", ['groups.neck=["NECK_Z"]']))


def test_unknown_group_and_frame(robot: Robot) -> None:
    with pytest.raises(UnknownNameError, match="unknown joint group 'tail'"):
        robot.joints("tail")
    with pytest.raises(UnknownNameError, match="LEFT_SOLE"):
        robot.frame_id("LEFT_SOLES")


@pytest.mark.parametrize("content", ["hello", "<robot", "<mujoco/>", ""])
def test_a_file_that_is_no_urdf_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RobotError, match="robot.urdf is not a usable URDF"):
        Robot(load_settings("alexander", [f'urdf="{path}"']))


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(RobotError, match=r"nowhere\.urdf does not exist"):
        Robot(load_settings("alexander", ['urdf="nowhere.urdf"']))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            ['right_sole.frame="LEFT_SOLE"'],
            "right_sole.frame is 'LEFT_SOLE': .*different",
        ),
        (['left.link="RIGHT_ELBOW_PITCH_LINK"'], "left.link is 'RIGHT_ELBOW"),
        (['left.link="PELVIS_LINK"'], "left.link is 'PELVIS_LINK': moves with"),
        (['left.link="HEAD_LINK"', 'left.tip_frame="HEAD_LINK"'], "left_arm"),
    ],
)
def test_arms_and_soles_that_do_not_fit_are_refused(
    keys: list[str], words: str
) -> None:
    with pytest.raises(SettingError, match=words):
        Robot(load_settings("alexander", keys))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('effort="80.0"', 'effort="0"', "effort limit 0: must be finite and > 0"),
        (
            'lower="0"',
            'lower="9"',
            r"lower 9, upper .*: the lower limit must be below the upper",
        ),
    ],
)
def test_limits_that_mean_nothing_are_refused(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = Path(load_settings("alexander").urdf).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "robot.urdf"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(RobotError, match=words):
        Robot(load_settings("alexander", [f'urdf="{path}"']))


@pytest.mark.parametrize(
    ("drop", "size", "words"),
    [
        ("controlled_q", 29, r"q_full has shape \(29,\), must be \(30,\)"),
        ("controlled_v", 30, r"v_full has shape \(30,\), must be \(29,\)"),
        ("controlled_tau", 29, r"tau_full_Nm has shape \(29,\), must be \(23,\)"),
    ],
)
def test_a_vector_of_another_length_is_named_with_both(
    robot: Robot, drop: str, size: int, words: str
) -> None:
    with pytest.raises(DimensionError, match=words):
        getattr(robot, drop)(np.zeros(size))


@pytest.mark.parametrize("angle", [-4.0, 1e12])
def test_home_is_within_the_limits(angle: float) -> None:
    told = r"home.LEFT_ANKLE_Y is .*: must be within"
    with pytest.raises(SettingError, match=told):
        Robot(load_settings("alexander", [f"home.LEFT_ANKLE_Y={angle}"]))
