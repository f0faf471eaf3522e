"""Datagrams that only those who share a key can write, and nobody can repeat.

A sealed datagram is

    counter (8 bytes, big endian) | HMAC-SHA256 of both, 16 bytes | message

with a counter that only grows: nanoseconds of the sender's monotonic clock, so that a
sender that was started again goes on where it was. One that is not newer than the last
is refused; a reference that comes late is of no use anyway.
"""

from __future__ import annotations

import hmac
import secrets
import struct
import time

KEY_BYTES = 32
TAG_BYTES = 16
_HEAD = struct.Struct(">Q")


def new_key() -> bytes:
    """A random key for one session."""
    return secrets.token_bytes(KEY_BYTES)


class Sealer:
    """Seals messages with a key; without one they stay as they are."""

    def __init__(self, key: bytes | None) -> None:
        """Keep the key."""
        self._key, self._counter = key, 0

    def seal(self, message: bytes) -> bytes:
        """The datagram of a message."""
        if self._key is None:
            return message
        self._counter = max(self._counter + 1, time.monotonic_ns())
        head = _HEAD.pack(self._counter)
        return head + _tag(self._key, head, message) + message


class Opener:
    """Opens datagrams sealed with the same key, each of them once."""

    def __init__(self, key: bytes | None) -> None:
        """Keep the key."""
        self._key, self._newest = key, -1

    def open(self, datagram: bytes) -> bytes | str:
        """The message; or, as a word, why it is refused: `unsigned` or `repeated`."""
        if self._key is None:
            return datagram
        if len(datagram) < _HEAD.size + TAG_BYTES:
            return "unsigned"
        head, rest = datagram[: _HEAD.size], datagram[_HEAD.size :]
        tag, message = rest[:TAG_BYTES], rest[TAG_BYTES:]
        if not hmac.compare_digest(tag, _tag(self._key, head, message)):
            return "unsigned"
        (counter,) = _HEAD.unpack(head)
        if counter <= self._newest:
            return "repeated"
        self._newest = counter
        return message


def _tag(key: bytes, head: bytes, message: bytes) -> bytes:
    return hmac.digest(key, head + message, "sha256")[:TAG_BYTES]
