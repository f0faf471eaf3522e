"""Errors of the rigid-body model, written into a compiled MuJoCo model."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.conventions import JointMap
from wbmpc.friction import effort_scale_Nm
from wbmpc.plant.imperfections import ImperfectionSettings
from wbmpc.plant.mujoco_model import FLOOR, link_name
from wbmpc.robot import Robot

_STICTION_SOLREF = (0.004, 1.0)
_STICTION_SOLIMP = (0.99, 0.99, 0.001, 0.5, 2.0)
"""MuJoCo's default friction creeps like a thick grease: tenths of a rad/s below the
breakaway torque. These hold a joint to a few mrad/s."""


def draw_link_scales(
    robot: Robot, half_width: float, seed: np.random.SeedSequence
) -> dict[str, float]:
    """Factor on the inertia of each link, uniform about one, by link name."""
    model = robot.full_model
    names = [link_name(model, joint) for joint in range(1, model.njoints)]
    draws = np.random.default_rng(seed).uniform(-1.0, 1.0, len(names))
    return dict(zip(names, (1.0 + half_width * draws).tolist(), strict=True))


def draw_friction_scales(
    joints: int, half_width: float, seed: np.random.SeedSequence
) -> Array:
    """(n,) factor on the friction of each joint, uniform about one."""
    draws: Array = np.random.default_rng(seed).uniform(-1.0, 1.0, joints)
    return 1.0 + half_width * draws


def scaled_model(robot: Robot, scales: dict[str, float]) -> pin.Model:
    """Copy of `Robot.full_model` whose links have the scaled pseudo-inertia.

    Gamma -> s Gamma: mass, first moment and rotational inertia scale alike, the centre
    of mass stays, and a possible body stays a possible body.
    """
    model = robot.full_model.copy()
    for joint in range(1, model.njoints):
        scale = scales[link_name(model, joint)]
        parameters = scale * model.inertias[joint].toDynamicParameters()
        model.inertias[joint] = pin.Inertia.FromDynamicParameters(parameters)
    return model


def write_link_scales(model: mujoco.MjModel, scales: dict[str, float]) -> None:
    """Scale the links of the plant; constants of the model are brought up to date."""
    if all(scale == 1.0 for scale in scales.values()):
        return
    for name, scale in scales.items():
        body = model.body(name).id
        model.body_mass[body] *= scale
        model.body_inertia[body] *= scale
    mujoco.mj_setConst(model, mujoco.MjData(model))


def write_joint_errors(
    model: mujoco.MjModel,
    joints: JointMap,
    settings: ImperfectionSettings,
    limits_Nm: Array,
    friction_scales: Array,
) -> None:
    """Add friction, damping and armature to every actuated joint.

    Args:
        model: The plant's model.
        joints: Where the robot's joints live in it.
        settings: Sizes of the errors.
        limits_Nm: (n,) effort limits in the robot's joint order.
        friction_scales: (n,) factor on each joint's friction, dry and viscous.
    """
    scale = friction_scales * effort_scale_Nm(limits_Nm)
    if settings.coulomb_share > 0.0:
        model.dof_frictionloss[joints.dof] += settings.coulomb_share * scale
        model.dof_solref[joints.dof] = _STICTION_SOLREF
        model.dof_solimp[joints.dof] = _STICTION_SOLIMP
    # One column a power of the velocity in newer MuJoCo; the first is linear.
    damping = model.dof_damping.reshape(model.nv, -1)
    damping[joints.dof, 0] += settings.viscous_share_s * scale
    model.dof_armature[joints.dof] += settings.armature_kgm2
    if settings.armature_kgm2 > 0.0:
        mujoco.mj_setConst(model, mujoco.MjData(model))


def write_sole_compliance(
    model: mujoco.MjModel, robot: Robot, settings: ImperfectionSettings
) -> None:
    """Soften the contact between soles and floor; the rest of the floor stays hard."""
    if settings.sole_time_constant_s == 0.0:
        return
    for sole in robot.soles:
        geom = model.geom(sole.frame).id
        model.geom_solref[geom, 0] = settings.sole_time_constant_s
        # The sole alone decides: MuJoCo would average both surfaces.
        model.geom_priority[geom] = 1 + model.geom_priority[model.geom(FLOOR).id]
