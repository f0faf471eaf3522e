"""Meshcat's server, for this machine only.

Meshcat listens at every address whatever host it is given, serves whoever asks, and
prints what strangers send.
"""

from __future__ import annotations

import contextlib
import io
import logging
from typing import Any

import tornado.web
from meshcat.servers import zmqserver

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")


def local_bridge() -> zmqserver.ZMQWebSocketBridge:
    """A server on the first free port of this machine, in the current event loop."""
    for name in ("tornado.access", "tornado.application", "tornado.general"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with contextlib.redirect_stderr(io.StringIO()):  # a line for each port in use
        return _LocalBridge(host=HOST)


class _LocalBridge(zmqserver.ZMQWebSocketBridge):  # type: ignore[misc]
    def make_app(self) -> tornado.web.Application:
        page = {
            "path": zmqserver.VIEWER_ROOT,
            "default_filename": zmqserver.VIEWER_HTML,
        }
        return _LocalApplication(
            [(r"/static/(.*)", _Page, page), (r"/", _Scene, {"bridge": self})]
        )


class _LocalApplication(tornado.web.Application):
    def listen(self, port: int, address: str | None = None, **settings: Any) -> Any:
        """Listen at this machine's own address."""
        return super().listen(port, address=address or HOST, **settings)


class _OwnNames(tornado.web.RequestHandler):
    """Refuses requests under a name that was made to lead here."""

    def prepare(self) -> None:
        """Judge a request before it is answered.

        Raises:
            HTTPError: The name is not this machine's.
        """
        if self.request.host_name not in NAMES:
            raise tornado.web.HTTPError(403)


class _Page(_OwnNames, zmqserver.StaticFileHandlerNoCache):  # type: ignore[misc]
    """The viewer's files."""


class _Scene(_OwnNames, zmqserver.WebSocketHandler):  # type: ignore[misc]
    """Gets the scene. The other side has nothing to say; Tornado checks its origin."""

    def open(self) -> None:
        """Send everything drawn so far."""
        self.bridge.websocket_pool.add(self)
        self.bridge.send_scene(self)

    def on_message(self, message: str | bytes) -> None:
        """Drop it."""

    def on_close(self) -> None:
        """Send no more."""
        self.bridge.websocket_pool.discard(self)
