"""Robot files that somebody drew otherwise, or with a mistake in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from stick import BOX, SOLE, Stick, proposed

from models.errors import ModelsError
from models.proposal import SHIPPED, Proposal, pelvis_link, propose
from wbmpc.robot import Robot
from wbmpc.robot_model import load_any
from wbmpc.robot_shapes import load_visuals
from wbmpc.settings import RobotSettings, load_settings


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Proposal[RobotSettings]:
    return proposed(Stick(), tmp_path_factory.mktemp("plain"))


def differences(ours: RobotSettings, theirs: RobotSettings) -> dict[str, Any]:
    """What is not the same, besides the file."""
    a, b = (msgspec.to_builtins(settings) for settings in (ours, theirs))
    return {key: (a[key], b[key]) for key in a if key != "urdf" and a[key] != b[key]}


@pytest.mark.parametrize("shoulder_y_m", [0.0, -0.06, 0.02, 0.5])
def test_where_along_its_axis_a_shoulder_is_drawn_does_not_matter(
    shoulder_y_m: float, sound: Proposal[RobotSettings], tmp_path: Path
) -> None:
    ours = proposed(Stick(shoulder_y_m=shoulder_y_m), tmp_path)
    assert ours.settings.groups == sound.settings.groups
    assert ours.arm_m == pytest.approx(sound.arm_m, abs=1e-9)
    for pose in ("home", *sound.settings.poses):
        mine, other = (
            s.home if pose == "home" else s.poses[pose]
            for s in (ours.settings, sound.settings)
        )
        assert mine == pytest.approx(other, abs=2e-4), pose


@pytest.mark.parametrize("hip_x_m", [-0.1, 0.12])
def test_nor_does_it_of_a_hip(
    hip_x_m: float, sound: Proposal[RobotSettings], tmp_path: Path
) -> None:
    ours = proposed(Stick(hip_x_m=hip_x_m), tmp_path).settings
    assert ours.groups == sound.settings.groups
    assert ours.home == pytest.approx(sound.settings.home, abs=2e-4)


def test_a_robot_rooted_at_its_torso_floats_at_its_pelvis(
    sound: Proposal[RobotSettings], tmp_path: Path
) -> None:
    ours = proposed(Stick(root="torso"), tmp_path)
    assert ours.settings.root_link == "pelvis"
    different = differences(ours.settings, sound.settings)
    # The waist turns the other way round.
    assert set(different) <= {"poses", "home"}
    robots = [Robot(p.settings) for p in (ours, sound)]
    assert robots[0].controlled_joints == robots[1].controlled_joints
    for turn in (0.0, 0.3):
        masses = []
        for robot, sign in zip(robots, (-1.0, 1.0), strict=True):
            q = robot.home_q.copy()
            waist = 7 + robot.controlled_joints.index("waist")
            q[waist] = sign * (turn + 0.1)
            data = robot.model.createData()
            mass = np.array(pin.crba(robot.model, data, q))
            mass[:, waist - 1] *= sign
            mass[waist - 1] *= sign
            masses.append(np.triu(mass))
        np.testing.assert_allclose(masses[0], masses[1], atol=1e-5)


def test_shapes_are_on_their_links_whatever_the_root(tmp_path: Path) -> None:
    foot = f"<visual>{SOLE}{BOX}</visual>"
    places = []
    for root in ("pelvis", "torso"):
        robot = Robot(proposed(Stick(root=root, foot=foot), tmp_path).settings)
        data = robot.full_model.createData()
        shapes = load_visuals(robot)
        pin.forwardKinematics(robot.full_model, data, robot.home_q_full)
        pelvis = data.oMi[1]
        places.append(
            [
                pelvis.actInv(data.oMi[s.parentJoint] * s.placement).homogeneous
                for s in shapes.geometryObjects
            ]
        )
    assert len(places[0]) == 2
    np.testing.assert_allclose(*places, atol=1e-3)


def test_settings_may_name_another_root_than_the_file(tmp_path: Path) -> None:
    settings = proposed(Stick(), tmp_path).settings
    robot = Robot(msgspec.structs.replace(settings, root_link="torso"))
    frame = robot.model.frames[robot.frame_id("torso")]
    assert frame.parentJoint == 1


@pytest.mark.parametrize(
    ("turn_rad", "words"),
    [
        ("0 0 1.5707963267948966", "in the root link's y-z plane"),
        ("0 0 -1.5707963267948966", "in the root link's y-z plane"),
        ("0 0 3.141592653589793", "is on the right of the root link's x axis"),
        ("1.5707963267948966 0 0", "in the root link's x-y plane"),
        ("0 1.5707963267948966 0", "does not point down the root link's z axis"),
    ],
)
def test_a_robot_that_faces_elsewhere_is_told_so(
    turn_rad: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelsError, match=words) as caught:
        proposed(Stick(turn_rad=turn_rad), tmp_path)
    assert "must face along x" in str(caught.value)
    assert str(tmp_path / "stick.urdf") in str(caught.value)


def test_what_stands_on_a_base_without_mass_is_no_reason(
    sound: Proposal[RobotSettings], tmp_path: Path
) -> None:
    ours = proposed(Stick(turn_rad="0 0 0.0"), tmp_path)
    assert ours.settings.root_link == "base"
    assert ours.settings.home == pytest.approx(sound.settings.home, abs=2e-4)


def lying(y_m: float) -> str:
    """Half a foot: a capsule along x."""
    return (
        f'<collision><origin xyz="0.03 {y_m} -0.055" rpy="0 1.5708 0"/>'
        '<geometry><capsule radius="0.01" length="0.2"/></geometry></collision>'
    )


COLOR = '<color rgba="0.1 0.1 0.1 1"/>'


@pytest.mark.parametrize(
    "foot",
    [
        f"<visual>{SOLE}{BOX}<material>{COLOR}</material></visual>",
        f'<visual>{SOLE}{BOX}<material name="x"/></visual>',
        f"<collision/><collision>{SOLE}{BOX}</collision>",
        lying(-0.04) + lying(0.04),
    ],
)
def test_feet_of_other_shapes_are_read(
    foot: str,
    sound: Proposal[RobotSettings],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    ours = proposed(Stick(foot=foot), tmp_path).settings
    assert ours.left_sole == sound.settings.left_sole
    assert ours.frames["left_sole"].position_m == pytest.approx(
        sound.settings.frames["left_sole"].position_m, abs=1e-4
    )
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


SOLID = """solid foot
facet normal 0 0 0 outer loop vertex {0} vertex {1} vertex {2} endloop endfacet
facet normal 0 0 0 outer loop vertex {0} vertex {2} vertex {3} endloop endfacet
endsolid foot
""".format(
    "-0.08 -0.05 -0.065", "0.14 -0.05 -0.065", "0.14 0.05 -0.065", "-0.08 0.05 -0.065"
)
MESH = '<collision><geometry><mesh filename="package://sdk/foot.stl"/></geometry></collision>'


def test_meshes_are_looked_for_where_the_user_says(
    sound: Proposal[RobotSettings], tmp_path: Path
) -> None:
    stick, folder = Stick(foot=MESH), tmp_path / "packages"
    robot = tmp_path / "robot"
    robot.mkdir()
    with pytest.raises(ModelsError) as caught:
        proposed(stick, robot)
    for words in ("l_ankle_x_link", "package://sdk/foot.stl", "--meshes FOLDER"):
        assert words in str(caught.value)
    (folder / "sdk").mkdir(parents=True)
    (folder / "sdk" / "foot.stl").write_text(SOLID, encoding="ascii")
    ours = proposed(stick, robot, (folder,)).settings
    assert ours.left_sole == sound.settings.left_sole


def test_a_mesh_that_is_none_takes_no_other_link_with_it(
    sound: Proposal[RobotSettings], tmp_path: Path
) -> None:
    torn = "</inertial>" + MESH.replace("package://sdk/foot", "torn")
    (tmp_path / "torn.stl").write_text("version https://git-lfs", encoding="ascii")
    ours = proposed(Stick(replace=(("</inertial>", torn),)), tmp_path).settings
    assert ours.left_sole == sound.settings.left_sole
    foot = MESH.replace("package://sdk/foot", "torn")
    with pytest.raises(ModelsError, match="meshes are no files that can be read"):
        proposed(Stick(foot=foot), tmp_path)


REACH = 'lower="-2.4" upper="0.1" effort="50.0"'
"""Of the left elbow, whose joint comes first in the file."""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (REACH, 'lower="0.1" upper="-2.4" effort="50.0"', "must be below the upper"),
        (REACH, 'lower="-2.4" upper="0.1" effort="-1"', "effort limit -1: must be"),
        (REACH, 'lower="-2.4" upper="0.1" effort="inf"', "effort limit inf: must be"),
        (REACH, 'lower="-2.4" upper="0.1"', "effort limit missing: must be"),
        (REACH, 'lower="nan" upper="0.1" effort="50"', "lower limit 'nan': must be"),
        ('<mass value="1.2"/>', '<mass value="0"/>', "mass 0 with an inertia"),
        ('<mass value="1.2"/>', '<mass value="-1"/>', "mass -1: must be above zero"),
        (
            '<mass value="1.2"/>',
            '<mass value="1.2O"/>',
            "mass '1.2O': must be a finite",
        ),
        ('name="l_elbow" type="revolute"', 'name="l_elbow" type="planar"', "planar"),
        ('name="waist" type="revolute"', 'name="waist" type="floating"', "floating"),
        ('name="l_hip_x" type="revolute"', 'name="l_hip_x" type="ball"', "type 'ball'"),
        (
            '<origin xyz="0 0 -0.15"/>',
            '<origin xyz="0 0 0"/>',
            "it has no elbow",
        ),
    ],
)
def test_a_mistake_is_told_as_check_tells_it(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelsError) as caught:
        proposed(Stick(replace=((old, new),)), tmp_path)
    assert words in str(caught.value)
    assert str(tmp_path / "stick.urdf") in str(caught.value)


def test_a_floating_root_joint_is_told_as_such(tmp_path: Path) -> None:
    free = (
        '<link name="world"/><joint name="free" type="floating"><parent link="world"/>'
        '<child link="pelvis"/></joint></robot>'
    )
    stick = Stick(replace=(("</robot>", free),))
    with pytest.raises(ModelsError, match="joint free: type floating: is not supp"):
        proposed(stick, tmp_path)


LOCKED = 'lower="0" upper="0" effort="90.0"'


def test_a_joint_without_room_is_welded(
    tmp_path: Path,
) -> None:
    """The waist; the rest is a robot that can be built."""
    old = 'lower="-1.2" upper="1.2" effort="90.0"'
    ours = proposed(Stick(replace=((old, LOCKED),)), tmp_path).settings
    assert (ours.groups.welded, ours.groups.spine) == (("waist",), ())
    robot = Robot(ours)
    assert len(robot.controlled_joints) == 20
    at = old.replace("-1.2", "0.02").replace('"1.2"', '"0.02"')
    turned = proposed(Stick(replace=((old, at),)), tmp_path).settings
    assert turned.home["waist"] == 0.02
    assert Robot(turned).model.nq == robot.model.nq


@pytest.mark.parametrize("joint", ["l_hip_z", "l_elbow"])
def test_a_limb_that_is_too_short_without_it_is_refused_for_it(
    joint: str, tmp_path: Path
) -> None:
    text = Stick().text()
    start = text.index(f'<joint name="{joint}"')
    old = text[text.index("<limit", start) : text.index(" effort", start)]
    if joint == "l_elbow":  # and the two before it
        old_sho = 'lower="-1.6" upper="1.6"'
        replaced = ((old_sho, 'lower="0" upper="0"'), (old[7:], 'lower="0" upper="0"'))
    else:
        replaced = ((old[7:], 'lower="0" upper="0"'),)
    with pytest.raises(ModelsError) as caught:
        proposed(Stick(replace=replaced), tmp_path)
    assert f"joint {joint}: position limits lower 0, upper 0" in str(caught.value)
    assert "groups.welded" in str(caught.value)


def test_arms_alone_are_not_taken_for_legs_without_arms(tmp_path: Path) -> None:
    """Two arms of six joints on a torso: nothing is said of legs that are not there."""
    text = Stick().text()
    # Without what hangs on the torso the legs are the only pair.
    start = text.index('<link name="l_sho_y_link">')
    end = text.index('<link name="r_hip_x_link">')
    text = text[:start] + text[end:]
    start = text.index('<link name="r_sho_y_link">')
    path = tmp_path / "legs.urdf"
    path.write_text(text[:start] + "</robot>", encoding="utf-8")
    with pytest.raises(ModelsError, match="only one pair of limbs") as caught:
        model, description = load_any(path)
        propose(model, description, load_settings(SHIPPED))
    assert "l_hip_x and r_hip_x" in str(caught.value)


GRAMS = re.compile(r'<mass value="([^"]*)"')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            GRAMS.sub(lambda m: f'<mass value="{1e3 * float(m[1])}"', Stick().text()),
            "masses must be kg; if they are grams it weighs",
        ),
        (
            re.sub(r'effort="[^"]*"', 'effort="0.01"', Stick().text()),
            "is too weak to be held where a pose needs it",
        ),
        (
            Stick().text().replace('<mass value="1.2"/>', '<mass value="60"/>', 1),
            "l_sho_y and r_sho_y, left and right by name, have their limbs' centres",
        ),
        (
            Stick().text().replace('"l_knee" type="revolute"', '"l_knee" type="fixed"'),
            "l_hip_x and r_hip_x, left and right by name, start limbs of 5 and 6",
        ),
        (
            re.sub("(?s)<inertial>.*?</inertial>", "", Stick().text()),
            "link torso: mass none",
        ),
        (
            re.sub(
                '(?s)(<link name="r_knee_link">)<inertial>.*?</inertial>',
                r"\1",
                Stick().text(),
            ),
            "link r_knee_link: mass none before the next joint",
        ),
    ],
)
def test_the_cause_is_told_and_not_what_it_leads_to(
    text: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "stick.urdf"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelsError) as caught:
        model, description = load_any(path)
        pelvis_link(model, description)
        propose(model, description, load_settings(SHIPPED))
    assert words in str(caught.value)


@pytest.mark.parametrize("turn_rad", ["3.1416 0 0", "0 1.5708 0", "0 3.1416 0"])
def test_a_robot_upside_down_is_told_so(turn_rad: str, tmp_path: Path) -> None:
    with pytest.raises(ModelsError, match="z up|on the right of"):
        proposed(Stick(turn_rad=turn_rad), tmp_path)


@pytest.mark.parametrize(
    "names", [{"l_ankle_x": "left_sole"}, {"l_elbow": "left_tip", "waist": "left_tip_"}]
)
def test_frames_get_names_that_are_free(names: dict[str, str], tmp_path: Path) -> None:
    settings = proposed(Stick(names=names), tmp_path).settings
    robot = Robot(settings)
    assert len(settings.frames) == 4
    for frame in (settings.left_sole.frame, settings.left.tip_frame):
        assert frame in settings.frames
        assert robot.model.existFrame(frame)
    assert set(names.values()).isdisjoint(settings.frames)
