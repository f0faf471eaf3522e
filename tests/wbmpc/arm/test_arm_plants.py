"""The arm's description, its torque plant and the gate between them."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from models.so101 import load_so101
from wbmpc.arm.description import TIP, Arm
from wbmpc.arm.gate import TOLERANCE, check_arm
from wbmpc.arm.mujoco_arm import ArmStartError, MujocoArm
from wbmpc.errors import ModelMismatchError, PayloadError

ZERO = np.zeros(6)


def test_masses_and_tip(arm: Arm) -> None:
    """URDF without base, camera mount, payload; the tip is 12 mm beside the jaw."""
    assert pin.computeTotalMass(arm.model) == pytest.approx(0.485006 + 0.012)
    assert pin.computeTotalMass(arm.loaded_model(0.2)) == pytest.approx(0.697006)
    frame = arm.model.frames[arm.model.getFrameId(TIP)]
    assert frame.placement.translation == pytest.approx([0.012, -0.000218, -0.098127])
    data = arm.model.createData()
    pin.framesForwardKinematics(arm.model, data, ZERO)
    tip = data.oMf[arm.model.getFrameId(TIP)].translation
    assert arm.tip_position_m(ZERO) == pytest.approx(tip)


@pytest.mark.parametrize("payload_kg", [0.0, 0.1, 0.2, 0.37])
def test_gate_passes_to_rounding(arm: Arm, payload_kg: float) -> None:
    plant = MujocoArm(arm, payload_kg=payload_kg)
    report = check_arm(arm, plant, arm.loaded_model(payload_kg))
    figures = (report.gravity_Nm, report.bias_Nm, report.mass_matrix)
    assert max(figures) <= TOLERANCE == 1e-11
    assert max(figures) > 0.0  # something was compared


@pytest.mark.parametrize("extra_kg", [1e-3, -1e-3, 1e-6])
def test_gate_refuses_a_gram(arm: Arm, extra_kg: float) -> None:
    plant = MujocoArm(arm, payload_kg=0.1 + extra_kg)
    with pytest.raises(ModelMismatchError, match="shoulder.*nothing runs"):
        check_arm(arm, plant, arm.loaded_model(0.1))


@pytest.mark.parametrize("armature", [0.0, 0.0281, 0.03])
def test_gate_refuses_a_wrong_armature(arm: Arm, armature: float) -> None:
    plant = MujocoArm(arm, armature_kgm2=armature)
    with pytest.raises(ModelMismatchError, match="mass matrix"):
        check_arm(arm, plant, arm.model)


def test_gate_refuses_an_arm_without_mount(arm: Arm) -> None:
    bare = Arm(load_so101({"mount": {"mass_kg": 0.0}}))
    with pytest.raises(ModelMismatchError):
        check_arm(arm, MujocoArm(arm), bare.model)


@pytest.mark.parametrize("payload_kg", [-0.1, np.nan, np.inf, 6.0])
def test_impossible_payloads(arm: Arm, payload_kg: float) -> None:
    with pytest.raises(PayloadError, match="payload"):
        MujocoArm(arm, payload_kg=payload_kg)
    with pytest.raises(PayloadError, match="payload"):
        arm.loaded_model(payload_kg)


def test_step_moves_time_and_clips_torque(arm: Arm) -> None:
    plant = MujocoArm(arm)
    now = plant.step(np.full(6, 100.0))
    assert now.time_s == pytest.approx(0.005)
    assert now.tau_Nm == pytest.approx(np.full(6, 2.94))
    assert np.array_equal(plant.mj_data.actuator_force, np.full(6, 2.94))


def test_gravity_torque_holds_the_arm(arm: Arm) -> None:
    """Friction holds what rounding leaves."""
    plant, q = MujocoArm(arm), np.array([0.3, 0.2, -0.4, 0.1, 0.0, 0.0])
    plant.reset(q)
    torque = pin.computeGeneralizedGravity(arm.model, arm.model.createData(), q)
    for _ in range(100):
        now = plant.step(torque)
    assert now.q == pytest.approx(q, abs=1e-4)


def test_a_bad_torque_stops_the_plant_where_it_is(arm: Arm) -> None:
    plant = MujocoArm(arm)
    before = plant.step(ZERO)
    bad = ZERO.copy()
    bad[2] = np.nan
    assert np.array_equal(plant.step(bad).q, before.q)
    assert plant.fault == "command not finite: elbow_flex"
    assert np.array_equal(plant.step(ZERO).q, before.q)  # latched
    plant.reset(ZERO)
    assert plant.fault is None


def test_impossible_starts(arm: Arm) -> None:
    plant = MujocoArm(arm)
    for start in (np.zeros(5), np.full(6, np.nan)):
        with pytest.raises(ArmStartError):
            plant.reset(start)
