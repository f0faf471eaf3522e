"""Frames a URDF lacks, locked and welded joints, robots of installed packages."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from models.errors import UnknownNameError
from models.installed import (
    installed_robot_names,
    installed_rotor_inertia_kgm2,
    installed_urdf,
    name_of_installed,
)
from models.settings import FrameSettings, JointGains
from wbmpc.control.low_level import LowLevelController
from wbmpc.errors import SettingError
from wbmpc.plant.gate import check_models
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot
from wbmpc.settings import RobotSettings, load_settings

replace = msgspec.structs.replace
ELBOWS = ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y")
NECK = ("NECK_Z", "NECK_Y")


@pytest.fixture(scope="module")
def settings() -> RobotSettings:
    return load_settings("alexander")


def regrouped(settings: RobotSettings, **groups: tuple[str, ...]) -> RobotSettings:
    return replace(settings, groups=replace(settings.groups, **groups))


def without_elbows(settings: RobotSettings, **groups: tuple[str, ...]) -> RobotSettings:
    """The upper arms carry the load, the elbows go to another group."""
    arms = {
        f"{side}_arm": getattr(settings.groups, f"{side}_arm")[:-1]
        for side in ("left", "right")
    }
    changed = regrouped(settings, **arms, **groups)
    links = {
        side: replace(getattr(settings, side), link=f"{side.upper()}_SHOULDER_Z_LINK")
        for side in ("left", "right")
    }
    return replace(changed, **links)


def test_a_frame_the_urdf_lacks_is_where_the_settings_say(
    settings: RobotSettings,
) -> None:
    frame = FrameSettings(
        parent="LEFT_ELBOW_PITCH_LINK",
        position_m=(0.1, 0.2, 0.3),
        rpy_rad=(0.0, 0.0, np.pi / 2),
    )
    robot = Robot(replace(settings, frames={"TOOL": frame}))
    for model in (robot.model, robot.full_model):
        tool = model.frames[model.getFrameId("TOOL")]
        link = model.frames[model.getFrameId("LEFT_ELBOW_PITCH_LINK")]
        inside = link.placement.actInv(tool.placement)
        np.testing.assert_allclose(inside.translation, [0.1, 0.2, 0.3])
        np.testing.assert_allclose(inside.rotation @ [1, 0, 0], [0, 1, 0], atol=1e-12)
    plain = pin.computeTotalMass(Robot(settings).full_model)
    assert pin.computeTotalMass(robot.full_model) == plain


def test_frames_that_cannot_be_added_are_refused(settings: RobotSettings) -> None:
    lost = FrameSettings(parent="LEFT_HAND", position_m=(0.0, 0.0, 0.0))
    with pytest.raises(UnknownNameError, match="unknown link 'LEFT_HAND'"):
        Robot(replace(settings, frames={"TOOL": lost}))
    twice = replace(lost, parent="PELVIS_LINK")
    with pytest.raises(SettingError, match="frames.LEFT_SOLE: the URDF has"):
        Robot(replace(settings, frames={"LEFT_SOLE": twice}))


def test_locked_joints_move_in_the_plant_only(settings: RobotSettings) -> None:
    robot = Robot(without_elbows(settings, locked=ELBOWS))
    assert set(robot.joint_names) - set(robot.controlled_joints) == {*ELBOWS, *NECK}
    link = robot.link_joint("LEFT_SHOULDER_Z_LINK")
    full = robot.full_model
    parts = [
        full.inertias[full.getJointId(n)].mass
        for n in ("LEFT_SHOULDER_Z", "LEFT_ELBOW_Y")
    ]
    assert robot.model.inertias[link].mass == pytest.approx(sum(parts))
    check_models(robot, MujocoPlant(robot), samples=3)


def test_welded_joints_are_no_joints(settings: RobotSettings) -> None:
    whole = Robot(settings)
    robot = Robot(regrouped(settings, neck=(), welded=NECK))
    assert len(robot.joint_names) == len(whole.joint_names) - len(NECK)
    assert pin.computeTotalMass(robot.full_model) == pytest.approx(
        pin.computeTotalMass(whole.full_model)
    )
    check_models(robot, MujocoPlant(robot), samples=3)
    with pytest.raises(UnknownNameError, match="unknown joint 'TAIL'"):
        Robot(regrouped(settings, welded=("TAIL",)))


def test_a_welded_joint_stays_at_its_home_angle(settings: RobotSettings) -> None:
    bent = replace(settings, home=settings.home | {"NECK_Y": 0.4})
    robots = Robot(bent), Robot(regrouped(bent, neck=(), welded=NECK))
    heads = []
    for robot in robots:
        data = robot.full_model.createData()
        pin.framesForwardKinematics(robot.full_model, data, robot.home_q_full)
        heads.append(data.oMf[robot.full_model.getFrameId("HEAD_LINK")].homogeneous)
    np.testing.assert_allclose(*heads, atol=1e-12)


def test_a_pose_of_an_unknown_joint_is_refused(settings: RobotSettings) -> None:
    with pytest.raises(UnknownNameError, match="LEFT_ELBOW_Z"):
        Robot(replace(settings, poses={"wave": {"LEFT_ELBOW_Z": 1.0}}))


def test_single_joints_have_their_own_gains(settings: RobotSettings) -> None:
    gains = {"LEFT_ELBOW_Y": JointGains(kp_Nm_per_rad=7.0, kd_Nms_per_rad=0.0)}
    low_level = replace(settings.low_level, joints=gains)
    robot = Robot(replace(settings, low_level=low_level))
    q, v = robot.home_q_full.copy(), np.zeros(robot.full_model.nv)
    q[7:] += 0.01
    torque = LowLevelController(robot).command(0.0, q, v).tau_Nm
    by_joint = dict(zip(robot.joint_names, torque, strict=True))
    assert by_joint["LEFT_ELBOW_Y"] == pytest.approx(-0.07)
    assert by_joint["RIGHT_ELBOW_Y"] == pytest.approx(
        -0.01 * settings.low_level.arms.kp_Nm_per_rad
    )


def test_installed_robots_are_found_by_name(settings: RobotSettings) -> None:
    assert {"g1", "talos", "romeo"} <= set(installed_robot_names())
    path = installed_urdf("example-robot-data:g1")
    assert path.is_file()
    named = load_settings("alexander", ['urdf="example-robot-data:g1"'])
    assert Path(named.urdf) == path
    assert Path(settings.urdf).is_file()
    with pytest.raises(UnknownNameError, match="example-robot-data:talos"):
        installed_urdf("example-robot-data:tallos")


def test_rotors_of_an_installed_robot_are_read_where_its_files_tell_them() -> None:
    rotors = installed_rotor_inertia_kgm2("example-robot-data:talos_full")
    assert rotors["arm_left_4_joint"] == pytest.approx(1e-5 * 100.0**2)
    assert installed_rotor_inertia_kgm2("example-robot-data:g1") == {}


def test_a_file_of_the_package_has_its_name_again() -> None:
    for name in ("g1", "talos_full", "romeo"):
        urdf = f"example-robot-data:{name}"
        assert name_of_installed(installed_urdf(urdf)) == urdf
    with pytest.raises(UnknownNameError, match=r"mine\.urdf"):
        name_of_installed(Path("mine.urdf"))
