"""Answers of several servos as they come off the wire, and what may be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

HEADER = b"\xff\xff"
_OVERHEAD = 6
"""Two header bytes, id, length, error, checksum."""


class BusFault(Enum):
    """A fault on the bus."""

    TIMEOUT = "no answer from any servo"
    LOST = "no answer from a servo"
    CHECKSUM = "wrong checksum"
    TORN = "incomplete frame"
    IMPLAUSIBLE = "position outside one turn"
    SERVO = "a servo reports an error"
    WRITE = "command not written"
    PORT = "port lost"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One servo's answer.

    Attributes:
        data: The registers that were asked for.
        error: The servo's own error byte.
    """

    data: bytes
    error: int


def checksum(body: bytes) -> int:
    """Of everything between header and checksum."""
    return ~sum(body) & 0xFF


def parse_answers(
    raw: bytes, ids: Sequence[int], length: int
) -> tuple[dict[int, Answer], dict[int, BusFault]]:
    """Find one answer of so many bytes from each servo.

    Bytes that belong to no frame are skipped, so that noise before an answer, or a
    broken one, does not cost those after it.

    Returns:
        Answers by id, and what is wrong with the others by id.
    """
    answers: dict[int, Answer] = {}
    faults: dict[int, BusFault] = {}
    at = raw.find(HEADER)
    while at >= 0:
        frame = raw[at : at + _OVERHEAD + length]
        servo, step = _read_frame(frame, ids, length, answers, faults)
        if servo is not None:
            faults.pop(servo, None)
        at = raw.find(HEADER, at + step)
    for servo in ids:
        if servo not in answers:
            faults.setdefault(servo, BusFault.LOST if raw else BusFault.TIMEOUT)
    return answers, faults


def _read_frame(
    frame: bytes,
    ids: Sequence[int],
    length: int,
    answers: dict[int, Answer],
    faults: dict[int, BusFault],
) -> tuple[int | None, int]:
    """Id of the servo whose answer this is, if it is whole, and bytes to go on by."""
    if len(frame) < 4 or frame[2] not in ids or frame[3] != length + 2:
        return None, 1
    servo = frame[2]
    if len(frame) < _OVERHEAD + length:
        faults[servo] = BusFault.TORN
        return None, 1
    if checksum(frame[2:-1]) != frame[-1]:
        # Bytes lost inside a frame leave the next header where its end should be.
        torn = HEADER in frame[4:]
        faults[servo] = BusFault.TORN if torn else BusFault.CHECKSUM
        return None, 1
    answers[servo] = Answer(data=frame[5:-1], error=frame[4])
    return servo, len(frame)
