"""Compares a floating Pinocchio model with the MuJoCo model built from it."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from models.settings import PlantSettings
from wbmpc import conventions
from wbmpc.plant.mujoco_model import add_bodies, joint_map

TOLERANCE = 1e-8


def plant_spec(model: pin.Model, physics: PlantSettings | None = None) -> mujoco.MjSpec:
    """Bodies and joints of a robot, and nothing that touches them."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    add_bodies(spec, model, physics or PlantSettings())
    return spec


def compare(model: pin.Model, *, samples: int, seed: int = 0) -> None:
    """Mass to 1e-6 kg; M, gravity and bias to 1e-8 of their largest entry."""
    plant = plant_spec(model).compile()
    mass = pin.computeTotalMass(model)
    assert abs(plant.body_mass.sum() - mass) <= 1e-6
    joints = joint_map(model.names[2:], plant)
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        q, v = _random_state(model, rng)
        for ours, theirs in zip(
            _pinocchio(model, q, v), _mujoco(plant, joints, q, v), strict=True
        ):
            error = np.abs(ours - theirs).max() / np.abs(ours).max()
            assert error <= TOLERANCE, error


def _random_state(
    model: pin.Model, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    quaternion_xyzw = rng.normal(size=4)
    quaternion_xyzw /= np.linalg.norm(quaternion_xyzw)
    angles = rng.uniform(-1.0, 1.0, model.nq - 7)
    q = np.concatenate([rng.uniform(-1.0, 1.0, 3), quaternion_xyzw, angles])
    return q, rng.normal(size=model.nv)


def _pinocchio(
    model: pin.Model, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data = model.createData()
    upper = np.triu(pin.crba(model, data, q))
    gravity = pin.computeGeneralizedGravity(model, data, q).copy()
    bias = pin.nonLinearEffects(model, data, q, v).copy()
    return upper + np.triu(upper, 1).T, gravity, bias


def _mujoco(
    plant: mujoco.MjModel,
    joints: conventions.JointMap,
    q: np.ndarray,
    v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data, rotation = mujoco.MjData(plant), conventions.base_rotation(q)
    data.qpos[:] = conventions.qpos_from_q(q, joints)
    mujoco.mj_forward(plant, data)
    gravity = conventions.tau_from_qfrc(data.qfrc_bias, rotation, joints)
    data.qvel[:] = conventions.qvel_from_v(v, rotation, joints)
    mujoco.mj_forward(plant, data)
    mass = np.zeros((plant.nv, plant.nv))
    mujoco.mj_fullM(plant, data, mass)
    still = conventions.qacc_from_a(np.zeros_like(v), v, rotation, joints)
    bias = conventions.tau_from_qfrc(data.qfrc_bias + mass @ still, rotation, joints)
    mass = conventions.mass_matrix_from_mujoco(mass, rotation, joints)
    return mass, gravity, bias
