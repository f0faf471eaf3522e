"""Payloads in both plants: mass, ramp, exact removal, refusals."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from wbmpc.errors import PayloadError
from wbmpc.plant.interface import Payload
from wbmpc.plant.mock import MockPlant
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot

LEFT, RIGHT = "LEFT_FOREARM_TIP", "RIGHT_FOREARM_TIP"
AnyPlant = MujocoPlant | MockPlant


@pytest.fixture(params=[MujocoPlant, MockPlant])
def plant(robot: Robot, request: pytest.FixtureRequest) -> AnyPlant:
    """Each plant that can carry loads."""
    made: AnyPlant = request.param(robot)
    return made


def _mass_matrix(plant: MujocoPlant, robot: Robot) -> np.ndarray:
    data = mujoco.MjData(plant.mj_model)
    data.qpos[7:] = 0.1 * np.arange(len(robot.joint_names))
    mujoco.mj_forward(plant.mj_model, data)
    matrix = np.zeros((plant.mj_model.nv, plant.mj_model.nv))
    mujoco.mj_fullM(plant.mj_model, data, matrix)
    return matrix


def test_ramp_is_linear(plant: AnyPlant, robot: Robot) -> None:
    """Half the mass after half the time, all of it at the end and after."""
    plant.reset(robot.home_q_full)
    plant.set_payload(LEFT, Payload(mass_kg=4.0), 0.02)
    masses = []
    for _ in range(25):
        masses.append(plant.payload_mass_kg(LEFT))
        plant.step(np.zeros(len(robot.joint_names)))
    expected = 4.0 * np.minimum(np.arange(25) / 20, 1.0)
    np.testing.assert_allclose(masses, expected, atol=1e-9)
    assert plant.payload_mass_kg(RIGHT) == 0.0


def test_ramp_starts_from_what_is_held(plant: AnyPlant, robot: Robot) -> None:
    """Changing one's mind half way goes on from the mass of that moment."""
    plant.reset(robot.home_q_full)
    plant.set_payload(LEFT, Payload(mass_kg=4.0), 0.02)
    for _ in range(10):
        plant.step(np.zeros(len(robot.joint_names)))
    plant.set_payload(LEFT, None, 0.01)
    assert plant.payload_mass_kg(LEFT) == pytest.approx(2.0)
    for _ in range(5):
        plant.step(np.zeros(len(robot.joint_names)))
    assert plant.payload_mass_kg(LEFT) == pytest.approx(1.0)


def test_total_mass_and_inertia_in_the_plant(robot: Robot) -> None:
    """The plant's M(q) is that of a robot with a sphere welded to its forearm."""
    plant = MujocoPlant(robot)
    plant.set_payload(LEFT, Payload(mass_kg=5.0, radius_m=0.1), 0.0)
    total = pin.computeTotalMass(robot.full_model) + 5.0
    assert plant.mj_model.body_mass.sum() == pytest.approx(total, abs=1e-12)
    assert plant.mj_model.body_subtreemass[0] == pytest.approx(total, abs=1e-12)
    model = robot.full_model.copy()
    frame = model.frames[model.getFrameId(LEFT)]
    sphere = pin.Inertia(5.0, np.zeros(3), 0.4 * 5.0 * 0.1**2 * np.eye(3))
    model.inertias[frame.parentJoint] += frame.placement.act(sphere)
    q = pin.neutral(model)
    q[7:] = 0.1 * np.arange(len(robot.joint_names))
    upper = np.triu(pin.crba(model, model.createData(), q))
    expected = upper + np.triu(upper, 1).T
    np.testing.assert_allclose(_mass_matrix(plant, robot), expected, atol=1e-12)


def test_a_load_beside_its_frame(robot: Robot) -> None:
    """Both plants hold a load where `center_m` says, in the axes of the link."""
    held = Payload(mass_kg=5.0, center_m=(0.05, -0.03, 0.1))
    model = robot.full_model.copy()
    frame = model.frames[model.getFrameId(LEFT)]
    place = frame.placement.translation + np.array(held.center_m)
    inertia = 0.4 * 5.0 * held.radius_m**2 * np.eye(3)
    model.inertias[frame.parentJoint] += pin.Inertia(5.0, place, inertia)
    q = pin.neutral(model)
    q[7:] = 0.1 * np.arange(len(robot.joint_names))
    upper = np.triu(pin.crba(model, model.createData(), q))
    plant = MujocoPlant(robot)
    plant.set_payload(LEFT, held, 0.0)
    expected = upper + np.triu(upper, 1).T
    np.testing.assert_allclose(_mass_matrix(plant, robot), expected, atol=1e-12)
    mock = MockPlant(robot)
    mock.set_payload(LEFT, held, 0.0)
    loaded = mock._model.inertias[frame.parentJoint].toDynamicParameters()
    wanted = model.inertias[frame.parentJoint].toDynamicParameters()
    np.testing.assert_allclose(loaded, wanted, atol=1e-12)


@pytest.mark.parametrize("center_m", [(3.0, 0.0, 0.0), (0.0, float("nan"), 0.0)])
def test_a_load_far_away_is_refused(
    plant: AnyPlant, center_m: tuple[float, float, float]
) -> None:
    """Nobody holds a load metres away from the hand."""
    with pytest.raises(PayloadError, match="center_m"):
        plant.set_payload(LEFT, Payload(mass_kg=1.0, center_m=center_m), 0.0)


def test_removal_brings_the_old_model_back(robot: Robot) -> None:
    """Ten times on and off: every number of the model is bit for bit the same."""
    plant = MujocoPlant(robot)
    masses = ["body_mass", "body_inertia", "body_subtreemass"]
    names = [*masses, "body_invweight0", "dof_invweight0", "dof_M0"]
    before = {name: getattr(plant.mj_model, name).copy() for name in names}
    matrix = _mass_matrix(plant, robot)
    for _ in range(10):
        plant.set_payload(LEFT, Payload(mass_kg=5.0), 0.0)
        assert not np.allclose(_mass_matrix(plant, robot), matrix)
        plant.set_payload(LEFT, None, 0.0)
        np.testing.assert_array_equal(_mass_matrix(plant, robot), matrix)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(plant.mj_model, name), value)


def _swinging(robot: Robot) -> tuple[MujocoPlant, np.ndarray]:
    """A plant in free motion, and the mass matrix of its configuration, unloaded."""
    plant = MujocoPlant(robot)
    for _ in range(20):
        plant.step(np.ones(len(robot.joint_names)))
    return plant, _mass_matrix_now(plant)


def _mass_matrix_now(plant: MujocoPlant) -> np.ndarray:
    model, data = plant.mj_model, mujoco.MjData(plant.mj_model)
    data.qpos[:] = plant._data.qpos
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    return matrix


def test_a_load_at_rest_slows_the_robot_down(robot: Robot) -> None:
    """M v stays what it was, so energy is lost; no position jumps."""
    plant, matrix = _swinging(robot)
    qpos, before = plant._data.qpos.copy(), plant._data.qvel.copy()
    plant.set_payload(LEFT, Payload(mass_kg=20.0), 0.0)
    after, loaded = plant._data.qvel, _mass_matrix_now(plant)
    np.testing.assert_array_equal(plant._data.qpos, qpos)
    np.testing.assert_allclose(loaded @ after, matrix @ before, atol=1e-9)
    assert after @ loaded @ after < 0.999 * before @ matrix @ before


def test_a_load_that_leaves_keeps_its_speed(robot: Robot) -> None:
    """The robot goes on as it was, also while the other arm gets a load."""
    plant, _ = _swinging(robot)
    plant.set_payload(LEFT, Payload(mass_kg=20.0), 0.0)
    before = plant._data.qvel.copy()
    plant.set_payload(LEFT, None, 0.0)
    np.testing.assert_array_equal(plant._data.qvel, before)


def test_load_is_felt_by_the_ground(robot: Robot, standing_tau_Nm: np.ndarray) -> None:
    """A standing robot with 2 kg in each hand weighs 4 kg more."""
    plant = MujocoPlant(robot)
    home = robot.home_q_full
    measured = plant.reset(home)
    for frame in (LEFT, RIGHT):
        plant.set_payload(frame, Payload(mass_kg=2.0), 0.5)
    forces = []
    for _ in range(1500):
        error = home[7:] - measured.q[7:]
        measured = plant.step(standing_tau_Nm + 900 * error - 40 * measured.v[6:])
        forces.append(plant.contact_truth().wrenches[:, 2].sum())
    weight_N = 9.81 * (pin.computeTotalMass(robot.full_model) + 4.0)
    assert np.mean(forces[-500:]) == pytest.approx(weight_N, rel=0.01)


def test_reset_takes_payloads_away(plant: AnyPlant, robot: Robot) -> None:
    """A plant starts bare."""
    plant.set_payload(LEFT, Payload(mass_kg=5.0), 0.0)
    assert plant.payload_mass_kg(LEFT) == 5.0
    plant.reset(robot.home_q_full)
    assert plant.payload_mass_kg(LEFT) == 0.0


@pytest.mark.parametrize("mass_kg", [-1.0, np.nan, np.inf, 200.1])
def test_impossible_masses_are_refused(plant: AnyPlant, mass_kg: float) -> None:
    """The message names the field, the value and the rule; nothing changes."""
    with pytest.raises(PayloadError, match=rf"mass_kg = {mass_kg}.* 200 kg"):
        plant.set_payload(LEFT, Payload(mass_kg=mass_kg), 0.0)
    assert plant.payload_mass_kg(LEFT) == 0.0


def test_other_nonsense_is_refused(plant: AnyPlant) -> None:
    """Radius, ramp and frame are checked too."""
    with pytest.raises(PayloadError, match="radius_m = 0.0"):
        plant.set_payload(LEFT, Payload(mass_kg=1.0, radius_m=0.0), 0.0)
    with pytest.raises(PayloadError, match="ramp_s = -1.0"):
        plant.set_payload(LEFT, Payload(mass_kg=1.0), -1.0)
    with pytest.raises(PayloadError, match="'LEFT_TIP'"):
        plant.set_payload("LEFT_TIP", None, 0.0)
    with pytest.raises(PayloadError, match="'LEFT_TIP'"):
        plant.payload_mass_kg("LEFT_TIP")


def test_other_frames_can_carry_loads(robot: Robot) -> None:
    """Frames named at construction, a sole included."""
    plant = MujocoPlant(robot, payload_frames=("TORSO_LINK", "LEFT_SOLE"))
    plant.set_payload("TORSO_LINK", Payload(mass_kg=3.0), 0.0)
    assert plant.payload_mass_kg("TORSO_LINK") == 3.0
    with pytest.raises(PayloadError, match="'TORSO'"):
        MujocoPlant(robot, payload_frames=("TORSO",))
