"""A plant that is another robot than the controller's model is refused before a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from wbmpc.errors import ModelMismatchError
from wbmpc.plant.gate import check_models
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot
from wbmpc.settings import load_settings

URDF = Path(load_settings("alexander").urdf)
ARMATURE = {"LEFT_ELBOW_Y": 0.01, "RIGHT_ELBOW_Y": 0.004}


def other_robot(folder: Path, old: str, new: str) -> Robot:
    """The shipped robot from a file in which something differs."""
    text = URDF.read_text(encoding="utf-8")
    assert old in text
    path = folder / "other.urdf"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return Robot(load_settings("alexander", [f'urdf="{path}"']))


def test_two_files_that_weigh_differently_are_told_apart_body_by_body(
    tmp_path: Path,
) -> None:
    ours = Robot.load("alexander")
    shin = ours.full_model.inertias[ours.full_model.getJointId("LEFT_KNEE_Y")].mass
    plant = MujocoPlant(other_robot(tmp_path, f'"{shin}"', f'"{shin + 2.18}"'))
    with pytest.raises(ModelMismatchError) as caught:
        check_models(ours, plant)
    assert f"LEFT_SHIN: controller {shin:g} kg, plant {shin + 2.18:g} kg" in str(
        caught.value
    )


def test_rotor_inertia_of_one_model_only_is_refused_by_joint() -> None:
    ours = Robot.load("alexander")
    settings = {**ours.settings.plant.armature_kgm2, **ARMATURE}
    table = ", ".join(f"{name} = {value}" for name, value in settings.items())
    theirs = Robot.load("alexander", (f"plant.armature_kgm2={{{table}}}",))
    plant = MujocoPlant(theirs)
    with pytest.raises(ModelMismatchError, match="armature .* LEFT_ELBOW_Y"):
        check_models(ours, plant)
    check_models(theirs, plant, samples=100)


def test_rotor_inertia_is_all_that_differs_on_the_diagonal() -> None:
    """One setting brings both to the same value."""
    bare = Robot.load("alexander", ("plant.armature_kgm2={}",))
    table = ", ".join(f"{name} = {value}" for name, value in ARMATURE.items())
    heavy = Robot.load("alexander", (f"plant.armature_kgm2={{{table}}}",))
    rng = np.random.default_rng(0)
    for _ in range(100):
        q = pin.integrate(bare.full_model, bare.home_q_full, rng.normal(size=29))
        masses = [
            np.diag(pin.crba(r.full_model, r.full_model.createData(), q))
            for r in (bare, heavy)
        ]
        more = dict(zip(bare.joint_names, (masses[1] - masses[0])[6:], strict=True))
        for name, value in more.items():
            assert value == pytest.approx(ARMATURE.get(name, 0.0), abs=1e-12)
    check_models(heavy, MujocoPlant(heavy), samples=100)


@pytest.mark.parametrize(
    ("use", "damping", "friction"), [(False, 0.05, 0.01), (True, 0.7, 0.3)]
)
def test_damping_and_friction_of_the_file_are_a_choice(
    tmp_path: Path, use: bool, damping: float, friction: float
) -> None:
    dynamics = '<dynamics damping="0.7" friction="0.3"/><limit'
    robot = other_robot(tmp_path, "<limit", dynamics)
    path = robot.urdf_path
    keys = [f'urdf="{path}"', f"plant.urdf_dynamics={str(use).lower()}"]
    plant = MujocoPlant(Robot(load_settings("alexander", keys))).mj_model
    index = path.read_text(encoding="utf-8").index(dynamics)
    name = path.read_text(encoding="utf-8")[:index].rsplit('joint name="', 1)[1]
    name = name.split('"')[0]
    for other in robot.joint_names:
        joint = plant.joint(other)
        expected = (damping, friction) if other == name else (0.05, 0.01)
        assert (joint.damping[0], joint.frictionloss[0]) == expected
