"""Robot files in Pinocchio and MuJoCo: the same robot, or a sentence."""

from __future__ import annotations

import itertools
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from two_engines import compare, plant_spec
from urdf_texts import LIMIT, arm, inertial, joint, link
from urdf_texts import robot as robot_text

from models.settings import PlantSettings
from wbmpc.errors import RobotError, UnknownNameError
from wbmpc.plant.mujoco_model import joint_map
from wbmpc.robot import Robot
from wbmpc.robot_model import load_fixed, load_floating
from wbmpc.settings import load_settings


def load(text: str, folder: Path, **welded: float) -> pin.Model:
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return load_floating(path, welded)


def same_model(a: pin.Model, b: pin.Model) -> bool:
    """Names, placements, inertias and limits to the last bit."""
    numbers = ("lowerPositionLimit", "upperPositionLimit", "upperEffortLimit")
    return (
        list(a.names) == list(b.names)
        and [f.name for f in a.frames] == [f.name for f in b.frames]
        and [f.placement for f in a.frames] == [f.placement for f in b.frames]
        and list(a.jointPlacements) == list(b.jointPlacements)
        and list(a.inertias) == list(b.inertias)
        and all(np.array_equal(getattr(a, n), getattr(b, n)) for n in numbers)
    )


def test_the_shipped_robot_is_what_pinocchio_reads_itself() -> None:
    path = Path(load_settings("alexander").urdf)
    own = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    assert same_model(load_floating(path, {}), own)


def test_tabs_change_nothing(tmp_path: Path) -> None:
    text = Path(load_settings("alexander").urdf).read_text(encoding="utf-8")
    odd = text.replace('xyz="0 ', 'xyz="0\t').replace('rpy="0 0', 'rpy="0\n0')
    assert odd.count("\t") > 20
    assert same_model(load(odd, tmp_path), load(text, tmp_path))


def test_a_robot_with_tabs_loads_in_both_engines(tmp_path: Path) -> None:
    elbow = joint("elbow", "upper", "lower", origin='xyz="0\t0\t0.2"')
    compare(load(arm(elbow=elbow), tmp_path), samples=3)


def test_refusal_names_file_element_value_and_rule(tmp_path: Path) -> None:
    with pytest.raises(RobotError) as caught:
        load(arm(hand=inertial('<mass value="nan"/>')), tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'robot.urdf'}: link lower: mass 'nan': ")
    assert "must be a finite number" in message


def test_more_refusals_are_counted(tmp_path: Path) -> None:
    elbow = joint("elbow", "upper", "lower", axis="0 0 0", limit='effort="0"')
    text = arm(hand=inertial('<mass value="-1"/>'), elbow=elbow)
    with pytest.raises(RobotError, match="; and 1 more .wbmpc check "):
        load(text, tmp_path)


@pytest.mark.parametrize("name", ["universe", "root_joint", "floating_base"])
def test_names_the_engines_need(tmp_path: Path, name: str) -> None:
    with pytest.raises(RobotError, match=f"joint {name}: name {name}: is reserved"):
        load(arm(elbow=joint(name, "upper", "lower")), tmp_path)


def test_a_fixed_joint_is_none_in_the_plant(tmp_path: Path) -> None:
    """Unitree's files call the joint between two root links floating_base."""
    more = link("imu", "") + joint("floating_base", "lower", "imu", kind="fixed")
    compare(load(arm(more=more), tmp_path), samples=1)


def test_a_base_without_mass_cannot_float_but_stand(tmp_path: Path) -> None:
    text = robot_text(link("world", ""), link("arm"), joint("j", "world", "arm"))
    with pytest.raises(
        RobotError, match="link world: mass none: the base must have mass to float"
    ):
        load(text, tmp_path)
    assert load_fixed(tmp_path / "robot.urdf").nv == 1


def test_a_link_named_world_is_a_link(tmp_path: Path) -> None:
    text = robot_text(
        link("world", ""),
        link("base"),
        link("arm"),
        joint("weld", "world", "base", kind="fixed"),
        joint("j", "base", "arm"),
    )
    compare(load(text, tmp_path), samples=3)


# Kinds of joints

WRIST_AND_FINGERS = robot_text(
    link("base"),
    link("wrist"),
    link("f1"),
    link("f2"),
    joint(
        "turn",
        "base",
        "wrist",
        kind="continuous",
        axis="0 0 1",
        limit='effort="9" velocity="3"',
    ),
    joint("finger1", "wrist", "f1", limit=LIMIT.replace("50", "11")),
    joint("finger2", "wrist", "f2", limit=LIMIT.replace("50", "12")),
)


def test_continuous_joints_take_one_number_each(tmp_path: Path) -> None:
    model = load(WRIST_AND_FINGERS, tmp_path)
    assert (model.nq, model.nv) == (10, 9)
    assert all((j.nq, j.nv) == (1, 1) for j in model.joints[2:])
    limits = dict(zip(model.names[2:], model.upperEffortLimit[6:], strict=True))
    assert limits == {"turn": 9.0, "finger1": 11.0, "finger2": 12.0}
    index = model.joints[model.getJointId("turn")].idx_q
    assert model.upperPositionLimit[index] == np.inf
    assert model.lowerPositionLimit[index] == -np.inf
    compare(model, samples=5)


def test_joints_are_addressed_by_name(tmp_path: Path) -> None:
    """0.1, 0.2, 0.3 rad by name, there and back through the plant's order."""
    from wbmpc import conventions

    model = load(WRIST_AND_FINGERS, tmp_path)
    wanted = {"turn": 0.1, "finger1": 0.2, "finger2": 0.3}
    q = pin.neutral(model)
    q[7:] = [wanted[name] for name in model.names[2:]]
    plant = plant_spec(model).compile()
    joints = joint_map(model.names[2:], plant)
    qpos = conventions.qpos_from_q(q, joints)
    for name, angle in wanted.items():
        assert qpos[plant.joint(name).qposadr[0]] == angle
    np.testing.assert_array_equal(conventions.q_from_qpos(qpos, joints), q)


FINGERS = robot_text(
    link("base"),
    link("f1"),
    link("f2"),
    joint("arm", "base", "f1", kind="fixed"),
    joint("finger1", "base", "f2", axis="0 0 1", kind="prismatic"),
    link("f3"),
    joint(
        "finger2",
        "base",
        "f3",
        axis="0 0 1",
        kind="prismatic",
        more='<mimic joint="finger1" multiplier="-1" offset="0.01"/>',
    ),
)


def test_mimic_joints_are_refused_or_welded_with_their_leader(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="joint finger2: mimic of finger1"):
        load(FINGERS, tmp_path)
    model = load(FINGERS, tmp_path, finger1=0.03)
    assert model.nv == 6
    for name, height in (("f2", 0.23), ("f3", 0.18)):
        frame = model.frames[model.getFrameId(name, pin.FrameType.BODY)]
        np.testing.assert_allclose(frame.placement.translation, [0, 0, height])


def test_a_follower_is_not_welded_alone(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="so finger1 must be welded too"):
        load(FINGERS, tmp_path, finger2=0.0)


def test_welded_joints_that_do_not_exist_or_move(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="finger1"):
        load(FINGERS, tmp_path, finger=0.0)
    with pytest.raises(RobotError, match="joint arm: type fixed: does not move"):
        load(FINGERS, tmp_path, arm=0.0)


def test_welding_is_what_pinocchio_calls_reducing(tmp_path: Path) -> None:
    whole = load(arm(), tmp_path)
    welded = load(arm(), tmp_path, elbow=0.7)
    q = pin.neutral(whole)
    q[7 + list(whole.names[2:]).index("elbow")] = 0.7
    reduced = pin.buildReducedModel(whole, [whole.getJointId("elbow")], q)
    assert list(welded.names) == list(reduced.names)
    for ours, theirs in zip(welded.inertias, reduced.inertias, strict=True):
        np.testing.assert_allclose(
            ours.toDynamicParameters(), theirs.toDynamicParameters(), atol=1e-14
        )


# The plant


def test_the_base_keeps_its_mass_in_the_plant(tmp_path: Path) -> None:
    """A box of 5 kg, an arm of 1.5 kg: 6.5 kg, 7 velocities, 63.8 N on the floor."""
    text = robot_text(
        link("base", inertial('<mass value="5"/>').replace("0 0 0.1", "0 0 0")),
        link("arm"),
        joint("j", "base", "arm", origin='xyz="0 0 0.1"', limit=LIMIT),
    )
    model = load(text, tmp_path)
    spec = plant_spec(model, PlantSettings(joint_friction_Nm=20.0))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0.0, 0.0, 1.0))
    base = spec.body("base")
    base.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.2, 0.2, 0.1), density=0.0)
    plant = spec.compile()
    assert model.nv == plant.nv == 7
    assert pin.computeTotalMass(model) == pytest.approx(6.5, abs=1e-12)
    assert plant.body_mass.sum() == pytest.approx(6.5, abs=1e-12)
    data = mujoco.MjData(plant)
    data.qpos[2] = 0.1
    for _ in range(1000):
        mujoco.mj_step(plant, data)
    force = np.zeros(6)
    total = 0.0
    for contact in range(data.ncon):
        mujoco.mj_contactForce(plant, data, contact, force)
        total += force[0]
    assert total == pytest.approx(63.8, abs=0.1)


def test_only_the_left_knee_moves_in_every_order_of_the_file(tmp_path: Path) -> None:
    """5 Nm by name, whatever the order of the joints in the file."""
    names = ("right_knee", "left_knee", "neck")
    parts = [
        link(f"{n}_link") + joint(n, "base", f"{n}_link", origin=f'xyz="0 {i} 0"')
        for i, n in enumerate(names)
    ]
    for order in itertools.permutations(parts):
        model = load(robot_text(link("base"), *order), tmp_path)
        spec = plant_spec(model)
        for name in names:
            motor = spec.add_actuator(
                name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT
            )
            motor.set_to_motor()
        plant = spec.compile()
        plant.opt.gravity[:] = 0.0
        data = mujoco.MjData(plant)
        data.ctrl[plant.actuator("left_knee").id] = 5.0
        mujoco.mj_forward(plant, data)
        joints = joint_map(model.names[2:], plant)
        torque = dict(zip(model.names[2:], data.qfrc_actuator[joints.dof], strict=True))
        assert torque == {"right_knee": 0.0, "left_knee": 5.0, "neck": 0.0}


def test_limits_are_the_same_numbers_in_both(tmp_path: Path) -> None:
    model = load(arm(), tmp_path)
    plant = plant_spec(model).compile()
    for name, index in zip(model.names[2:], range(7, model.nq), strict=True):
        low, high = plant.joint(name).range
        assert (low, high) == (
            model.lowerPositionLimit[index],
            model.upperPositionLimit[index],
        )


# Settings


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            'groups.neck=["NECK_Z", "NECK_W"]',
            r"joint 'NECK_W' in .*settings\.toml: groups\.neck",
        ),
        (
            'left_sole.frame="LEFT_FOOT_SOLE"',
            r"'LEFT_FOOT_SOLE' in .*: left_sole\.frame: did you mean",
        ),
        (
            "plant.armature_kgm2={LEFT_KNEE=0.1}",
            r"'LEFT_KNEE' in .*: plant\.armature_kgm2",
        ),
        ("home={LEFT_NEE_Y=0.1}", "'LEFT_NEE_Y' in .*: home: did you mean LEFT_KNEE_Y"),
    ],
)
def test_names_in_settings_are_refused_with_their_field(
    override: str, words: str
) -> None:
    with pytest.raises(UnknownNameError, match=words):
        Robot.load("alexander", (override,))
