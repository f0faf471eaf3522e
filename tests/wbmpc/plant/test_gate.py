"""The gate lets equal models pass and names what differs in others."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc.errors import ModelMismatchError
from wbmpc.plant.gate import check_models
from wbmpc.plant.interface import Payload
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot


@pytest.fixture
def plant(robot: Robot) -> MujocoPlant:
    """A fresh plant to break."""
    return MujocoPlant(robot)


def test_equal_models_pass(robot: Robot, plant: MujocoPlant) -> None:
    """To rounding; without omega x v the bias would be far off."""
    before = plant.step(np.zeros(len(robot.joint_names)))
    report = check_models(robot, plant, samples=100)
    assert report.samples == 100
    assert report.mass_kg == pytest.approx(66.8747, abs=1e-4)
    assert report.mass_error_kg < 1e-12
    assert report.mass_matrix_error < 1e-12
    assert report.gravity_error < 1e-12
    assert report.bias_error < 1e-12
    assert report.sole_error_m < 1e-12
    assert report.bias_error_unconverted_Nm > 1.0
    after = plant.step(np.zeros(len(robot.joint_names)))
    assert after.time_s == pytest.approx(before.time_s + plant.dt_s)


def test_one_gram_is_refused(robot: Robot, plant: MujocoPlant) -> None:
    """The link is named with both masses."""
    plant.mj_model.body("LEFT_SHIN").mass[0] += 1e-3
    with pytest.raises(ModelMismatchError, match=r"LEFT_SHIN: controller 5\.5 kg"):
        check_models(robot, plant)


def test_payload_is_refused(robot: Robot, plant: MujocoPlant) -> None:
    """The gate is for the bare robot."""
    plant.set_payload("LEFT_FOREARM_TIP", Payload(mass_kg=1.0), 0.0)
    with pytest.raises(ModelMismatchError, match="payload:LEFT_FOREARM_TIP"):
        check_models(robot, plant)


def test_wrong_armature_is_refused(robot: Robot, plant: MujocoPlant) -> None:
    """The joint is named."""
    plant.mj_model.joint("RIGHT_KNEE_Y").armature[0] *= 1.01
    with pytest.raises(ModelMismatchError, match="armature .* RIGHT_KNEE_Y"):
        check_models(robot, plant)


def test_wrong_limits_are_refused(robot: Robot, plant: MujocoPlant) -> None:
    """Torque and position limits, by joint."""
    plant.mj_model.actuator("SPINE_Z").ctrlrange[1] = 1000.0
    with pytest.raises(ModelMismatchError, match="torque limits .* SPINE_Z"):
        check_models(robot, plant)
    plant.mj_model.actuator("SPINE_Z").ctrlrange[1] = 150.0
    plant.mj_model.joint("SPINE_Z").range[1] = 1.0
    with pytest.raises(ModelMismatchError, match="position limits .* SPINE_Z"):
        check_models(robot, plant)


def test_swapped_joints_are_refused(robot: Robot, plant: MujocoPlant) -> None:
    """Left and right hip exchanged in the joint map."""
    left, right = (robot.joint_names.index(f"{s}_HIP_Y") for s in ("LEFT", "RIGHT"))
    for indices in (plant.joints.qpos, plant.joints.dof):
        indices[[left, right]] = indices[[right, left]]
    with pytest.raises(ModelMismatchError, match="_HIP_Y"):
        check_models(robot, plant)


def test_moved_mass_and_gravity_are_refused(robot: Robot, plant: MujocoPlant) -> None:
    """Equal masses are not enough."""
    plant.mj_model.opt.gravity[2] = -9.80665
    with pytest.raises(ModelMismatchError, match="gravity at base"):
        check_models(robot, plant)
    plant.mj_model.opt.gravity[2] = -9.81
    plant.mj_model.body("TORSO_LINK").ipos[0] += 1e-4
    with pytest.raises(ModelMismatchError, match="mass matrix entry"):
        check_models(robot, plant)


def test_moved_sole_is_refused(robot: Robot, plant: MujocoPlant) -> None:
    """A contact frame 1 mm off is named."""
    plant.mj_model.site("RIGHT_SOLE").pos[0] += 1e-3
    with pytest.raises(ModelMismatchError, match="placement of RIGHT_SOLE"):
        check_models(robot, plant)
