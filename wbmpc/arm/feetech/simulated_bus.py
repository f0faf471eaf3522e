"""Servos that answer on a pseudo-terminal, and fail when asked to.

They speak the protocol byte by byte and follow their goals with a lag; there is no
gravity. For tests, and to try the driver without an arm.
"""

from __future__ import annotations

import math
import os
import select
import threading
import time
import tty
from collections.abc import Iterator, Sequence

from wbmpc.arm.feetech import registers
from wbmpc.arm.feetech.joint_counts import JointCounts, JointRange
from wbmpc.arm.feetech.status import HEADER, BusFault, checksum

_PING, _READ, _WRITE, _SYNC_READ, _SYNC_WRITE = 0x01, 0x02, 0x03, 0x82, 0x83
_LAG_S = 0.02
_POLL_S = 0.02


class SimulatedServo:
    """Memory of one servo, and a position that follows its goal."""

    def __init__(self, position: int, joint: JointRange) -> None:
        """Start somewhere, without torque, calibrated as that joint."""
        self.memory = bytearray(128)
        self._store(registers.MIN_POSITION, joint.range_min)
        self._store(registers.MAX_POSITION, joint.range_max)
        at, offset = registers.HOMING_OFFSET, joint.homing_offset
        self.memory[at : at + 2] = registers.with_sign(offset, registers.OFFSET_SIGN)
        self.position, self._then_s = float(position), time.monotonic()
        self.current, self.error = 0, 0
        self._store(registers.GOAL_POSITION, position)

    @property
    def goal(self) -> int:
        """Position it was told last."""
        at = registers.GOAL_POSITION
        return registers.unsigned(bytes(self.memory[at : at + 2]))

    @property
    def torque(self) -> bool:
        """Whether it follows its goal at all."""
        return bool(self.memory[registers.TORQUE_ENABLE])

    def read(self, address: int, length: int) -> bytes:
        """Registers as they are now."""
        now_s = time.monotonic()
        if self.torque:
            share = -math.expm1((self._then_s - now_s) / _LAG_S)
            self.position += share * (self.goal - self.position)
        self._then_s = now_s
        self._store(registers.PRESENT_POSITION, round(self.position))
        at = registers.PRESENT_CURRENT
        self.memory[at : at + 2] = registers.with_sign(self.current)
        return bytes(self.memory[address : address + length])

    def write(self, address: int, data: bytes) -> None:
        """Take registers."""
        self.read(registers.PRESENT_POSITION, 0)  # up to now it followed the old goal
        self.memory[address : address + len(data)] = data

    def _store(self, address: int, value: int) -> None:
        self.memory[address : address + 2] = registers.two_bytes(value)


class SimulatedBus:
    """A pseudo-terminal with servos at its other end, in a thread of its own.

    Attributes:
        port: Device to open.
        servos: By id.
    """

    def __init__(
        self,
        ids: Sequence[int],
        position: int = 2048,
        joints: Sequence[JointRange] | None = None,
    ) -> None:
        """Open the terminal and start answering.

        Args:
            ids: Of the servos.
            position: Where they start, as far as their ranges allow.
            joints: What they are calibrated as (default: as they leave the factory).
        """
        joints = joints or JointCounts.centred(ids).joints
        self.servos = {
            joint.id: SimulatedServo(
                min(max(position, joint.range_min), joint.range_max), joint
            )
            for joint in joints
        }
        self._master, slave = os.openpty()
        self._ends: tuple[int, ...] = (slave, self._master)
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self._pending: list[tuple[BusFault, int | None]] = []
        self._lock = threading.Lock()
        self._alive = True
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> SimulatedBus:
        """The bus itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def fail(self, fault: BusFault, servo: int | None = None, times: int = 1) -> None:
        """Spoil the answers to the next reads.

        Args:
            fault: How; `PORT` takes the port away at the next read.
            servo: Whose answer; None: everybody's.
            times: How many reads.
        """
        with self._lock:
            self._pending += [(fault, servo)] * times

    def close(self) -> None:
        """Take the port away; whoever has it open notices."""
        self._alive = False
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._close_terminal()

    def _close_terminal(self) -> None:
        # Once only: the number may be another file's by the second time.
        ends, self._ends = self._ends, ()
        for descriptor in ends:
            os.close(descriptor)

    def _serve(self) -> None:
        received = b""
        while self._alive:
            ready, _, _ = select.select([self._master], [], [], _POLL_S)
            if not ready:
                continue
            try:
                received += os.read(self._master, 4096)
                received = self._take(received)
            except OSError:
                return

    def _take(self, received: bytes) -> bytes:
        """Answer every whole packet; returns what is left."""
        left = received
        for packet, left in _packets(received):  # noqa: B007
            answer = self._answer(packet)
            if answer:
                os.write(self._master, answer)
        return left

    def _answer(self, packet: bytes) -> bytes:
        """Answers to one packet (id, length, instruction, parameters)."""
        target, instruction, parameters = packet[0], packet[2], packet[3:]
        if instruction == _SYNC_WRITE:
            self._sync_write(parameters)
            return b""
        if instruction == _SYNC_READ:
            address, length, *ids = parameters
            return self._sync_read(address, length, ids)
        if target not in self.servos:
            return b""
        servo = self.servos[target]
        if instruction == _READ:
            return _frame(target, servo.error, servo.read(*parameters[:2]))
        if instruction == _WRITE:
            servo.write(parameters[0], parameters[1:])
        return _frame(target, servo.error, b"")

    def _sync_write(self, parameters: bytes) -> None:
        address, length, rest = parameters[0], parameters[1], parameters[2:]
        for at in range(0, len(rest), length + 1):
            if rest[at] in self.servos:
                self.servos[rest[at]].write(address, rest[at + 1 : at + 1 + length])

    def _sync_read(self, address: int, length: int, ids: Sequence[int]) -> bytes:
        with self._lock:
            fault, broken = self._pending.pop(0) if self._pending else (None, None)
        if fault is BusFault.PORT:
            self._alive = False
            self._close_terminal()
            return b""
        answers = b""
        for i in filter(self.servos.__contains__, ids):
            servo = self.servos[i]
            frame = _frame(i, servo.error, servo.read(address, length))
            spoil = fault is not None and broken in (None, i)
            answers += _spoiled(frame, fault) if spoil and fault else frame
        return answers


def _spoiled(frame: bytes, fault: BusFault) -> bytes:
    if fault is BusFault.CHECKSUM:
        return frame[:-1] + bytes([frame[-1] ^ 0x55])
    if fault is BusFault.TORN:
        return frame[: len(frame) // 2]
    if fault is BusFault.IMPLAUSIBLE:
        body = frame[2:5] + registers.two_bytes(0x7FFF) + frame[7:-1]
        return HEADER + body + bytes([checksum(body)])
    if fault is BusFault.SERVO:
        body = frame[2:4] + b"\x20" + frame[5:-1]
        return HEADER + body + bytes([checksum(body)])
    return b""


def _frame(servo: int, error: int, data: bytes) -> bytes:
    body = bytes([servo, len(data) + 2, error]) + data
    return HEADER + body + bytes([checksum(body)])


def _packets(received: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each whole packet without header and checksum, and what comes after it."""
    while True:
        at = received.find(HEADER)
        if at < 0 or len(received) < at + 4:
            return
        end = at + 4 + received[at + 3]
        if len(received) < end:
            return
        body, received = received[at + 2 : end - 1], received[end:]
        yield body, received
