"""Blocking gate: plant and controller's model of the arm agree, or nothing runs."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.arm.description import Arm
from wbmpc.arm.mujoco_arm import MujocoArm
from wbmpc.errors import ModelMismatchError

TOLERANCE = 1e-11
"""Largest difference [Nm, Nm, kg m^2]: rounding, and nothing a gram could hide in."""

POSES_RAD = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.6, 0.7, -0.8, 0.5, 0.4, 0.0],
        [0.3, 0.35, -0.4, 0.25, 0.2, 0.0],
        [0.0, 1.2, -0.2, 0.0, 0.0, 0.0],
        [-0.5, -0.8, 0.9, -0.6, 0.3, 0.2],
    ]
)
"""Zero, the task's target and half way to it, stretched out, and the other side."""
VELOCITIES_RAD_PER_S = np.array(
    [[0.2, -0.3, 0.25, -0.15, 0.1, -0.05], [-0.4, 0.2, -0.1, 0.3, -0.25, 0.15]]
)


@dataclass(frozen=True, kw_only=True)
class ArmGateReport:
    """Largest absolute differences over five poses and two velocities.

    Attributes:
        gravity_Nm: Of the gravity torques.
        bias_Nm: Of gravity, Coriolis and centrifugal torques.
        mass_matrix: Of the entries of M(q), rotor inertia included [kg m^2].
    """

    gravity_Nm: float
    bias_Nm: float
    mass_matrix: float

    def worst(self, other: ArmGateReport) -> ArmGateReport:
        """The larger value of each."""
        return ArmGateReport(
            gravity_Nm=max(self.gravity_Nm, other.gravity_Nm),
            bias_Nm=max(self.bias_Nm, other.bias_Nm),
            mass_matrix=max(self.mass_matrix, other.mass_matrix),
        )


def check_arm(arm: Arm, plant: MujocoArm, model: pin.Model) -> ArmGateReport:
    """Compare the plant with a model in five poses, at rest and at two velocities.

    Args:
        arm: For the names of the joints.
        plant: The plant; its own state is not touched.
        model: What a controller that knows this plant's payload would use.

    Raises:
        ModelMismatchError: Anything differs by more than `TOLERANCE`; names the joint
            and both numbers.
    """
    probe = _Probe(arm, plant, model)
    gravity = bias = mass = 0.0
    still = np.zeros(model.nv)
    for q in POSES_RAD:
        mass = max(mass, probe.mass_matrix(q))
        gravity = max(gravity, probe.torques("gravity", q, still))
        for v in VELOCITIES_RAD_PER_S:
            bias = max(bias, probe.torques("bias", q, v))
    return ArmGateReport(gravity_Nm=gravity, bias_Nm=bias, mass_matrix=mass)


class _Probe:
    """Evaluates both models in the same state."""

    def __init__(self, arm: Arm, plant: MujocoArm, model: pin.Model) -> None:
        self._names, self._model = arm.joint_names, model
        self._data = model.createData()
        self._mj_model = plant.mj_model
        self._mj_data = mujoco.MjData(plant.mj_model)

    def mass_matrix(self, q: Array) -> float:
        upper = np.triu(pin.crba(self._model, self._data, q))
        ours = upper + np.triu(upper, 1).T
        self._forward(q, np.zeros(self._model.nv))
        theirs = np.zeros_like(ours)
        mujoco.mj_fullM(self._mj_model, self._mj_data, theirs)
        row, column = np.unravel_index(np.abs(ours - theirs).argmax(), ours.shape)
        what = f"mass matrix entry ({self._names[row]}, {self._names[column]})"
        return _judged(what, ours[row, column], theirs[row, column])

    def torques(self, what: str, q: Array, v: Array) -> float:
        ours = pin.nonLinearEffects(self._model, self._data, q, v)
        self._forward(q, v)
        theirs = self._mj_data.qfrc_bias
        row = int(np.abs(ours - theirs).argmax())
        return _judged(f"{what} at {self._names[row]}", ours[row], theirs[row])

    def _forward(self, q: Array, v: Array) -> None:
        self._mj_data.qpos[:], self._mj_data.qvel[:] = q, v
        mujoco.mj_forward(self._mj_model, self._mj_data)


def _judged(what: str, ours: float, theirs: float) -> float:
    error = abs(float(ours) - float(theirs))
    if not error <= TOLERANCE:
        raise ModelMismatchError(
            f"plant and controller differ most in the {what}: controller {ours:.12g}, "
            f"plant {theirs:.12g} (error {error:.3g}, allowed {TOLERANCE:g}): "
            "nothing runs"
        )
    return error
