"""The serial line to the servos, on the manufacturer's own library.

The library frames packets and computes checksums; here are its time limits, names for
what goes wrong, and the promise that nothing but opening the port ever raises.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import scservo_sdk
import serial

from wbmpc.arm.feetech import registers
from wbmpc.arm.feetech.status import Answer, BusFault, parse_answers
from wbmpc.errors import WbmpcError

T = TypeVar("T")

BAUD = 1_000_000
TIMEOUT_S = 0.0035
"""For all answers of a period; what is left of 5 ms is for control and the write."""
_POLL_S = 0.001


class BusError(WbmpcError):
    """A bus that cannot be opened, or whose servos do not answer at the start."""


class BusLostError(BusError):
    """A bus that failed after the arm had been found."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The answers to one read of several servos.

    Attributes:
        answers: By id.
        faults: What is wrong, by id; empty if all is well.
    """

    answers: Mapping[int, Answer] = field(default_factory=dict)
    faults: Mapping[int, BusFault] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every servo answered, and well."""
        return not self.faults


class FeetechBus:
    """Reads and writes several servos at once; faults are values, and counted."""

    def __init__(
        self, port: str, *, baud: int = BAUD, timeout_s: float = TIMEOUT_S
    ) -> None:
        """Open the port.

        Args:
            port: Device, such as /dev/ttyACM0.
            baud: Of the servos; 1 Mbit/s is their default.
            timeout_s: For the answers to one read.

        Raises:
            BusError: The port cannot be opened, or the rate is not one of theirs.
        """
        self._line = _Line(port, baud, timeout_s)
        try:
            opened = self._line.openPort()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise BusError(f"port {port}: cannot be opened: {reason}") from None
        if not opened:
            raise BusError(f"port {port}: {baud} baud is not a rate of these servos")
        self._packets = scservo_sdk.sms_sts(self._line)
        self.port, self.lost = port, False
        self.counts: Counter[BusFault] = Counter()

    def read(self, ids: Sequence[int], address: int, length: int) -> Reading:
        """Read the same registers of several servos in one exchange."""

        def exchange() -> bytes:
            sent = self._packets.syncReadTx(address, length, list(ids), len(ids))
            if sent != scservo_sdk.COMM_SUCCESS:
                return b""
            _, raw = self._packets.syncReadRx(length, len(ids))
            return bytes(raw)

        raw = self._attempt(exchange)
        if raw is None:
            fault = BusFault.PORT if self.lost else BusFault.WRITE
            return Reading(faults=dict.fromkeys(ids, fault))
        answers, faults = parse_answers(raw, ids, length)
        self._count(faults)
        return Reading(answers=answers, faults=faults)

    def write(self, address: int, values: Mapping[int, bytes]) -> BusFault | None:
        """Write registers of several servos at once; nobody acknowledges that."""
        length = len(next(iter(values.values())))
        parameters = [byte for i, data in values.items() for byte in (i, *data)]

        def exchange() -> int:
            packets = self._packets
            return int(
                packets.syncWriteTxOnly(address, length, parameters, len(parameters))
            )

        result = self._attempt(exchange)
        if result is None:
            return BusFault.PORT if self.lost else BusFault.WRITE
        if result != scservo_sdk.COMM_SUCCESS:
            self.counts[BusFault.WRITE] += 1
            return BusFault.WRITE
        return None

    def close(self) -> None:
        """Close the port. Servos keep holding their last goal."""
        self._attempt(self._line.closePort)

    def _attempt(self, exchange: Callable[[], T]) -> T | None:
        """Do something with the port; None if nothing could be written.

        `lost` says whether it is not there any more.
        """
        if not self.lost:
            try:
                return exchange()
            except serial.SerialTimeoutException:
                self.counts[BusFault.WRITE] += 1
                return None
            except (OSError, TypeError, serial.SerialException):
                # pyserial raises TypeError on a descriptor closed under its feet.
                self.lost = True
            finally:
                self._line.is_using = False
        self.counts[BusFault.PORT] += 1
        return None

    def _count(self, faults: Mapping[int, BusFault]) -> None:
        if faults and set(faults.values()) == {BusFault.TIMEOUT}:
            self.counts[BusFault.TIMEOUT] += 1
            return
        self.counts.update(faults.values())


class _Line(scservo_sdk.PortHandler):
    """The library's port, with time limits of a control loop and without spinning."""

    def __init__(self, port: str, baud: int, timeout_s: float) -> None:
        super().__init__(port)
        self.baudrate, self._timeout_s = baud, timeout_s

    def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802
        self.ser = serial.Serial(
            port=self.port_name,
            baudrate=cflag_baud,
            timeout=_POLL_S,
            write_timeout=self._timeout_s,
        )
        self.is_open = True
        self.ser.reset_input_buffer()
        self.tx_time_per_byte = 1e4 / self.baudrate
        return True

    def getCurrentTime(self) -> float:  # noqa: N802
        """In ms. The library's own clock is the calendar's, which may be set."""
        return 1e3 * time.monotonic()

    def setPacketTimeout(self, packet_length: int) -> None:  # noqa: N802
        """In ms: the wire's own time for the bytes, and the limit of the loop."""
        wire_ms = self.tx_time_per_byte * packet_length
        self.setPacketTimeoutMillis(wire_ms + 1e3 * self._timeout_s)


def describe(faults: Mapping[int, BusFault], names: Mapping[int, str]) -> str:
    """One sentence about what is wrong with whom."""
    return "; ".join(
        f"servo {servo} ({names.get(servo, '?')}): {fault.value}"
        for servo, fault in faults.items()
    )


def complaint(reading: Reading, names: Mapping[int, str]) -> str:
    """Complaints of the servos themselves; empty if there are none."""
    return "; ".join(
        f"servo {servo} ({names.get(servo, '?')}): {registers.complaints(answer.error)}"
        for servo, answer in reading.answers.items()
        if registers.complaints(answer.error)
    )
