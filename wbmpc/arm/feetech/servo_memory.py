"""What servos keep of their calibration, and whether it is the file's.

LeRobot writes the homing offset and both ends of the range into each servo and into the
file. A servo that has others counts from another zero: the file is another arm's, or an
older one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wbmpc.arm.feetech import registers
from wbmpc.arm.feetech.bus import BusError, FeetechBus, describe
from wbmpc.arm.feetech.joint_counts import JointCounts
from wbmpc.errors import WbmpcError

TRIES = 10
"""Reads of a servo's memory before it counts as silent."""
_BYTES = registers.OPERATING_MODE + 1 - registers.MIN_POSITION


class CalibrationError(WbmpcError):
    """Servos that do not have the calibration of the file."""


@dataclass(frozen=True, kw_only=True)
class ServoMemory:
    """What one servo remembers without power.

    Attributes:
        range_min: Smallest position it moves to.
        range_max: Largest one.
        homing_offset: What it subtracts from the counts of its encoder.
        mode: 0: it follows positions.
    """

    range_min: int
    range_max: int
    homing_offset: int
    mode: int


def check_memory(
    bus: FeetechBus, counts: JointCounts, names: Mapping[int, str]
) -> None:
    """Compare every servo with the joint it belongs to.

    Raises:
        BusError: A servo does not answer, not even when asked several times.
        CalibrationError: A servo has other numbers, or does not follow positions.
    """
    memories = _read(bus, counts.ids, names)
    for joint in counts.joints:
        memory, who = memories[joint.id], f"servo {joint.id} ({names[joint.id]})"
        its = memory.homing_offset, memory.range_min, memory.range_max
        files = joint.homing_offset, joint.range_min, joint.range_max
        if its != files:
            raise CalibrationError(
                f"port {bus.port}: {who} has homing offset {its[0]} and range "
                f"{its[1]} to {its[2]}, {counts.source} has {files[0]} and {files[1]} "
                f"to {files[2]}: it is another arm's, or was not written to this one"
            )
        if memory.mode != registers.POSITION_MODE:
            raise CalibrationError(
                f"port {bus.port}: {who} is in operating mode {memory.mode}: it "
                f"follows positions only in mode {registers.POSITION_MODE}"
            )


def _read(
    bus: FeetechBus, ids: Sequence[int], names: Mapping[int, str]
) -> dict[int, ServoMemory]:
    for _ in range(TRIES):
        reading = bus.read(ids, registers.MIN_POSITION, _BYTES)
        if reading.whole:
            return {i: _parsed(reading.answers[i].data) for i in ids}
    raise BusError(f"port {bus.port}: {describe(reading.faults, names)}")


def _parsed(data: bytes) -> ServoMemory:
    def at(address: int) -> bytes:
        return data[address - registers.MIN_POSITION :]

    return ServoMemory(
        range_min=registers.unsigned(at(registers.MIN_POSITION)),
        range_max=registers.unsigned(at(registers.MAX_POSITION)),
        homing_offset=registers.signed(
            at(registers.HOMING_OFFSET), registers.OFFSET_SIGN
        ),
        mode=at(registers.OPERATING_MODE)[0],
    )
