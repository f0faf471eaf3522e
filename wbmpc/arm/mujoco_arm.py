"""The arm in MuJoCo: torque motors, joint friction, a box in the jaws.

Built from the Pinocchio model without mount and payload, which are bodies of their
own here: the gate compares two ways to put the same masses together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.arm.description import (
    Arm,
    check_payload_mass,
    mount_inertia,
    payload_inertia,
)
from wbmpc.errors import RobotError, WbmpcError
from wbmpc.plant.interface import Measurement
from wbmpc.plant.mujoco_body import add_body
from wbmpc.plant.mujoco_model import add_link

PAYLOAD_BODY = "payload"
MOUNT_BODY = "camera_mount"
_LARGEST_SPEED_RAD_PER_S = 1e3


class ArmStartError(WbmpcError):
    """A configuration the arm cannot start from."""


@dataclass(frozen=True, kw_only=True)
class PositionServos:
    """Motors that are told positions instead of torques.

    Attributes:
        stiffness_Nm_per_rad: (n,) of their own loops.
        damping_Nms_per_rad: (n,) of their own loops.
    """

    stiffness_Nm_per_rad: Array
    damping_Nms_per_rad: Array


class MujocoArm:
    """Torque plant behind `ArmPlant`: state in full, torques as asked for.

    A fault (a torque that is not finite, a diverged state) is latched in `fault`; from
    then on the plant stands still at its last good state until it is reset.
    """

    def __init__(
        self,
        arm: Arm,
        *,
        payload_kg: float = 0.0,
        substeps: int = 1,
        friction_Nm: float | None = None,
        armature_kgm2: float | None = None,
        servos: PositionServos | None = None,
    ) -> None:
        """Build the simulation at rest in the zero configuration.

        Args:
            arm: What to simulate.
            payload_kg: Mass of the box in the jaws.
            substeps: Steps of the simulator in one period.
            friction_Nm: Coulomb friction of each joint; None: that of the settings.
            armature_kgm2: Rotor inertia; None: that of the settings.
            servos: What the motors are, if they do not take torques.

        Raises:
            PayloadError: An impossible mass.
            RobotError: MuJoCo refuses the model.
        """
        self._arm, self._substeps = arm, substeps
        check_payload_mass(payload_kg)
        self.mj_model = _build(arm, payload_kg, substeps, friction_Nm, armature_kgm2)
        if servos is not None:
            _make_servos(self.mj_model, servos)
        self.mj_data = mujoco.MjData(self.mj_model)
        self._fault: str | None = None
        self._last = self.reset(np.zeros(self.mj_model.nq))

    @property
    def dt_s(self) -> float:
        """Length of one period."""
        return self._arm.settings.plant.dt_s

    @property
    def fault(self) -> str | None:
        """The name of the fault; None while all is well."""
        return self._fault

    def reset(self, q: Array) -> Measurement:
        """Start at rest in a configuration, time zero.

        Raises:
            ArmStartError: Wrong length, or values that are not finite.
        """
        if q.shape != (self.mj_model.nq,) or not np.isfinite(q).all():
            raise ArmStartError(
                f"start configuration {q}: must be {self.mj_model.nq} finite angles"
            )
        mujoco.mj_resetData(self.mj_model, self.mj_data)
        self._fault = None
        self.mj_data.qpos[:] = q
        mujoco.mj_forward(self.mj_model, self.mj_data)
        self._last = self._measure(np.zeros(self.mj_model.nv))
        return self._last

    def step(self, tau_Nm: Array, q_wanted: Array | None = None) -> Measurement:
        """Apply torques for one period; `q_wanted` is of no use here."""
        del q_wanted
        self.advance(tau_Nm, self._substeps)
        if self._fault is None:
            limits = self._arm.torque_limits_Nm
            self._last = self._measure(np.clip(tau_Nm, -limits, limits))
        return self._last

    def advance(self, command: Array, steps: int) -> None:
        """Apply torques, or angles to servos, for some steps of the simulator.

        The motors keep to their limits.
        """
        if self._fault is None and not np.isfinite(command).all():
            names = np.array(self._arm.joint_names)[~np.isfinite(command)]
            self._fault = f"command not finite: {', '.join(names)}"
        if self._fault is not None:
            return
        self.mj_data.ctrl[:] = command
        mujoco.mj_step(self.mj_model, self.mj_data, steps)
        self._fault = self._divergence()

    def _measure(self, applied_Nm: Array) -> Measurement:
        return Measurement(
            time_s=self.mj_data.time,
            q=self.mj_data.qpos.copy(),
            v=self.mj_data.qvel.copy(),
            tau_Nm=applied_Nm,
        )

    def _divergence(self) -> str | None:
        speed = float(np.abs(self.mj_data.qvel).max())
        if speed < _LARGEST_SPEED_RAD_PER_S:  # false for NaN
            return None
        return f"simulation diverged at {self.mj_data.time:.3f} s"


def _build(
    arm: Arm,
    payload_kg: float,
    substeps: int,
    friction_Nm: float | None,
    armature_kgm2: float | None,
) -> mujoco.MjModel:
    physics = arm.settings.plant
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = physics.dt_s / substeps
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # A broken state stays visible instead of jumping back to the start pose.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    joint: dict[str, Any] = {
        "type": mujoco.mjtJoint.mjJNT_HINGE,
        "axis": (0.0, 0.0, 1.0),
        "damping": [physics.damping_Nms_per_rad, 0.0, 0.0],
        "frictionloss": physics.friction_Nm if friction_Nm is None else friction_Nm,
        "armature": physics.armature_kgm2 if armature_kgm2 is None else armature_kgm2,
    }
    _add_bodies(spec, arm, payload_kg, joint)
    for name, limit in zip(arm.joint_names, arm.torque_limits_Nm, strict=True):
        motor = spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            ctrllimited=True,
            ctrlrange=(-limit, limit),
        )
        motor.set_to_motor()
    try:
        return spec.compile()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise RobotError(f"{arm.settings.urdf}: MuJoCo refuses it: {reason}") from None


def _make_servos(model: mujoco.MjModel, servos: PositionServos) -> None:
    """Turn torque motors into position servos of the same torque limits.

    force = k (ctrl - q) - d v, clipped.
    """
    stiffness, damping = servos.stiffness_Nm_per_rad, servos.damping_Nms_per_rad
    model.actuator_forcerange[:] = model.actuator_ctrlrange
    model.actuator_forcelimited[:] = True
    model.actuator_ctrllimited[:] = False
    model.actuator_gainprm[:, 0] = stiffness
    model.actuator_biastype[:] = mujoco.mjtBias.mjBIAS_AFFINE
    model.actuator_biasprm[:, 1] = -stiffness
    model.actuator_biasprm[:, 2] = -damping


def _add_bodies(
    spec: mujoco.MjSpec, arm: Arm, payload_kg: float, joint: dict[str, Any]
) -> None:
    bare = arm.model.copy()
    mount = mount_inertia(arm.settings)
    bare.inertias[arm.tip_joint] -= mount
    bodies = [spec.worldbody]
    for index in range(1, bare.njoints):
        body = add_link(bodies[bare.parents[index]], bare, index)
        low, high = (
            float(bound[index - 1])
            for bound in (bare.lowerPositionLimit, bare.upperPositionLimit)
        )
        body.add_joint(name=bare.names[index], limited=True, range=(low, high), **joint)
        bodies.append(body)
    gripper = bodies[arm.tip_joint]
    if mount.mass > 0.0:
        add_body(gripper, MOUNT_BODY, pin.SE3.Identity(), mount)
    if payload_kg > 0.0:
        box = payload_inertia(arm.settings, payload_kg)
        add_body(gripper, PAYLOAD_BODY, arm.tip_placement, box)
