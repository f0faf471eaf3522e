"""Keeps strangers from holding a server's connections, and from filling its log."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable

from aiohttp import web

MOST_CONNECTIONS = 64
MOST_PER_ADDRESS = 24
"""A browser opens six at a time; a laboratory may sit behind one address."""
SILENT_S = 10.0
"""A connection that asks for nothing for so long is closed."""
PERIOD_S = 1.0
HANDSHAKE_S = 5.0
LINES_A_MINUTE = 5


class Doorkeeper:
    """Closes connections that are too many, or silent; sockets in use stay."""

    def __init__(self, server: web.Server, in_use: Callable[[], int]) -> None:
        """Watch a server.

        Args:
            server: Whose connections these are.
            in_use: How many of them are sockets of our own page: they are not judged.
        """
        self._server, self._in_use = server, in_use
        self._seen: dict[int, float] = {}
        self.closed = 0

    async def run(self) -> None:
        """Look around once a second, until cancelled."""
        while True:
            self.look(time.monotonic())
            await asyncio.sleep(PERIOD_S)

    def look(self, now_s: float) -> None:
        """Close what is too old, then the oldest of what is too many."""
        idle = [c for c in self._server.connections if not _is_busy(c)]
        self._seen = {id(c): self._seen.get(id(c), now_s) for c in idle}
        idle.sort(key=lambda connection: self._seen[id(connection)])
        addresses = Counter(map(_address, idle))
        spare = len(idle) + self._in_use() - MOST_CONNECTIONS
        for connection in idle:
            address = _address(connection)
            silent = now_s - self._seen[id(connection)] > SILENT_S
            if silent or spare > 0 or addresses[address] > MOST_PER_ADDRESS:
                addresses[address] -= 1
                spare -= 1
                self.closed += 1
                connection.force_close()
                if connection.transport is not None:
                    connection.transport.abort()


class LogLimit(logging.Filter):
    """Passes a few lines a minute, and counts the others in the next one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start a minute."""
        super().__init__()
        self._clock = clock
        self._since_s, self._passed, self._dropped = clock(), 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written; what strangers sent is never part of it."""
        now_s = self._clock()
        if now_s - self._since_s > 60.0:
            self._since_s, self._passed = now_s, 0
        if self._passed >= LINES_A_MINUTE:
            self._dropped += 1
            return False
        self._passed += 1
        text = record.getMessage().splitlines()[0] if record.getMessage() else ""
        shown = "".join(c if c.isprintable() else "?" for c in text)[:200]
        more = f" ({self._dropped} more like this)" if self._dropped else ""
        self._dropped = 0
        record.msg, record.args = f"{shown}{more}", None
        record.exc_info = record.exc_text = None
        return True


def limit_logs() -> None:
    """Let the libraries that serve write a few short lines a minute."""
    for name in ("asyncio", "aiohttp.server", "aiohttp.web", "aiohttp.websocket"):
        logger = logging.getLogger(name)
        if not any(isinstance(found, LogLimit) for found in logger.filters):
            logger.addFilter(LogLimit())


def _is_busy(connection: web.RequestHandler) -> bool:
    return connection._current_request is not None


def _address(connection: web.RequestHandler) -> str:
    transport = connection.transport
    peer = None if transport is None else transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""
