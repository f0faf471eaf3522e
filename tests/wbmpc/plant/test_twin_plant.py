"""The twin: nominal when clean, seeded, and each model error as it says."""

from __future__ import annotations

import msgspec
import mujoco
import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

from wbmpc.errors import ModelMismatchError
from wbmpc.plant.actuators import ActuatorModel
from wbmpc.plant.gate import check_models
from wbmpc.plant.imperfections import CLEAN, HARDWARE_TWIN, ImperfectionSettings
from wbmpc.plant.mujoco_model import link_name
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import Robot


def _twin(
    robot: Robot, settings: ImperfectionSettings = HARDWARE_TWIN, seed: int = 0
) -> TwinPlant:
    return TwinPlant(robot, MujocoPlant(robot), settings, seed=seed)


def _in_the_air(robot: Robot) -> NDArray:
    q = robot.home_q_full.copy()
    q[2] += 1.0
    return q


def test_clean_twin_is_the_nominal_plant_bit_for_bit(
    robot: Robot, standing_tau_Nm: NDArray
) -> None:
    twin, plant = _twin(robot, CLEAN), MujocoPlant(robot)
    twin.reset(robot.home_q_full)
    plant.reset(robot.home_q_full)
    for step in range(50):
        tau = (1.0 + 0.1 * np.sin(step)) * standing_tau_Nm
        ours, theirs = twin.step(tau), plant.step(tau)
    np.testing.assert_array_equal(ours.q, theirs.q)
    np.testing.assert_array_equal(ours.v, theirs.v)
    np.testing.assert_array_equal(twin.readings.q, theirs.q[7:])
    np.testing.assert_array_equal(twin.readings.v, theirs.v[6:])
    np.testing.assert_array_equal(twin.readings.tau_Nm, theirs.tau_Nm)


def test_gate_holds_for_the_nominal_plant_only(robot: Robot) -> None:
    """The imperfections come after the gate, which would refuse them."""
    plant = MujocoPlant(robot)
    check_models(robot, plant, samples=2)
    TwinPlant(robot, plant, HARDWARE_TWIN, seed=0)
    with pytest.raises(ModelMismatchError, match="differ in mass"):
        check_models(robot, plant, samples=2)


def test_true_model_is_the_simulated_robot(robot: Robot) -> None:
    """Every link is off by at most 5 %, and is the same body in both worlds."""
    settings = ImperfectionSettings(link_mass_error=0.05)
    plant = MujocoPlant(robot)
    twin = TwinPlant(robot, plant, settings, seed=4)
    model, nominal = twin.true_model, robot.full_model
    scales = np.array(list(twin.link_scales.values()))
    assert 0.03 < np.abs(scales - 1.0).max() <= 0.05
    for joint in range(1, model.njoints):
        ours, body = model.inertias[joint], plant.mj_model.body(link_name(model, joint))
        assert ours.mass == pytest.approx(float(body.mass[0]), rel=1e-12)
        np.testing.assert_allclose(ours.lever, nominal.inertias[joint].lever)
        moments = np.linalg.eigvalsh(ours.inertia)
        np.testing.assert_allclose(moments, np.sort(body.inertia), rtol=1e-9)
        assert 2 * moments.max() < moments.sum()


def test_standing_twin_weighs_what_its_model_says(
    robot: Robot, standing_tau_Nm: NDArray
) -> None:
    twin = _twin(robot, ImperfectionSettings(link_mass_error=0.05), seed=2)
    truth = twin.reset(robot.home_q_full)
    for _ in range(600):
        pull = 600.0 * (robot.home_q_full[7:] - truth.q[7:]) - 15.0 * truth.v[6:]
        truth = twin.step(standing_tau_Nm + pull)
    weight_N = twin.contact_truth().wrenches[:, 2].sum()
    mass = pin.computeTotalMass(twin.true_model)
    assert abs(mass - pin.computeTotalMass(robot.full_model)) > 0.1
    assert weight_N == pytest.approx(9.81 * mass, rel=2e-3)


def test_extra_armature_and_viscous_friction_enter_the_motion(robot: Robot) -> None:
    """A neck in the air: (I + armature) qdd = tau - d qd, to first order."""
    neck = robot.joint_names.index("NECK_Z")
    tau = np.zeros(len(robot.joint_names))
    tau[neck] = 0.5

    def acceleration(settings: ImperfectionSettings) -> float:
        twin = _twin(robot, settings)
        twin.reset(_in_the_air(robot))
        return float(twin.step(tau).v[6 + neck] / twin.dt_s)

    clean = acceleration(CLEAN)
    heavier = acceleration(ImperfectionSettings(armature_kgm2=0.005))
    # 1 / acceleration is inertia over torque: the difference is what was added.
    assert 0.49 / heavier - 0.49 / clean == pytest.approx(0.005, rel=0.05)
    assert acceleration(ImperfectionSettings(viscous_share_s=0.01)) < clean


def test_each_joint_has_its_own_friction(robot: Robot) -> None:
    """Within the spread, dry and viscous alike, seeded, and no other draw moves."""
    settings = ImperfectionSettings(
        coulomb_share=0.01, viscous_share_s=0.002, friction_error=0.3
    )
    plants = [MujocoPlant(robot) for _ in range(3)]
    nominal = plants[0].mj_model.dof_frictionloss[plants[0].joints.dof].copy()
    twins = [
        TwinPlant(robot, plant, settings, seed=seed)
        for plant, seed in zip(plants, (4, 4, 5), strict=True)
    ]
    scales = twins[0].friction_scales
    assert 0.25 < np.abs(scales - 1.0).max() <= 0.3
    dry = plants[0].mj_model.dof_frictionloss[plants[0].joints.dof] - nominal
    np.testing.assert_allclose(dry, 0.01 * scales * robot.torque_limits_full_Nm)
    np.testing.assert_array_equal(twins[1].friction_scales, scales)
    assert np.abs(twins[2].friction_scales - scales).max() > 0.05
    whole, sure = (
        _twin(robot, msgspec.structs.replace(HARDWARE_TWIN, friction_error=error))
        for error in (0.3, 0.0)
    )
    assert whole.link_scales == sure.link_scales
    np.testing.assert_array_equal(
        whole.readings.gyro_rad_per_s, sure.readings.gyro_rad_per_s
    )


@pytest.mark.parametrize(("share", "moves"), [(0.5, False), (2.0, True)])
def test_dry_friction_holds_a_joint(robot: Robot, share: float, moves: bool) -> None:
    """Below the breakaway torque nothing moves, above it does."""
    neck = robot.joint_names.index("NECK_Z")
    tau = np.zeros(len(robot.joint_names))
    tau[neck] = share * 0.05 * robot.torque_limits_full_Nm[neck]
    twin = _twin(robot, ImperfectionSettings(coulomb_share=0.05))
    twin.reset(_in_the_air(robot))
    for _ in range(50):
        truth = twin.step(tau)
    assert abs(truth.v[6 + neck]) > 1.0 if moves else abs(truth.v[6 + neck]) < 0.01


def test_soft_soles_sink_under_the_weight(
    robot: Robot, standing_tau_Nm: NDArray
) -> None:
    """About half a millimetre, and the floor beside them stays hard."""

    def depth_m(settings: ImperfectionSettings) -> float:
        twin = _twin(robot, settings)
        truth = twin.reset(robot.home_q_full)
        for _ in range(600):
            pull = 600.0 * (robot.home_q_full[7:] - truth.q[7:]) - 15.0 * truth.v[6:]
            truth = twin.step(standing_tau_Nm + pull)
        return float(robot.home_q_full[2] - truth.q[2])

    soft = ImperfectionSettings(sole_time_constant_s=0.02)
    assert 2e-4 < depth_m(soft) - depth_m(CLEAN) < 1e-3


def test_reset_repeats_and_seeds_differ(robot: Robot, standing_tau_Nm: NDArray) -> None:
    def end(twin: TwinPlant) -> NDArray:
        twin.reset(robot.home_q_full)
        for _ in range(30):
            twin.step(standing_tau_Nm)
        got = twin.readings
        return np.concatenate([got.q, got.v, got.tau_Nm, got.gyro_rad_per_s])

    twin = _twin(robot)
    first = end(twin)
    np.testing.assert_array_equal(end(twin), first)
    np.testing.assert_array_equal(end(_twin(robot)), first)
    assert np.abs(end(_twin(robot, seed=1)) - first).max() > 1e-6


def test_one_switch_leaves_the_other_draws(robot: Robot) -> None:
    alone = _twin(robot, ImperfectionSettings(link_mass_error=0.05), seed=5)
    assert alone.link_scales == _twin(robot, seed=5).link_scales


def test_bad_torque_stops_the_twin_until_reset(
    robot: Robot, standing_tau_Nm: NDArray
) -> None:
    twin = _twin(robot)
    before = twin.readings
    tau = standing_tau_Nm.copy()
    tau[0] = np.nan
    twin.step(tau)
    assert twin.fault is not None
    assert robot.joint_names[0] in twin.fault
    assert twin.readings is before
    twin.reset(robot.home_q_full)
    assert np.isfinite(twin.step(standing_tau_Nm).q).all()


def _actuators(settings: ImperfectionSettings) -> ActuatorModel:
    limits = np.array([100.0, np.inf, 0.0])
    return ActuatorModel(settings, limits, 1e-3, np.random.SeedSequence(1))


def test_torque_loop_is_first_order() -> None:
    """63 % of a step after one time constant."""
    actuators = _actuators(
        ImperfectionSettings(torque_bandwidth_hz=1e3 / (2e1 * np.pi))
    )
    actuators.apply(np.zeros(3))
    for _ in range(10):
        torque = actuators.apply(np.array([10.0, 20.0, 5.0]))
    np.testing.assert_allclose(torque, (1 - np.exp(-1)) * np.array([10, 20, 0]))


def test_torque_constant_hides_from_the_current() -> None:
    actuators = _actuators(ImperfectionSettings(torque_constant_error=0.03))
    command = np.array([50.0, 50.0, 50.0])
    torque = actuators.apply(command)
    np.testing.assert_array_equal(actuators.current_Nm, [50.0, 50.0, 0.0])
    np.testing.assert_allclose(torque, actuators.torque_constant_ratio * [50, 50, 0])
    assert 0 < np.abs(actuators.torque_constant_ratio - 1).max() <= 0.03


def test_payload_reaches_the_wrapped_plant(robot: Robot) -> None:
    from wbmpc.plant.interface import Payload

    twin = _twin(robot)
    tip = robot.arms["left"].tip_frame
    twin.set_payload(tip, Payload(mass_kg=2.0), 0.0)
    twin.step(np.zeros(len(robot.joint_names)))
    assert twin.payload_mass_kg(tip) == 2.0
    total = mujoco.mj_getTotalmass(twin._plant.mj_model)
    assert total == pytest.approx(2.0 + pin.computeTotalMass(twin.true_model))
