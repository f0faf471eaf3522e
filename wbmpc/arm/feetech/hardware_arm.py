"""The arm on its servo bus, behind `ArmPlant`.

No arm was at hand when this was written: it was tested against a simulated bus that
speaks the protocol on a pseudo-terminal, and on nothing else.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wbmpc.arm.description import Arm
from wbmpc.arm.feetech import registers
from wbmpc.arm.feetech.bus import (
    BusError,
    BusLostError,
    FeetechBus,
    Reading,
    complaint,
    describe,
)
from wbmpc.arm.feetech.joint_counts import JointCounts
from wbmpc.arm.feetech.servo_memory import check_memory
from wbmpc.arm.feetech.status import BusFault
from wbmpc.arm.mujoco_arm import ArmStartError
from wbmpc.arm.reference import MinimumJerk
from wbmpc.arm.servo_arm import ServoMeasurement
from wbmpc.realtime import DeadlineClock, now_ns

Array = NDArray[np.float64]

MAX_FAULTS_IN_A_ROW = 10
"""Periods without a whole reading after which control is given up: 50 ms."""
HOME_S = 4.0
START_TOLERANCE = 33
"""Counts outside its range (3 degrees) from which on a joint does not start: its first
goal, which is within the range, would be a jump."""


class HardwareArm:
    """Reads positions and currents, writes position goals, every period.

    A torque is an offset of the goal, see `wbmpc.arm.servo_arm.ServoArm`. What happens
    when the bus fails:

    1. A period without a whole reading keeps the last good measurement, and the next
       command, which would be computed from it, is not sent: the servos hold the last
       good one.
    2. After `MAX_FAULTS_IN_A_ROW` such periods, or when the port is gone, `fault` says
       what is wrong with whom, and nothing is sent any more. Torque stays on.
    3. A servo that reports an error (overload, heat) is counted and named in
       `complaint`; whether it still moves is its own decision.

    Every fault is counted by kind in `bus.counts`.
    """

    def __init__(
        self,
        arm: Arm,
        bus: FeetechBus,
        *,
        counts: JointCounts,
        home_s: float = HOME_S,
    ) -> None:
        """Find every servo, with the calibration that is believed.

        Args:
            arm: For names, stiffness and period.
            bus: An open bus.
            counts: What the encoders' counts mean.
            home_s: Time in which `reset` moves to the start.

        Raises:
            BusError: A servo does not answer.
            CalibrationError: A servo has other numbers than those of `counts`.
        """
        self._arm, self.bus, self._home_s = arm, bus, home_s
        self._servo = arm.settings.servo
        self._counts = counts
        self._names = dict(zip(self._counts.ids, arm.joint_names, strict=True))
        self._stiffness = np.array(self._servo.stiffness_Nm_per_rad)
        self._fault: str | None = None
        self.held_periods = self.late_periods = 0
        self.complaint = ""
        self._in_a_row, self._stale = 0, False
        self._clock: DeadlineClock | None = None
        self._last_good_s = 0.0
        self._last = self._first_measurement()
        check_memory(bus, counts, self._names)

    @property
    def dt_s(self) -> float:
        """Length of one period."""
        return self._arm.settings.plant.dt_s

    @property
    def fault(self) -> str | None:
        """Why control was given up; None while it runs."""
        return self._fault

    def reset(self, q: Array) -> ServoMeasurement:
        """Hold where the arm is, then move to a configuration; time zero is there.

        Raises:
            ArmStartError: Wrong length, values that are not finite, or an arm that is
                outside of its calibrated range.
            BusError: A servo does not answer.
            BusLostError: The bus fails on the way; the servos hold their last goal.
        """
        if q.shape != self._last.q.shape or not np.isfinite(q).all():
            raise ArmStartError(f"start configuration {q}: must be finite angles")
        self._fault, self._in_a_row, self._stale = None, 0, False
        self.held_periods = self.late_periods = 0
        self._clock = None
        self._last = self._first_measurement()
        start = self._last.q
        self._check_start(start)
        self._hold_here(start)
        path, still = MinimumJerk(start, q, self._home_s), np.zeros(len(q))
        for index in range(1, round(self._home_s / self.dt_s) + 1):
            self.step(still, path.at(index * self.dt_s).q)
            if self._fault is not None:
                raise BusLostError(f"on the way to the start: {self._fault}")
        self._last, self._last_good_s = self._at(0.0), 0.0
        return self._last

    def step(self, tau_Nm: Array, q_wanted: Array) -> ServoMeasurement:
        """Send a goal, wait for the next period, read. Never raises."""
        if self._fault is not None:
            return self._last
        goal = self._send(tau_Nm, q_wanted)
        self._wait()
        reading = self.bus.read(
            self._counts.ids, registers.PRESENT_POSITION, registers.STATE_BYTES
        )
        time_s = self._last.time_s + self.dt_s
        if self._usable(reading):
            self._last = self._measure(reading, time_s, tau_Nm, goal)
            self._in_a_row, self._stale = 0, False
        else:
            self._last = self._at(time_s)
            self._miss(reading)
        return self._last

    def release(self) -> BusFault | None:
        """Switch the torque off: the arm falls."""
        return self._write_all(registers.TORQUE_ENABLE, b"\x00")

    def close(self) -> None:
        """Close the bus; the servos hold their last goal."""
        self.bus.close()

    def _send(self, tau_Nm: Array, q_wanted: Array) -> Array:
        """The goal the servos follow from now on (n,) [rad]."""
        lead = self._servo.largest_lead_rad
        goal = q_wanted + np.clip(tau_Nm / self._stiffness, -lead, lead)
        if self._stale or not np.isfinite(goal).all():
            self.held_periods += 1
            return self._last.goal_rad
        counts = self._counts.counts(goal)
        if self._write_goals(counts) is not None:
            return self._last.goal_rad
        return self._counts.angles(counts.astype(float))

    def _write_goals(self, counts: NDArray[np.int64]) -> BusFault | None:
        pairs = zip(self._counts.ids, counts.tolist(), strict=True)
        return self.bus.write(
            registers.GOAL_POSITION, {i: registers.two_bytes(n) for i, n in pairs}
        )

    def _write_all(self, address: int, data: bytes) -> BusFault | None:
        return self.bus.write(address, dict.fromkeys(self._counts.ids, data))

    def _check_start(self, q: Array) -> None:
        """Refuse to hold a joint that is elsewhere than any goal it may get."""
        beyond = self._counts.beyond(q)
        worst = int(beyond.argmax())
        if beyond[worst] > START_TOLERANCE:
            joint = self._counts.joints[worst]
            raise ArmStartError(
                f"servo {joint.id} ({self._names[joint.id]}) is {beyond[worst]} counts "
                f"outside of the range {joint.range_min} to {joint.range_max} in "
                f"{self._counts.source}: move it there by hand, or calibrate again"
            )

    def _hold_here(self, q: Array) -> None:
        """Goals first, torque second: nothing jumps."""
        writes = (
            lambda: self._write_goals(self._counts.counts(q)),
            lambda: self._write_all(registers.ACCELERATION, b"\x00"),
            lambda: self._write_all(registers.GOAL_SPEED, b"\x00\x00"),
            lambda: self._write_all(registers.TORQUE_ENABLE, b"\x01"),
        )
        for write in writes:
            fault = write()
            if fault is not None:
                raise BusLostError(
                    f"port {self.bus.port}: servos not held: {fault.value}"
                )

    def _wait(self) -> None:
        if self._clock is None:
            self._clock = DeadlineClock(self.dt_s, now_ns())
        missed = self._clock.end_cycle()
        self.late_periods += missed
        self._clock.wait()

    def _usable(self, reading: Reading) -> bool:
        told = complaint(reading, self._names)
        if told:
            self.complaint = told
            self.bus.counts[BusFault.SERVO] += 1
        if not reading.whole:
            return False
        if not self._implausible(reading):
            return True
        self.bus.counts[BusFault.IMPLAUSIBLE] += 1
        return False

    def _implausible(self, reading: Reading) -> dict[int, BusFault]:
        """Servos of a whole reading that are outside of one turn."""
        positions = self._registers(reading, registers.PRESENT_POSITION)
        return {
            i: BusFault.IMPLAUSIBLE
            for i, position in zip(self._counts.ids, positions, strict=True)
            if registers.unsigned(position) >= registers.COUNTS
        }

    def _miss(self, reading: Reading) -> None:
        self._in_a_row, self._stale = self._in_a_row + 1, True
        faults = reading.faults or self._implausible(reading)
        if self.bus.lost:
            self._fault = f"port {self.bus.port} lost: the servos hold their last goal"
        elif self._in_a_row >= MAX_FAULTS_IN_A_ROW:
            self._fault = (
                f"{self._in_a_row} periods without a whole reading: "
                f"{describe(faults, self._names)}; the servos hold their last goal"
            )

    def _first_measurement(self) -> ServoMeasurement:
        """Where the arm is now.

        Raises:
            BusError: A servo does not answer, not even when asked several times.
        """
        for _ in range(MAX_FAULTS_IN_A_ROW):
            reading = self.bus.read(
                self._counts.ids, registers.PRESENT_POSITION, registers.STATE_BYTES
            )
            if self._usable(reading):
                still = np.zeros(len(self._counts.ids))
                return self._measure(reading, 0.0, still, None)
        faults = reading.faults or self._implausible(reading)
        raise BusError(f"port {self.bus.port}: {describe(faults, self._names)}")

    def _measure(
        self, reading: Reading, time_s: float, tau_Nm: Array, goal: Array | None
    ) -> ServoMeasurement:
        position = self._registers(reading, registers.PRESENT_POSITION)
        current = self._registers(reading, registers.PRESENT_CURRENT)
        q = self._counts.angles(
            np.array([registers.unsigned(p) for p in position], float)
        )
        v = np.zeros(len(q))
        if goal is not None:
            v = (q - self._last.q) / (time_s - self._last_good_s)
        amperes = np.array([registers.signed(c) for c in current], dtype=float)
        self._last_good_s = time_s
        return ServoMeasurement(
            time_s=time_s,
            q=q,
            v=v,
            tau_Nm=tau_Nm,
            goal_rad=q if goal is None else goal,
            current_A=self._servo.current_lsb_A * amperes,
        )

    def _registers(self, reading: Reading, address: int) -> list[bytes]:
        at = address - registers.PRESENT_POSITION
        return [reading.answers[i].data[at : at + 2] for i in self._counts.ids]

    def _at(self, time_s: float) -> ServoMeasurement:
        """The last good measurement at another time."""
        return replace(self._last, time_s=time_s)
