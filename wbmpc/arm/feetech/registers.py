"""The part of an STS3215's memory that is used here, and what its numbers mean.

Two-byte values are little-endian; signed ones are sign and magnitude, bit 15 unless
something else is said.
Source: Feetech's memory table of the SMS/STS series.
"""

from __future__ import annotations

MIN_POSITION = 9
MAX_POSITION = 11
HOMING_OFFSET = 31
OPERATING_MODE = 33
TORQUE_ENABLE = 40
GOAL_POSITION = 42
GOAL_SPEED = 46
ACCELERATION = 41
PRESENT_POSITION = 56
PRESENT_CURRENT = 69

STATE_BYTES = PRESENT_CURRENT + 2 - PRESENT_POSITION
"""From the position to the current: everything a period needs, in one read."""

COUNTS = 4096
"""Positions of one turn."""
LARGEST_ID = 253
OFFSET_SIGN = 11
"""Sign bit of the homing offset."""
LARGEST_OFFSET = 2**OFFSET_SIGN - 1
POSITION_MODE = 0
"""Of the operating modes, the one that follows positions."""

ERROR_BITS = {
    1: "voltage",
    2: "angle sensor",
    4: "overheating",
    8: "overcurrent",
    32: "overload",
}
"""Complaints a servo may have in every answer."""


def unsigned(data: bytes) -> int:
    """A two-byte register."""
    return int.from_bytes(data[:2], "little")


def signed(data: bytes, sign_bit: int = 15) -> int:
    """A two-byte register with a sign bit."""
    value, sign = unsigned(data), 1 << sign_bit
    return -(value & (sign - 1)) if value & sign else value


def with_sign(value: int, sign_bit: int = 15) -> bytes:
    """A number as a register with a sign bit."""
    return two_bytes(abs(value) | (1 << sign_bit if value < 0 else 0))


def two_bytes(value: int) -> bytes:
    """A number from 0 to 65535 as a register."""
    return value.to_bytes(2, "little")


def complaints(error: int) -> str:
    """The error byte of an answer in words; empty if there is none."""
    return ", ".join(text for bit, text in ERROR_BITS.items() if error & bit)
