"""Which connection drives the robot: one, whoever else is connected.

The session speaks of clients, a server of connections. A client that comes back has a
new connection, and its old one may not be known to be gone yet.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import msgspec

ANYONE_MAY_SEND = frozenset({"hello", "ping", "stop"})
"""Messages of connections that do not drive; nothing else of theirs is passed on.

Whoever sees something go wrong may stop the robot, whoever drives.
"""


class OperatorSession(Protocol):
    """The two ends between which the server moves bytes; never raises."""

    def on_message(self, text: str | bytes, received_s: float) -> list[str]:
        """Take one message of a client; returns the replies to it."""

    def on_disconnect(self, client: str) -> None:
        """The driving client's connection is gone."""

    def status(self, now_s: float) -> str:
        """The operator's status, as a message."""


class Holder:
    """Passes messages of the driving connection on, and of others what they may send.

    Attributes:
        ignored: Messages that were not passed on.
    """

    def __init__(self, session: OperatorSession) -> None:
        """Start without a driver."""
        self.ignored = 0
        self._session = session
        self._connection: Hashable | None = None
        self._client = ""

    def receive(
        self, connection: Hashable, text: str | bytes, received_s: float
    ) -> tuple[list[str], Hashable | None]:
        """Take one message.

        Args:
            connection: Where it came from.
            text: The message.
            received_s: When, on the session's clock.

        Returns:
            Replies to that connection, and the connection that has just lost the
            robot to it, if any.
        """
        header = _header(text)
        kind = None if header is None else header.type
        if connection != self._connection and kind not in ANYONE_MAY_SEND:
            self.ignored += 1
            return [], None
        replies = self._session.on_message(text, received_s)
        if header is None or kind != "hello" or not _accepted(replies):
            return replies, None
        before, self._connection = self._connection, connection
        self._client = header.client
        return replies, before if before != connection else None

    def leave(self, connection: Hashable) -> None:
        """A connection has ended."""
        if connection == self._connection:
            self._connection = None
            self._session.on_disconnect(self._client)


class _Header(msgspec.Struct):
    type: str
    client: str = ""


class _Welcome(msgspec.Struct, tag_field="type", tag="welcome"):
    accepted: bool


def _header(text: str | bytes) -> _Header | None:
    try:
        return msgspec.json.decode(text, type=_Header)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


def _accepted(replies: list[str]) -> bool:
    for reply in replies:
        try:
            return msgspec.json.decode(reply, type=_Welcome).accepted
        except msgspec.MsgspecError:
            continue
    return False
