"""Datagrams between the operator's side and the control side.

UDP, because it is what best effort means: a sender never waits for a receiver, a lost
sample is replaced by the next one 20 ms later, either side may start or die first, and
the operator's computer may be another one. On one machine nothing is lost in practice.
"""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import suppress

from teleop.errors import TransportError
from teleop.sealed import Opener, Sealer
from teleop.stream_messages import (
    ReferenceMessage,
    RobotState,
    decode_reference,
    decode_state,
    encode,
)

Address = tuple[str, int]

MAX_DATAGRAM = 8192
MAX_WAITING = 64
"""Datagrams read at one call: a flood must not hold a loop up."""
LOCALHOST = "127.0.0.1"


class UdpSender:
    """Sends references or states to one address and forgets them."""

    def __init__(self, to: Address, key: bytes | None = None) -> None:
        """Open a socket that never blocks.

        Args:
            to: Where to send.
            key: What the receiver knows the sender by; None: it takes anybody.
        """
        self._to, self._sealer = to, Sealer(key)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def send(self, message: ReferenceMessage | RobotState) -> None:
        """Send best effort: what the network does not take is lost."""
        with suppress(OSError):
            self._socket.sendto(self._sealer.seal(encode(message)), self._to)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class _UdpReceiver:
    """Reads whatever has arrived.

    Attributes:
        refused: Datagrams that were no message, by reason.
    """

    def __init__(
        self, host: str = LOCALHOST, port: int = 0, key: bytes | None = None
    ) -> None:
        """Listen.

        Args:
            host: Own address.
            port: 0 for any free one.
            key: What datagrams have to be sealed with; None: they are taken from
                whoever can reach the address, so leave it at this machine's own.

        Raises:
            TransportError: The address cannot be had.
        """
        self.refused: Counter[str] = Counter()
        self._opener = Opener(key)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise TransportError(
                f"cannot listen for datagrams at {host}:{port}: {error.strerror}"
            ) from None

    @property
    def address(self) -> Address:
        """Where to send to."""
        host, port = self._socket.getsockname()
        return str(host), int(port)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _datagrams(self) -> list[bytes]:
        waiting: list[bytes] = []
        for _ in range(MAX_WAITING):
            try:
                opened = self._opener.open(self._socket.recv(MAX_DATAGRAM))
            except OSError:  # nothing there
                break
            if isinstance(opened, str):
                self.refused[opened] += 1
            else:
                waiting.append(opened)
        return waiting


class UdpReferences(_UdpReceiver):
    """Receives references."""

    def poll(self) -> list[ReferenceMessage]:
        """Everything that has arrived since the last call."""
        datagrams = self._datagrams()
        found = [m for m in map(decode_reference, datagrams) if m is not None]
        self.refused["malformed"] += len(datagrams) - len(found)
        return found


class UdpStates(_UdpReceiver):
    """Receives states of the robot."""

    def newest(self) -> RobotState | None:
        """The newest that has arrived since the last call; None if none has."""
        datagrams = self._datagrams()
        found = [m for m in map(decode_state, datagrams) if m is not None]
        self.refused["malformed"] += len(datagrams) - len(found)
        return max(found, key=lambda state: state.seq, default=None)
