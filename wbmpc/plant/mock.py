"""A plant for unit tests: the controller's own physics with both feet glued down."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from models.settings import SoleSettings
from wbmpc.errors import PayloadError, PushError
from wbmpc.plant.interface import ContactTruth, Measurement, Payload, SensorReadings
from wbmpc.plant.payload import PayloadRamp, check_payload
from wbmpc.plant.push import ActivePush, checked_push
from wbmpc.plant.sensors import perfect_readings
from wbmpc.robot import BASE, Robot

_BAUMGARTE = (100.0, 20.0)
"""Position and velocity gain [1/s^2, 1/s] that keep the feet where they started."""


class MockPlant:
    """Rigid-body dynamics with both soles fixed, no friction, no joint limits.

    M a + b = S^T tau + sum_i J_i^T lambda_i subject to J_i a + dJ_i v = 0, integrated
    by the semi-implicit Euler rule. Deterministic; feet can neither slip nor lift,
    so the robot cannot fall.

    A torque that is not finite is latched in `fault`; the plant then stands still
    until it is reset.
    """

    def __init__(self, robot: Robot, *, dt_s: float = 1e-3) -> None:
        """Stand in the home pose.

        Args:
            robot: What to simulate; it is copied, so that payloads stay unknown to
                the controller.
            dt_s: Length of one step.
        """
        self._robot, self._dt_s = robot, dt_s
        self._model = robot.full_model.copy()
        self._data = self._model.createData()
        self._nominal = [pin.Inertia(inertia) for inertia in self._model.inertias]
        self._payloads: dict[str, PayloadRamp] = {}
        self._fault: str | None = None
        self.reset(robot.home_q_full)

    @property
    def dt_s(self) -> float:
        """Length of one step."""
        return self._dt_s

    @property
    def fault(self) -> str | None:
        """The name of the fault; None while all is well."""
        return self._fault

    @property
    def readings(self) -> SensorReadings:
        """The readings of perfect sensors after the last step."""
        return perfect_readings(self._before, self._last, self._dt_s)

    @property
    def state(self) -> Measurement:
        """State after the last step."""
        return self._last

    @property
    def true_model(self) -> pin.Model:
        """The robot without loads: that of the controller."""
        return self._robot.full_model

    def reset(self, q: Array) -> Measurement:
        """Start at rest in configuration `q`; the soles stay where they are in `q`.

        All payloads are removed and faults cleared.
        """
        self._fault = None
        self._payloads = {}
        self._pushes: dict[str, ActivePush] = {}
        self._write_loads(0.0)
        pin.framesForwardKinematics(self._model, self._data, q)
        # Plain lists would be copied: wrenches come back through these vectors.
        contacts = [self._contact(sole) for sole in self._robot.soles]
        self._contacts = pin.StdVec_RigidConstraintModel(contacts)
        self._contact_data = pin.StdVec_RigidConstraintData(
            [contact.createData() for contact in contacts]
        )
        pin.initConstraintDynamics(
            self._model, self._data, self._contacts, self._contact_data
        )
        self._wrenches = np.zeros((2, 6))
        tau_Nm = np.zeros(self._model.nv - BASE)
        v = np.zeros(self._model.nv)
        self._last = Measurement(time_s=0.0, q=q.copy(), v=v, tau_Nm=tau_Nm)
        self._before = self._last
        return self._last

    def step(self, tau_Nm: Array) -> Measurement:
        """Apply joint torques (`Robot.joint_names` order) for one step."""
        if self._fault is None and not np.all(np.isfinite(tau_Nm)):
            self._fault = "torque not finite"
        if self._fault is not None:
            return self._last
        limits = self._robot.torque_limits_full_Nm
        applied = np.clip(tau_Nm, -limits, limits)
        start = self._last
        self._write_loads(start.time_s)
        v = start.v + self._dt_s * self._acceleration(start.q, start.v, applied)
        q = pin.integrate(self._model, start.q, self._dt_s * v)
        time_s = start.time_s + self._dt_s
        self._before = start
        self._last = Measurement(time_s=time_s, q=q, v=v, tau_Nm=applied)
        return self._last

    def contact_truth(self) -> ContactTruth:
        """Ground wrenches of the last step, zero before the first one."""
        return ContactTruth(wrenches=self._wrenches.copy(), body_on_floor=False)

    def set_payload(self, frame: str, payload: Payload | None, ramp_s: float) -> None:
        """Attach, change or remove (None) the load at `frame`, linearly over `ramp_s`.

        Raises:
            PayloadError: Unknown frame, or a load or ramp that is not possible.
        """
        self._check_frame(frame)
        check_payload(payload, ramp_s)
        ramp = self._payloads.setdefault(frame, PayloadRamp())
        ramp.retarget(payload, self._last.time_s, ramp_s)
        self._write_loads(self._last.time_s)

    def payload_mass_kg(self, frame: str) -> float:
        """Mass held at `frame` now.

        Raises:
            PayloadError: Unknown frame.
        """
        self._check_frame(frame)
        ramp = self._payloads.get(frame)
        return 0.0 if ramp is None else ramp.at(self._last.time_s)[0]

    def apply_push(self, frame: str, force_N: Array, duration_s: float) -> None:
        """Push at the origin of `frame` with a constant force in world axes, from now.

        Raises:
            PushError: Unknown frame, or a force or duration that is not possible.
        """
        if not self._model.existFrame(frame):
            raise PushError(f"push frame {frame!r} is not in the robot file")
        push = checked_push(force_N, self._last.time_s, duration_s)
        self._pushes[frame] = push

    def _push_torques(self, q: Array, time_s: float) -> Array:
        """Generalised force (nv,) of the pushes under way."""
        total = np.zeros(self._model.nv)
        for name, push in self._pushes.items():
            if time_s + 0.5 * self._dt_s < push.end_s:
                jacobian = pin.computeFrameJacobian(
                    self._model,
                    self._data,
                    q,
                    frame_index(self._model, name),
                    pin.LOCAL_WORLD_ALIGNED,
                )
                total += jacobian[:3].T @ push.force_N
        return total

    def _check_frame(self, frame: str) -> None:
        if not self._model.existFrame(frame):
            raise PayloadError(f"payload frame {frame!r} is not in the robot file")

    def _write_loads(self, time_s: float) -> None:
        for joint, nominal in enumerate(self._nominal):
            self._model.inertias[joint] = nominal
        for name, ramp in self._payloads.items():
            mass, inertia = ramp.at(time_s)
            if mass > 0.0:
                frame = self._model.frames[frame_index(self._model, name)]
                center = frame.placement.translation + np.array(ramp.center_m)
                load = pin.Inertia(mass, center, inertia * np.eye(3))
                self._model.inertias[frame.parentJoint] += load

    def _contact(self, sole: SoleSettings) -> pin.RigidConstraintModel:
        index = frame_index(self._model, sole.frame)
        frame = self._model.frames[index]
        contact = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_6D,
            self._model,
            frame.parentJoint,
            frame.placement,
            0,
            self._data.oMf[index],
            pin.ReferenceFrame.LOCAL,
        )
        contact.setBaumgarteCorrectorParameters(
            pin.BaumgarteCorrectorParameters(*_BAUMGARTE)
        )
        return contact

    def _acceleration(self, q: Array, v: Array, tau_Nm: Array) -> Array:
        tau = np.concatenate([np.zeros(BASE), tau_Nm])
        if self._pushes:
            tau += self._push_torques(q, self._last.time_s)
        acceleration = pin.constraintDynamics(
            self._model, self._data, q, v, tau, self._contacts, self._contact_data
        )
        pin.updateFramePlacements(self._model, self._data)
        self._wrenches = np.array([self._world_wrench(i) for i in range(2)])
        return np.array(acceleration)

    def _world_wrench(self, foot: int) -> Array:
        index = frame_index(self._model, self._robot.soles[foot].frame)
        rotation = self._data.oMf[index].rotation
        wrench = self._contact_data[foot].contact_force
        return np.concatenate([rotation @ wrench.linear, rotation @ wrench.angular])
