"""The MuJoCo plant: free fall, standing, torques by name, start pose, faults."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from wbmpc.plant.interface import Measurement
from wbmpc.plant.mujoco_plant import MujocoPlant, StartPoseError
from wbmpc.robot import Robot
from wbmpc.settings import load_settings

FRICTIONLESS = ("plant.joint_friction_Nm=0.0", "plant.joint_damping_Nms_per_rad=0.0")


@pytest.fixture(scope="module")
def plant(robot: Robot) -> MujocoPlant:
    """One plant for all tests here; each resets it."""
    return MujocoPlant(robot)


def _in_the_air(robot: Robot) -> np.ndarray:
    q = robot.home_q_full.copy()
    q[2] += 1.0
    return q


def _shuffled(robot: Robot, folder: Path, seed: int) -> Robot:
    tree = ET.parse(robot.urdf_path)
    root = tree.getroot()
    elements = list(root)
    random.Random(seed).shuffle(elements)
    root[:] = elements
    path = folder / f"shuffled_{seed}.urdf"
    tree.write(path)
    settings = load_settings("alexander", FRICTIONLESS)
    return Robot(msgspec.structs.replace(settings, urdf=str(path)))


def test_free_fall(robot: Robot, plant: MujocoPlant) -> None:
    """Without torque and contact the centre of mass falls at g."""
    plant.reset(_in_the_air(robot))
    data = robot.full_model.createData()
    for _ in range(100):
        measured = plant.step(np.zeros(len(robot.joint_names)))
    pin.centerOfMass(robot.full_model, data, measured.q, measured.v)
    assert measured.time_s == pytest.approx(0.1)
    np.testing.assert_allclose(data.vcom[0], [0, 0, -0.981], atol=1e-9)


def test_standing_carries_the_weight(
    robot: Robot, plant: MujocoPlant, standing_tau_Nm: np.ndarray
) -> None:
    """Ground forces point up and add up to the weight; the feet sink < 0.5 mm."""
    plant.reset(robot.home_q_full)
    for _ in range(200):
        measured = plant.step(standing_tau_Nm)
    truth = plant.contact_truth()
    weight_N = 9.81 * pin.computeTotalMass(robot.full_model)
    assert truth.wrenches[:, 2].sum() == pytest.approx(weight_N, rel=0.01)
    assert np.all(truth.wrenches[:, 2] > 0.4 * weight_N)
    assert not truth.body_on_floor
    assert abs(measured.q[2] - robot.home_q_full[2]) < 5e-4
    assert plant.fault is None


def test_ground_wrenches_explain_the_motion(
    robot: Robot, plant: MujocoPlant, standing_tau_Nm: np.ndarray
) -> None:
    """Rate of the centroidal momentum is weight plus ground wrenches."""
    plant.reset(robot.home_q_full)
    model, data = robot.full_model, robot.full_model.createData()
    tau = standing_tau_Nm.copy()
    for name, push_Nm in {"LEFT_KNEE_Y": 30.0, "RIGHT_KNEE_Y": 15.0}.items():
        tau[robot.joint_names.index(name)] += push_Nm
    before = plant.step(tau)
    for _ in range(20):
        start, before = before, plant.step(tau)
    momenta = [
        pin.computeCentroidalMomentum(model, data, m.q, m.v).vector.copy()
        for m in (start, before)
    ]
    com = pin.centerOfMass(model, data, start.q)
    pin.framesForwardKinematics(model, data, start.q)
    total = np.array([0, 0, -9.81 * pin.computeTotalMass(model), 0, 0, 0])
    wrenches = plant.contact_truth().wrenches
    for sole, wrench in zip(robot.soles, wrenches, strict=True):
        arm = data.oMf[model.getFrameId(sole.frame)].translation - com
        total[:3] += wrench[:3]
        total[3:] += wrench[3:] + np.cross(arm, wrench[:3])
    rate = (momenta[1] - momenta[0]) / plant.dt_s
    assert np.abs(rate).max() > 5.0
    np.testing.assert_allclose(rate, total, atol=0.02 * np.abs(rate).max())


def test_feet_do_not_creep(
    robot: Robot, plant: MujocoPlant, standing_tau_Nm: np.ndarray
) -> None:
    """Held by a stiff PD, the soles move less than 0.1 mm in a second."""
    home = robot.home_q_full
    measured = plant.reset(home)
    model, data = robot.full_model, robot.full_model.createData()

    def soles(measurement: Measurement) -> np.ndarray:
        pin.framesForwardKinematics(model, data, measurement.q)
        ids = [model.getFrameId(sole.frame) for sole in robot.soles]
        return np.array([data.oMf[i].translation for i in ids])

    for step in range(1200):
        error = home[7:] - measured.q[7:]
        measured = plant.step(standing_tau_Nm + 600 * error - 15 * measured.v[6:])
        if step == 200:
            start = soles(measured)
    assert np.abs(soles(measured) - start).max() < 1e-4


@pytest.mark.parametrize("seed", [0, 1])
def test_torque_reaches_the_joint_of_its_name(
    robot: Robot, tmp_path: Path, seed: int
) -> None:
    """5 Nm at the left knee, whatever the order of the file."""
    shuffled = _shuffled(robot, tmp_path, seed)
    plant = MujocoPlant(shuffled)
    knee = shuffled.joint_names.index("LEFT_KNEE_Y")
    tau = np.zeros(len(shuffled.joint_names))
    tau[knee] = 5.0
    plant.reset(_in_the_air(shuffled))
    gain = plant.step(tau).v[6:] / plant.dt_s
    others = [i for i, name in enumerate(shuffled.joint_names) if "LEFT_" not in name]
    assert gain[knee] > 5.0
    # The reaction turns the whole robot a little, which other joints feel.
    assert np.abs(gain[others]).max() < 0.2 * gain[knee]
    motor = plant.mj_model.actuator("LEFT_KNEE_Y")
    assert plant.mj_model.joint(motor.trnid[0]).name == "LEFT_KNEE_Y"


def test_one_step_is_forward_dynamics() -> None:
    """In the air, without friction, one step is Pinocchio's ABA."""
    robot = Robot.load("alexander", FRICTIONLESS)
    plant = MujocoPlant(robot)
    tau = np.random.default_rng(0).uniform(-5, 5, len(robot.joint_names))
    start = plant.reset(_in_the_air(robot))
    for _ in range(20):
        start = plant.step(tau)
    after = plant.step(tau)
    model, data = robot.full_model, robot.full_model.createData()
    full_tau = np.concatenate([np.zeros(6), tau])
    acceleration = pin.aba(model, data, start.q, start.v, full_tau)
    measured = (after.v - start.v) / plant.dt_s
    # The base frame turns during the step: first order in dt.
    np.testing.assert_allclose(measured, acceleration, atol=5e-2)
    np.testing.assert_allclose(measured[6:], acceleration[6:], atol=1e-8)


def test_torque_is_clipped_and_reported(robot: Robot, plant: MujocoPlant) -> None:
    """The measurement holds what was applied, not what was asked for."""
    plant.reset(_in_the_air(robot))
    measured = plant.step(np.full(len(robot.joint_names), 1e4))
    np.testing.assert_array_equal(measured.tau_Nm, robot.torque_limits_full_Nm)


def test_joint_limits_hold(robot: Robot, plant: MujocoPlant) -> None:
    """A knee pushed into its stop stays there."""
    plant.reset(_in_the_air(robot))
    knee = robot.joint_names.index("LEFT_KNEE_Y")
    tau = np.zeros(len(robot.joint_names))
    tau[knee] = -20.0
    for _ in range(300):
        measured = plant.step(tau)
    assert measured.q[7 + knee] == pytest.approx(0.0, abs=0.05)


def test_start_inside_the_floor_is_refused_with_the_depth(
    robot: Robot, plant: MujocoPlant
) -> None:
    """6 cm too low is refused and leaves the plant alone."""
    plant.reset(robot.home_q_full)
    low = robot.home_q_full.copy()
    low[2] -= 0.06
    with pytest.raises(StartPoseError, match=r"60\.0 mm inside the floor"):
        plant.reset(low)
    measured = plant.step(np.zeros(len(robot.joint_names)))
    assert measured.q[2] == pytest.approx(robot.home_q_full[2], abs=1e-3)


def test_start_half_a_millimetre_low_is_gentle(
    robot: Robot, plant: MujocoPlant, standing_tau_Nm: np.ndarray
) -> None:
    """Accepted, and no upward speed over 0.05 m/s follows."""
    low = robot.home_q_full.copy()
    low[2] -= 5e-4
    plant.reset(low)
    assert max(plant.step(standing_tau_Nm).v[2] for _ in range(50)) < 0.05


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [(8, np.nan, r"q\[8\] not finite"), (6, 2.0, "norm of the quaternion")],
)
def test_bad_start_is_refused(
    robot: Robot, plant: MujocoPlant, index: int, value: float, message: str
) -> None:
    """Values no robot can have, by name."""
    q = robot.home_q_full.copy()
    q[index] = value
    with pytest.raises(StartPoseError, match=message):
        plant.reset(q)
    with pytest.raises(StartPoseError, match="shape"):
        plant.reset(q[:-1])


def test_torque_that_is_not_finite_stops_the_plant(
    robot: Robot, plant: MujocoPlant
) -> None:
    """Noticed in the same step, by joint name, until the next reset."""
    before = plant.reset(robot.home_q_full)
    tau = np.zeros(len(robot.joint_names))
    tau[robot.joint_names.index("SPINE_Z")] = np.nan
    after = plant.step(tau)
    assert plant.fault == "torque not finite: SPINE_Z"
    assert after is before
    plant.step(np.zeros_like(tau))
    assert plant.fault is not None
    plant.reset(robot.home_q_full)
    assert plant.fault is None


@pytest.mark.parametrize("shape", [(), (1,), (22,), (24,), (23, 1)])
def test_another_number_of_torques_stops_the_plant(
    robot: Robot, plant: MujocoPlant, shape: tuple[int, ...]
) -> None:
    """One torque is not taken for all motors."""
    before = plant.reset(robot.home_q_full)
    assert plant.step(np.zeros(shape)) is before
    assert plant.fault == f"torques of shape {shape}, not (23,)"
    plant.reset(robot.home_q_full)


def test_diverged_state_is_noticed_in_the_same_step(
    robot: Robot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A broken simulation is a named value, not a silent restart or a log file."""
    monkeypatch.chdir(tmp_path)
    plant = MujocoPlant(robot)
    plant.mj_model.opt.gravity[2] = np.inf
    measured = plant.step(np.zeros(len(robot.joint_names)))
    assert plant.fault is not None
    assert plant.fault.startswith("MuJoCo BADQACC")
    assert np.all(np.isfinite(measured.q))
    assert not list(tmp_path.iterdir())
    assert "".join(capfd.readouterr()) == ""


def test_fall_is_noticed(robot: Robot, plant: MujocoPlant) -> None:
    """Without torques the robot collapses and something but a sole lands."""
    plant.reset(robot.home_q_full)
    for _ in range(1500):
        plant.step(np.zeros(len(robot.joint_names)))
        if plant.contact_truth().body_on_floor:
            break
    assert plant.contact_truth().body_on_floor
    assert plant.fault is None


def test_runs_repeat_bit_for_bit(
    robot: Robot, plant: MujocoPlant, standing_tau_Nm: np.ndarray
) -> None:
    """A reset leaves nothing behind."""
    ends = []
    for _ in range(2):
        plant.reset(robot.home_q_full)
        for _ in range(50):
            measured = plant.step(1.01 * standing_tau_Nm)
        ends.append(np.concatenate([measured.q, measured.v]))
    np.testing.assert_array_equal(ends[0], ends[1])
