"""Blocking gate: the plant and the controller's model are the same robot, or no run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from wbmpc import conventions
from wbmpc.conventions import BASE_NV
from wbmpc.errors import ModelMismatchError
from wbmpc.plant.mujoco_model import link_name
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot

MASS_TOLERANCE_KG = 1e-6
_BASE_ROWS = ("base x", "base y", "base z", "base roll", "base pitch", "base yaw")


@dataclass(frozen=True, kw_only=True)
class GateReport:
    """Largest disagreements met over all samples.

    Attributes:
        samples: Random states compared.
        mass_kg: Total mass of the controller's model.
        mass_error_kg: Difference of the total masses.
        mass_matrix_error: M(q), relative to its largest entry.
        gravity_error: Gravity vector, relative to its largest entry.
        bias_error: Gravity, Coriolis and centrifugal forces, relative.
        bias_error_unconverted_Nm: What `bias_error` would look like, in Nm (N in base
            rows), had MuJoCo's classical base acceleration been taken for
            Pinocchio's spatial one; shown because the effect is easily overlooked.
        sole_error_m: Distance of the sole frames, and of their axes' ends at 1 m.
    """

    samples: int
    mass_kg: float
    mass_error_kg: float
    mass_matrix_error: float
    gravity_error: float
    bias_error: float
    bias_error_unconverted_Nm: float
    sole_error_m: float


@dataclass(frozen=True, kw_only=True)
class _Dynamics:
    """M (nv, nv), gravity (nv), bias (nv), sole placements (2, 3, 4) of one model."""

    mass_matrix: Array
    gravity: Array
    bias: Array
    soles: Array


def check_models(
    robot: Robot,
    plant: MujocoPlant,
    *,
    samples: int = 20,
    seed: int = 0,
    tolerance: float = 1e-8,
) -> GateReport:
    """Compare both models in random states; the plant's own state is not touched.

    With T of `wbmpc.conventions` and omega, v the base twist in the base frame,
    M = T^T M_mj T and b = T^T (b_mj + M_mj [R (omega x v); 0]).

    Args:
        robot: The controller's robot.
        plant: The plant, without payloads.
        samples: Number of random states.
        seed: Of the random states.
        tolerance: Largest relative difference of M, gravity and bias, and largest
            difference of the sole frames [m].

    Raises:
        ModelMismatchError: Anything differs, or a payload is attached; names the worst
            link or joint with both numbers.
    """
    mass_error = _check_masses(robot, plant)
    _check_joints(robot, plant)
    probe = _Probe(robot, plant)
    rng = np.random.default_rng(seed)
    errors = np.array([probe.compare(rng, tolerance) for _ in range(samples)])
    worst = errors.max(axis=0, initial=0.0).tolist()
    return GateReport(
        samples=samples,
        mass_kg=pin.computeTotalMass(robot.full_model),
        mass_error_kg=mass_error,
        mass_matrix_error=worst[0],
        gravity_error=worst[1],
        bias_error=worst[2],
        bias_error_unconverted_Nm=worst[3],
        sole_error_m=worst[4],
    )


class _Probe:
    """Evaluates both models in the same random state."""

    def __init__(self, robot: Robot, plant: MujocoPlant) -> None:
        self._robot, self._model = robot, robot.full_model
        self._data = self._model.createData()
        self._mj_model, self._joints = plant.mj_model, plant.joints
        self._mj_data = mujoco.MjData(self._mj_model)
        self._rows = (*_BASE_ROWS, *robot.joint_names)

    def compare(self, rng: np.random.Generator, tolerance: float) -> list[float]:
        """Errors of one state, in the order of `GateReport`."""
        q, v = _random_state(self._model, rng)
        ours, (theirs, raw_bias) = self._controller(q, v), self._plant(q, v)
        mass = self._matrix_error(ours, theirs, tolerance)
        gravity = self._row_error("gravity", ours, theirs, tolerance)
        bias = self._row_error("bias", ours, theirs, tolerance)
        unconverted = float(np.abs(raw_bias - ours.bias).max())
        return [
            mass,
            gravity,
            bias,
            unconverted,
            self._sole_error(ours, theirs, tolerance),
        ]

    def _controller(self, q: Array, v: Array) -> _Dynamics:
        model, data = self._model, self._data
        upper = np.triu(pin.crba(model, data, q))
        gravity = pin.computeGeneralizedGravity(model, data, q).copy()
        bias = pin.nonLinearEffects(model, data, q, v).copy()
        pin.framesForwardKinematics(model, data, q)
        ids = [frame_index(model, sole.frame) for sole in self._robot.soles]
        return _Dynamics(
            mass_matrix=upper + np.triu(upper, 1).T,
            gravity=gravity,
            bias=bias,
            soles=np.array([data.oMf[i].homogeneous[:3] for i in ids]),
        )

    def _plant(self, q: Array, v: Array) -> tuple[_Dynamics, Array]:
        """The plant's dynamics in Pinocchio's conventions, and its bias without them.

        The second value leaves out M_mj [R (omega x v); 0].
        """
        rotation = conventions.base_rotation(q)
        gravity_mj, _ = self._forward(q, np.zeros_like(v))
        bias_mj, mass_mj = self._forward(q, v)
        still = conventions.qacc_from_a(np.zeros_like(v), v, rotation, self._joints)

        def force(qfrc: Array) -> Array:
            return conventions.tau_from_qfrc(qfrc, rotation, self._joints)

        dynamics = _Dynamics(
            mass_matrix=conventions.mass_matrix_from_mujoco(
                mass_mj, rotation, self._joints
            ),
            gravity=force(gravity_mj),
            bias=force(bias_mj + mass_mj @ still),
            soles=np.array([self._site(sole.frame) for sole in self._robot.soles]),
        )
        return dynamics, force(bias_mj)

    def _forward(self, q: Array, v: Array) -> tuple[Array, Array]:
        rotation = conventions.base_rotation(q)
        self._mj_data.qpos[:] = conventions.qpos_from_q(q, self._joints)
        self._mj_data.qvel[:] = conventions.qvel_from_v(v, rotation, self._joints)
        mujoco.mj_forward(self._mj_model, self._mj_data)
        mass = np.zeros((self._mj_model.nv, self._mj_model.nv))
        mujoco.mj_fullM(self._mj_model, self._mj_data, mass)
        return self._mj_data.qfrc_bias.copy(), mass

    def _site(self, frame: str) -> Array:
        site = self._mj_data.site(frame)
        return np.column_stack([site.xmat.reshape(3, 3), site.xpos])

    def _matrix_error(self, a: _Dynamics, b: _Dynamics, tolerance: float) -> float:
        error = np.abs(a.mass_matrix - b.mass_matrix) / np.abs(a.mass_matrix).max()
        row, column = np.unravel_index(error.argmax(), error.shape)
        what = f"mass matrix entry ({self._rows[row]}, {self._rows[column]})"
        numbers = (float(x.mass_matrix[row, column]) for x in (a, b))
        return _judged(what, error[row, column], numbers, tolerance)

    def _row_error(
        self, name: str, a: _Dynamics, b: _Dynamics, tolerance: float
    ) -> float:
        ours, theirs = getattr(a, name), getattr(b, name)
        error = np.abs(ours - theirs) / np.abs(ours).max()
        row = int(error.argmax())
        numbers = (float(x[row]) for x in (ours, theirs))
        return _judged(f"{name} at {self._rows[row]}", error[row], numbers, tolerance)

    def _sole_error(self, a: _Dynamics, b: _Dynamics, tolerance: float) -> float:
        error = np.abs(a.soles - b.soles)
        sole, row, column = np.unravel_index(error.argmax(), error.shape)
        what = f"placement of {self._robot.soles[sole].frame} [{row}, {column}]"
        numbers = (float(x.soles[sole, row, column]) for x in (a, b))
        return _judged(what, error[sole, row, column], numbers, tolerance)


def _check_masses(robot: Robot, plant: MujocoPlant) -> float:
    """Difference of the total masses; no link may differ by more than 1 mg."""
    model, mujoco_model = robot.full_model, plant.mj_model
    names = [link_name(model, joint) for joint in range(1, model.njoints)]
    ours = {name: model.inertias[i].mass for i, name in enumerate(names, start=1)}
    bodies = [mujoco_model.body(i) for i in range(1, mujoco_model.nbody)]
    theirs = {body.name: float(body.mass[0]) for body in bodies}
    wrong = [
        f"{name}: controller {ours.get(name, 0.0):.9g} kg, "
        f"plant {theirs.get(name, 0.0):.9g} kg"
        for name in {**ours, **theirs}
        if abs(ours.get(name, 0.0) - theirs.get(name, 0.0)) > MASS_TOLERANCE_KG
    ]
    if wrong:
        raise ModelMismatchError(
            f"plant and controller differ in mass (allowed: {MASS_TOLERANCE_KG:g} kg): "
            + "; ".join(wrong)
        )
    return abs(sum(ours.values()) - sum(theirs.values()))


def _check_joints(robot: Robot, plant: MujocoPlant) -> None:
    """Order, limits and armature joint by joint, so that the message names one."""
    model = robot.full_model
    for index, name in enumerate(robot.joint_names):
        joint, motor = plant.mj_model.joint(name), plant.mj_model.actuator(name)
        mapped = (int(plant.joints.qpos[index]), int(plant.joints.dof[index]))
        _same(name, "indices", mapped, np.concatenate([joint.qposadr, joint.dofadr]))
        limit = float(robot.torque_limits_full_Nm[index])
        if np.isfinite(limit) and limit > 0.0:
            _same(name, "torque limits [Nm]", (-limit, limit), motor.ctrlrange)
        limits = model.lowerPositionLimit, model.upperPositionLimit
        if joint.range.any():
            ours = [float(bound[7 + index]) for bound in limits]
            _same(name, "position limits [rad or m]", ours, joint.range)
        armature = float(model.armature[BASE_NV + index])
        _same(name, "armature [kg m^2]", (armature,), joint.armature)


def _same(joint: str, what: str, ours: Sequence[float], theirs: Array) -> None:
    if tuple(ours) != tuple(theirs.tolist()):
        raise ModelMismatchError(
            f"{what} of joint {joint}: controller {tuple(ours)}, "
            f"plant {tuple(theirs.tolist())}"
        )


def _judged(
    what: str, error: float, numbers: Iterable[float], tolerance: float
) -> float:
    if not error <= tolerance:
        ours, theirs = numbers
        raise ModelMismatchError(
            f"plant and controller differ most in the {what}: controller {ours:.12g}, "
            f"plant {theirs:.12g} (error {error:.3g}, allowed {tolerance:g})"
        )
    return float(error)


def _random_state(model: pin.Model, rng: np.random.Generator) -> tuple[Array, Array]:
    low, high = model.lowerPositionLimit[7:], model.upperPositionLimit[7:]
    low, high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
    quaternion_xyzw = rng.normal(size=4)
    quaternion_xyzw /= np.linalg.norm(quaternion_xyzw)
    position_m = rng.uniform(-1.0, 1.0, 3)
    q = np.concatenate([position_m, quaternion_xyzw, rng.uniform(low, high)])
    return q, rng.normal(size=model.nv)
