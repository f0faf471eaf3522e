"""Aligner, leg wrenches, filter and limiter together, on simulated plants."""

import numpy as np
import pinocchio as pin
import pytest
from ekf_robots import TIP_M, Motion, home, statics, with_payload

from ekf import (
    ConsistentRateLimiter,
    FictitiousPrior,
    InertialEKF,
    LegTorqueWrench,
    PriorRegime,
    SignalAligner,
    inertia_from_parameters,
    torque_variance,
)
from ekf.inertia.pseudo_inertia import is_consistent

FEET = ("LEFT_SOLE", "RIGHT_SOLE")
LINKS = ("LEFT_ELBOW_Y", "RIGHT_ELBOW_Y")
CENTRE = np.array([0.3, 0.4, -0.5, 0.6, 0.4, 0.2])


def _arm_plant(arm, loaded, duration_s, load_time_s):
    """1 kHz semi-implicit Euler under computed torque; the load comes as a step."""
    motion = Motion(arm, CENTRE, 0.5, seed=5)
    q, v, _ = motion(0.0)
    datas = {id(model): model.createData() for model in (arm, loaded)}
    for tick in range(round(duration_s * 1000)):
        plant = loaded if tick * 1e-3 >= load_time_s else arm
        q_des, v_des, a_des = motion(tick * 1e-3)
        wanted = a_des + 400 * (q_des - q) + 40 * (v_des - v)
        tau = pin.rnea(arm, datas[id(arm)], q, v, wanted)
        v = v + 1e-3 * pin.aba(plant, datas[id(plant)], q, v, tau)
        q = pin.integrate(arm, q, 1e-3 * v)
        yield tick, (tick + 1) * 1e-3, q, v, tau


def _arm_masses(arm, loaded, aligned):
    estimator = InertialEKF(
        arm,
        ["J5"],
        measurement_variance=torque_variance(arm, joints=1.0),
        prior=FictitiousPrior(regime=PriorRegime.NONE),
    )
    aligner, masses = SignalAligner(arm), []
    for tick, time_s, q, v, tau in _arm_plant(arm, loaded, 2.5, 1.0):
        sample = aligner.push(time_s, q, v, tau)
        if tick % 10 or sample is None:
            continue
        fresh = (q, v, sample.a, tau)
        together = (sample.q, sample.v, sample.a, sample.tau)
        estimate = estimator.update(*(together if aligned else fresh), dt_s=0.01)
        masses.append(estimate.mass_kg[0])
    assert estimate.ok
    return np.array(masses)


def test_alignment_decides_the_estimate(arm):
    loaded = with_payload(arm, "J5", 2.0, (0.0, 0.05, -0.2))
    truth = loaded.inertias[6].mass
    before, settled = slice(60, 99), slice(150, None)
    aligned = _arm_masses(arm, loaded, aligned=True)
    fresh = _arm_masses(arm, loaded, aligned=False)
    assert np.abs(aligned[before] - 0.7).max() < 0.05
    assert np.abs(aligned[settled] - truth).max() < 0.1 * truth
    worst = np.abs(aligned[settled] - truth).max()
    assert np.abs(fresh[settled] - truth).max() > 3 * worst


def test_humanoid_with_wrenches_from_leg_torques(biped):
    motion = Motion(biped, home(biped), 0.25, 3, base_amplitude=0.02)
    loaded = with_payload(biped, LINKS[0], 5.0, TIP_M)
    estimator = InertialEKF(biped, LINKS, feet=FEET)
    legs = LegTorqueWrench(biped, FEET)
    limiter = ConsistentRateLimiter(estimator.nominal_parameters)
    controller = biped.copy()
    for tick in range(200):
        q, v, a = motion(0.01 * tick)
        tau, _ = statics(loaded, FEET, q, v, a)
        feet = legs.solve(q, v, a, tau)
        estimate = estimator.update(q, v, a, tau, feet.wrenches, dt_s=0.01)
        published = limiter.step(estimate.parameters, 0.01)
        for joint_id, pi in zip(estimator.joint_ids, published, strict=True):
            assert is_consistent(pi)
            controller.inertias[joint_id] = inertia_from_parameters(pi)
    assert np.abs(estimate.innovation[6:18]).max() < 1e-6  # leg rows: by construction
    weight_kg = pin.computeTotalMass(loaded)
    assert pin.computeTotalMass(controller) == pytest.approx(weight_kg, abs=0.1)
    assert estimate.mass_kg[0] == pytest.approx(5.616, rel=0.03)


def test_weightless_legs_ruin_the_mass(biped):
    """The trap: leg torques taken as contact wrenches without the legs' own weight."""
    q, zeros = home(biped), np.zeros(27)
    tau, _ = statics(biped, FEET, q, zeros, zeros)
    weightless = biped.copy()
    for joint_id in range(2, 14):
        weightless.inertias[joint_id] = pin.Inertia.Zero()
    masses = {}
    for name, model in (("full", biped), ("weightless", weightless)):
        estimator = InertialEKF(biped, LINKS, feet=FEET)
        legs = LegTorqueWrench(model, FEET)
        for _ in range(300):
            feet = legs.solve(q, zeros, zeros, tau)
            estimate = estimator.update(q, zeros, zeros, tau, feet.wrenches, dt_s=0.01)
        masses[name] = estimate.mass_kg
    assert np.abs(masses["full"] - 0.616).max() < 0.01
    assert np.abs(masses["weightless"] - 0.616).max() > 0.3
