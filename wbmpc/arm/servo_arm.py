"""The arm as bus servos see it: counts, position goals and time on a wire."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models.arrays import Array
from wbmpc.arm.description import Arm
from wbmpc.arm.mujoco_arm import MujocoArm, PositionServos
from wbmpc.arm.servo_faults import ServoFaults
from wbmpc.plant.interface import Measurement
from wbmpc.plant.sensors import quantised

COUNT_RAD = 2.0 * math.pi / 4096.0
"""One step of the encoder, and of the position that a servo can be told."""
SUBSTEPS = 20
SETTLE_S = 1.0
"""How long the servos have held the arm when a run starts."""


@dataclass(frozen=True, kw_only=True)
class ServoMeasurement(Measurement):
    """A reading as it comes back over the bus.

    Attributes:
        goal_rad: (n,) position each servo was told for the period that ended.
        current_A: (n,) motor currents.
    """

    goal_rad: Array
    current_A: Array


class ServoArm:
    r"""Six position servos on one bus, behind `ArmPlant`.

    A torque is realised as a position offset on the servo's own PD (stiffness
    :math:`K_s`, damping :math:`D_s`),

    .. math::
        q_{goal} = q_d + \mathrm{clamp}(\tau / \hat K_s, \pm \delta), \qquad
        \tau_{motor} = \mathrm{clamp}(K_s (q_{goal} - q) - D_s \dot q,
        \pm \tau_{max}),

    so what acts at the joint is not :math:`\tau`. Within a period of length T the
    angles are read one after the other during the first `read_s`; the command that
    was computed from them acts `write_s` later.

    The gearbox holds the first part of a torque without any current,
    :math:`I = c \max(|\tau| - \tau_0, 0)\, \mathrm{sgn}\,\tau`, so a torque constant
    fitted on the empty arm reads additional loads too large.
    """

    def __init__(
        self,
        arm: Arm,
        *,
        payload_kg: float = 0.0,
        faults: ServoFaults | None = None,
        stiffness_ratio: Array | None = None,
        seed: int = 0,
    ) -> None:
        """Build the simulation.

        Args:
            arm: What to simulate.
            payload_kg: Mass of the box in the jaws.
            faults: What to leave out (default: nothing).
            stiffness_ratio: (n,) true stiffness of the servos over the one that is
                believed (default: that of the settings).
            seed: Of the noise of the currents.

        Raises:
            PayloadError: An impossible mass.
        """
        faults = faults or ServoFaults()
        self._arm, self._servo, self._faults = arm, arm.settings.servo, faults
        size = len(arm.joint_names)
        self._believed = np.array(self._servo.stiffness_Nm_per_rad)
        self._holds_Nm = np.array(self._servo.gearbox_holds_Nm)
        if stiffness_ratio is None:
            stiffness_ratio = np.array(self._servo.true_stiffness_ratio)
        ratio = stiffness_ratio if faults.stiffness else np.ones(size)
        servos = PositionServos(
            stiffness_Nm_per_rad=ratio * self._believed,
            damping_Nms_per_rad=self._servo.damping_s * self._believed,
        )
        friction = arm.settings.plant.friction_Nm
        if faults.friction:
            friction += self._servo.gearbox_friction_Nm
        self._plant = MujocoArm(
            arm,
            payload_kg=payload_kg,
            substeps=SUBSTEPS,
            friction_Nm=friction,
            servos=servos if faults.position_bridge else None,
        )
        self._schedule = _Schedule(arm, faults)
        self._seed, self._periods = seed, 0
        self._latched = self._previous = np.zeros(size)
        self._last = self.reset(np.zeros(size))

    @property
    def dt_s(self) -> float:
        """Length of one period."""
        return self._plant.dt_s

    @property
    def fault(self) -> str | None:
        """Why the simulation stopped; None while it runs."""
        return self._plant.fault

    @property
    def true_q(self) -> Array:
        """(n,) angles without encoder; for metrics only."""
        return np.array(self._plant.mj_data.qpos)

    def reset(self, q: Array) -> ServoMeasurement:
        """Start in a configuration that the servos have held for a while.

        Under a payload that is a little below it. A torque plant starts at it.

        Raises:
            ArmStartError: Wrong length, or values that are not finite.
        """
        still = np.zeros(len(q))
        self._plant.reset(q)
        self._rng = np.random.default_rng(self._seed)
        self._goal = self._goals(still, q)
        self._command = self._goal if self._faults.position_bridge else still
        self._latched = self._counts(q)
        self._last = self._measure(still)
        if self._faults.position_bridge:
            for _ in range(round(SETTLE_S / self.dt_s)):
                self.step(still, q)
        self._periods, self._previous = 0, self._latched.copy()
        self._last = self._measure(still)
        return self._last

    def step(self, tau_Nm: Array, q_wanted: Array) -> ServoMeasurement:
        """Send one command and read the next angles.

        Torques that are not finite are not sent: the servos keep their last goal, and
        the plant says so in `fault`.
        """
        before = self._command
        self._goal = self._goals(tau_Nm, q_wanted)
        self._command = self._goal if self._faults.position_bridge else tau_Nm
        self._previous = self._latched.copy()
        done = 0
        for step in self._schedule.events:
            command = before if done < self._schedule.write else self._command
            self._plant.advance(command, step - done)
            done = step
            due = self._schedule.latch == step
            if due.any():
                self._latched[due] = self._counts(self._plant.mj_data.qpos)[due]
        self._periods += 1
        if self._plant.fault is None:
            self._last = self._measure(tau_Nm)
        return self._last

    def _goals(self, tau_Nm: Array, q_wanted: Array) -> Array:
        lead = self._servo.largest_lead_rad
        goal = q_wanted + np.clip(tau_Nm / self._believed, -lead, lead)
        return quantised(goal, COUNT_RAD)

    def _counts(self, q: Array) -> Array:
        return quantised(np.array(q), COUNT_RAD if self._faults.encoder else 0.0)

    def _measure(self, tau_Nm: Array) -> ServoMeasurement:
        v = (self._latched - self._previous) / self.dt_s
        if not self._faults.encoder:
            v = self._plant.mj_data.qvel.copy()
        return ServoMeasurement(
            time_s=self._periods * self.dt_s,
            q=self._latched.copy(),
            v=v,
            tau_Nm=tau_Nm,
            goal_rad=self._goal,
            current_A=self._current(),
        )

    def _current(self) -> Array:
        servo, torque = self._servo, self._plant.mj_data.actuator_force
        carried = np.maximum(np.abs(torque) - self._holds_Nm, 0.0)
        current = servo.current_A_per_Nm * carried
        noise = servo.current_noise_A * self._rng.normal(size=len(torque))
        return quantised(np.sign(torque) * current + noise, servo.current_lsb_A)


class _Schedule:
    """When within a period, which starts as the read ends, things happen.

    Attributes:
        write: Step of the simulator from which on the new command is followed.
        latch: (n,) step after which each joint's angle is taken.
        events: Steps after which something happens, the last one of the period too.
    """

    def __init__(self, arm: Arm, faults: ServoFaults) -> None:
        servo, period = arm.settings.servo, arm.settings.plant.dt_s
        size, step_s = len(arm.joint_names), period / SUBSTEPS
        read_s = servo.read_s if faults.bus_time else 0.0
        write_s = servo.write_s if faults.bus_time else 0.0
        self.write = math.ceil(write_s / step_s)
        # The read is the last thing of the period; servos answer one after the other.
        answers = period - read_s * (1.0 - (np.arange(size) + 1.0) / size)
        self.latch = np.clip(np.round(answers / step_s).astype(int), 1, SUBSTEPS)
        self.events = sorted({self.write, *self.latch.tolist(), SUBSTEPS} - {0})
