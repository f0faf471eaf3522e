"""The robot in MuJoCo: rigid bodies, torque motors, flat floor, changing payloads."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from wbmpc import conventions
from wbmpc.errors import PayloadError, PushError, WbmpcError
from wbmpc.plant.interface import ContactTruth, Measurement, Payload, SensorReadings
from wbmpc.plant.mujoco_model import build_model, joint_map, link_name, payload_body
from wbmpc.plant.payload import PayloadRamp, check_payload
from wbmpc.plant.push import ActivePush, checked_push
from wbmpc.plant.sensors import perfect_readings
from wbmpc.robot import Robot

MAX_PENETRATION_M = 1e-3


class StartPoseError(WbmpcError):
    """A configuration the plant cannot start from."""


class MujocoPlant:
    """MuJoCo simulation of `Robot.full_model` with perfect sensors.

    The low level outside holds every joint, the neck included. Torques are clipped to
    the effort limits here, and `Measurement.tau_Nm` is what was applied.

    A fault (a torque that is not finite, or a MuJoCo warning such as a diverged
    state) is latched in `fault`; from then on the plant stands still at its last good
    state until it is reset.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        dt_s: float = 1e-3,
        payload_frames: Iterable[str] = (),
    ) -> None:
        """Build the simulation in the home pose.

        Args:
            robot: What to simulate.
            dt_s: Length of one step.
            payload_frames: Frames that can carry a load besides both arm tips.

        Raises:
            RobotError: MuJoCo cannot represent the robot.
            PayloadError: A payload frame that does not exist.
        """
        _silence_mujoco()
        self._robot = robot
        tips = [arm.tip_frame for arm in robot.arms.values()]
        frames = tuple(dict.fromkeys([*tips, *payload_frames]))
        for frame in frames:
            if not robot.full_model.existFrame(frame):
                raise PayloadError(f"payload frame {frame!r} is not in the robot file")
        self._model = build_model(robot, frames, dt_s)
        self._data = mujoco.MjData(self._model)
        self._scratch = mujoco.MjData(self._model)
        self._joints = joint_map(robot.joint_names, self._model)
        self._limits_Nm = robot.torque_limits_full_Nm
        self._motors = [self._model.actuator(n).id for n in robot.joint_names]
        self._soles = [_Sole(self._model, sole.frame) for sole in robot.soles]
        self._payloads = {frame: PayloadRamp() for frame in frames}
        self._loads = {f: self._model.body(payload_body(f)).id for f in frames}
        self._loads_settled = True
        self._pushes: dict[str, ActivePush] = {}
        self._fault: str | None = None
        self.reset(robot.home_q_full)

    @property
    def dt_s(self) -> float:
        """Length of one step."""
        return float(self._model.opt.timestep)

    @property
    def fault(self) -> str | None:
        """The name of the fault; None while all is well."""
        return self._fault

    @property
    def readings(self) -> SensorReadings:
        """The readings after the last step."""
        return perfect_readings(self._before, self._last, self.dt_s)

    @property
    def state(self) -> Measurement:
        """State after the last step."""
        return self._last

    @property
    def true_model(self) -> pin.Model:
        """The robot without loads: that of the controller."""
        return self._robot.full_model

    @property
    def mj_model(self) -> mujoco.MjModel:
        """The compiled model, for the gate and for inspection."""
        return self._model

    @property
    def joints(self) -> conventions.JointMap:
        """Where the robot's joints live in MuJoCo's vectors."""
        return self._joints

    def reset(self, q: Array) -> Measurement:
        """Start at rest in configuration `q` of `Robot.full_model`, time zero.

        All payloads and pushes are removed and faults cleared.

        Raises:
            StartPoseError: Wrong length, values that are not finite, a quaternion
                whose norm is off by more than 1e-3, or more than 1 mm inside the
                floor. The plant then stays as it was.
        """
        qpos = conventions.qpos_from_q(_checked_start(q, self._model.nq), self._joints)
        self._refuse_penetration(qpos)
        mujoco.mj_resetData(self._model, self._data)
        self._fault = None
        self._payloads = {frame: PayloadRamp() for frame in self._payloads}
        self._pushes = {}
        self._write_loads()
        self._data.qpos[:] = qpos
        mujoco.mj_forward(self._model, self._data)
        self._before = self._last = self._measure(np.zeros(len(self._motors)))
        return self._last

    def step(self, tau_Nm: Array) -> Measurement:
        """Apply joint torques (`Robot.joint_names` order) for one step.

        Args:
            tau_Nm: Torques before clipping; another number of them, or an entry that
                is not finite, counts as a fault and stops the plant.
        """
        if self._fault is None:
            self._fault = self._bad_torque(tau_Nm)
        if self._fault is not None:
            return self._last
        # One meaning of a limit: 0 is no torque, infinite is no limit.
        applied = np.clip(tau_Nm, -self._limits_Nm, self._limits_Nm)
        self._data.ctrl[self._motors] = applied
        if not self._loads_settled:
            self._write_loads()
        if self._pushes:
            self._write_pushes()
        mujoco.mj_step(self._model, self._data)
        self._fault = self._warning()
        if self._fault is None:
            self._before, self._last = self._last, self._measure(applied)
        return self._last

    def contact_truth(self) -> ContactTruth:
        """Ground wrenches of the last step, for metrics.

        Force and moment of the ground on the robot in world axes, upward positive,
        the moment about the sole frame's origin; sums of `mj_contactForce`.
        """
        contacts = self._data.contact
        geoms = contacts.geom.max(axis=1, initial=0)
        forces = self._contact_forces()
        moments = _cross(contacts.pos, forces)
        wrenches = np.zeros((2, 6))
        others = np.ones(len(geoms), dtype=bool)
        for wrench, sole in zip(wrenches, self._soles, strict=True):
            mine = geoms == sole.geom
            others &= ~mine
            origin, force = self._data.site_xpos[sole.site], forces[mine].sum(axis=0)
            moment = moments[mine].sum(axis=0) - _cross(origin, force)
            wrench[:] = np.concatenate([force, moment])
        body_on_floor = bool(others.any())
        return ContactTruth(wrenches=wrenches, body_on_floor=body_on_floor)

    def set_payload(self, frame: str, payload: Payload | None, ramp_s: float) -> None:
        """Attach, change or remove (None) the load at `frame`, linearly over `ramp_s`.

        The load is welded, its centre where `Payload.center_m` says. What is added was
        at rest before, so the robot gets slower; what is removed keeps its speed, and
        so does the robot.

        Raises:
            PayloadError: Unknown frame, or a load or ramp that is not possible.
        """
        ramp = self._ramp(frame)
        check_payload(payload, ramp_s)
        ramp.retarget(payload, self._data.time, ramp_s)
        self._place(frame, ramp)
        self._write_loads()

    def payload_mass_kg(self, frame: str) -> float:
        """Mass held at `frame` now.

        Raises:
            PayloadError: Unknown frame.
        """
        return self._ramp(frame).at(self._data.time)[0]

    def apply_push(self, frame: str, force_N: Array, duration_s: float) -> None:
        """Push at the origin of `frame` with a constant force in world axes, from now.

        A push at the same frame replaces the one under way.

        Raises:
            PushError: Unknown frame, or a force or duration that is not possible.
        """
        if not self._robot.full_model.existFrame(frame):
            raise PushError(f"push frame {frame!r} is not in the robot file")
        self._pushes[frame] = checked_push(force_N, self._data.time, duration_s)

    def _ramp(self, frame: str) -> PayloadRamp:
        if frame not in self._payloads:
            raise PayloadError(
                f"no payload can be attached at frame {frame!r}: choose from "
                f"{', '.join(self._payloads)}"
            )
        return self._payloads[frame]

    def _place(self, frame: str, ramp: PayloadRamp) -> None:
        """Put a load's centre where it belongs in the axes of its body, the frame's."""
        model = self._robot.full_model
        rotation = model.frames[frame_index(model, frame)].placement.rotation
        body = self._loads[frame]
        self._model.body_ipos[body] = rotation.T @ np.array(ramp.center_m)
        # Compiled at the frame's origin, where MuJoCo need not look at the centre.
        self._model.body_sameframe[body] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE

    def _write_loads(self) -> None:
        """Put the loads of this instant into the model and what derives from it."""
        now_s, model = self._data.time, self._model
        loads = {self._loads[f]: ramp.at(now_s) for f, ramp in self._payloads.items()}
        grows = any(mass > model.body_mass[body] for body, (mass, _) in loads.items())
        for body, (mass, inertia) in loads.items():  # what leaves takes its momentum
            model.body_mass[body] = min(mass, model.body_mass[body])
            model.body_inertia[body] = np.minimum(inertia, model.body_inertia[body])
        momentum = self._momentum() if grows else None
        for body, (mass, inertia) in loads.items():
            model.body_mass[body] = mass
            model.body_inertia[body] = inertia
        ends = (ramp.end_s for ramp in self._payloads.values())
        self._loads_settled = now_s >= max(ends)
        # Works on scratch data: it moves the configuration it is given.
        mujoco.mj_setConst(model, self._scratch)
        if momentum is not None:
            self._slow_down(momentum)

    def _momentum(self) -> Array:
        """M v (nv,) of this instant."""
        momentum = np.zeros(self._model.nv)
        self._to_scratch()
        mujoco.mj_mulM(self._model, self._scratch, momentum, self._data.qvel)
        return momentum

    def _slow_down(self, momentum: Array) -> None:
        r"""Share a momentum with what was added at rest: :math:`M_+ v_+ = M_- v_-`."""
        self._to_scratch()
        velocity = np.zeros((1, self._model.nv))
        mujoco.mj_solveM(self._model, self._scratch, velocity, momentum[None, :])
        self._data.qvel[:] = velocity[0]

    def _to_scratch(self) -> None:
        self._scratch.qpos[:] = self._data.qpos
        mujoco.mj_fwdPosition(self._model, self._scratch)

    def _write_pushes(self) -> None:
        """Put the pushes of this instant on their links' centres of mass."""
        model, data = self._robot.full_model, self._data
        now_s = data.time + 0.5 * self.dt_s
        data.xfrc_applied[:] = 0.0
        self._pushes = {f: p for f, p in self._pushes.items() if now_s < p.end_s}
        for name, push in self._pushes.items():
            frame = model.frames[frame_index(model, name)]
            body = self._model.body(link_name(model, frame.parentJoint)).id
            rotation = data.xmat[body].reshape(3, 3)
            point = data.xpos[body] + rotation @ frame.placement.translation
            lever = point - data.xipos[body]
            data.xfrc_applied[body, :3] += push.force_N
            data.xfrc_applied[body, 3:] += np.cross(lever, push.force_N)

    def _measure(self, applied_Nm: Array) -> Measurement:
        q = conventions.q_from_qpos(self._data.qpos, self._joints)
        rotation = conventions.base_rotation(q)
        return Measurement(
            time_s=self._data.time,
            q=q,
            v=conventions.v_from_qvel(self._data.qvel, rotation, self._joints),
            tau_Nm=applied_Nm,
        )

    def _contact_forces(self) -> Array:
        """Forces on the robot (ncon, 3) in world axes; contacts carry no torque."""
        count = self._data.ncon
        local = np.zeros((count, 6))
        for index in range(count):
            mujoco.mj_contactForce(self._model, self._data, index, local[index])
        # Rows of a frame are the contact's axes, and the force is that of the first
        # geom on the second one: MuJoCo sorts the floor, a plane, to the front.
        axes = self._data.contact.frame.reshape(count, 3, 3)
        return np.einsum("cij,ci->cj", axes, local[:, :3])

    def _refuse_penetration(self, qpos: Array) -> None:
        self._scratch.qpos[:] = qpos
        mujoco.mj_fwdPosition(self._model, self._scratch)
        depth = -self._scratch.contact.dist.min(initial=0.0)
        if depth > MAX_PENETRATION_M:
            raise StartPoseError(
                f"start pose is {1e3 * depth:.1f} mm inside the floor, more than "
                f"{1e3 * MAX_PENETRATION_M:g} mm: raise the base (q[2] = "
                f"{qpos[2]:.4f} m) by {depth:.4f} m"
            )

    def _bad_torque(self, tau_Nm: Array) -> str | None:
        if np.shape(tau_Nm) != self._limits_Nm.shape:
            return f"torques of shape {np.shape(tau_Nm)}, not {self._limits_Nm.shape}"
        if np.all(np.isfinite(tau_Nm)):
            return None
        names = np.array(self._robot.joint_names)[~np.isfinite(tau_Nm)]
        return f"torque not finite: {', '.join(names)}"

    def _warning(self) -> str | None:
        raised = np.flatnonzero(self._data.warning.number)
        if not raised.size:
            return None
        name = mujoco.mjtWarning(raised[0]).name.removeprefix("mjWARN_")
        return f"MuJoCo {name} at {self._data.time:.3f} s"


class _Sole:
    """Ids of a sole's box and frame."""

    def __init__(self, model: mujoco.MjModel, frame: str) -> None:
        self.geom = int(model.geom(frame).id)
        self.site = int(model.site(frame).id)


def _cross(a: Array, b: Array) -> Array:
    """Cross product over the last axis; NumPy's own takes three times as long."""
    (a0, a1, a2), (b0, b1, b2) = a.T, b.T
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]).T


def _checked_start(q: Array, nq: int) -> Array:
    if q.shape != (nq,):
        raise StartPoseError(f"start pose has shape {q.shape}, expected ({nq},)")
    if not np.all(np.isfinite(q)):
        raise StartPoseError(f"start pose: q[{np.argmin(np.isfinite(q))}] not finite")
    norm = float(np.linalg.norm(q[3:7]))
    if abs(norm - 1.0) > conventions.NO_UNIT:
        raise StartPoseError(
            f"start pose: norm of the quaternion xyzw is {norm}, not 1"
        )
    return np.concatenate([q[:3], q[3:7] / norm, q[7:]])


def _silence_mujoco() -> None:
    """Keep MuJoCo from writing MUJOCO_LOG.TXT; its counters are read every step."""
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(_ignore)


def _ignore(message: str) -> None:
    del message
