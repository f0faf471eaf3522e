"""Serves the operator's page and its socket on one port.

Bytes move between sockets and the operator's session; what they mean is not known
here. No client can end the server: frames are limited, what cannot be read is the
session's to count, status is dropped for who reads slowly, and a peer that is silent
on the level of the socket is let go.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, WSMsgType, web

from teleop.messages import MAX_BYTES
from teleop.web.access import PARAMETER, is_admitted, with_token
from teleop.web.addresses import LOCAL_NAMES, is_own_name, lan_addresses
from teleop.web.assets import Asset, asset, page_assets
from teleop.web.certificate import Identity
from teleop.web.doorkeeper import HANDSHAKE_S, Doorkeeper, limit_logs
from teleop.web.errors import WebError
from teleop.web.holder import Holder, OperatorSession

DEFAULT_PORT = 8443
PORTS_TRIED = 20
MAX_CONNECTIONS = 8
MAX_REFUSALS = 8
"""Sockets without the token that are being sent away at a time."""
REFUSAL_S = 0.5
"""How long a wrong token waits for its answer: guessing takes time."""
STATUS_PERIOD_S = 0.05
HEARTBEAT_S = 4.0
"""Time between pings of the socket; an answer has to come within half of it."""
SEND_TIMEOUT_S = 2.0
SEND_BUFFER_BYTES = 16 * 1024
"""Of the kernel: what a slow reader gets must not be old."""
REPLACED = 4001
"""Close code: another connection drives the robot now."""
NO_TOKEN = 4003
"""Close code: the address lacks the token of this session."""

HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, kw_only=True)
class ServerAddress:
    """Where the page really is.

    Attributes:
        scheme: `https` or `http`.
        hosts: Names and addresses that lead here, the best for a headset first.
        port: The port that was free.
        token: What the page has to show; None: nothing.
    """

    scheme: str
    hosts: tuple[str, ...]
    port: int
    token: str | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """One address of the page for each host."""
        pages = (f"{self.scheme}://{host}:{self.port}/" for host in self.hosts)
        return tuple(with_token(page, self.token) for page in pages)


async def serve(
    session: OperatorSession,
    *,
    figure: bytes,
    on_ready: Callable[[ServerAddress], None],
    identity: Identity | None = None,
    host: str | None = None,
    port: int = DEFAULT_PORT,
    token: str | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Serve until cancelled.

    Args:
        session: Whose messages these are.
        figure: The robot as JSON, from `robot_figure`.
        on_ready: Told the address once the page can be opened.
        identity: For HTTPS; None serves HTTP, which browsers give WebXR on localhost
            only.
        host: Address to listen at (default: every one with HTTPS, else this machine).
        port: First port to try; the next ones follow if it is taken. 0: any.
        token: What a socket has to show in its address; None: nothing, which is for
            tests and for programs that watch the door themselves.
        clock: Of the session [s].

    Raises:
        WebError: No port was free, or the host is not an address of this machine.
    """
    host = host or ("0.0.0.0" if identity else "127.0.0.1")
    listener = _listen(host, port)
    try:
        page = _Server(session, figure, identity, token, clock)
        runner = web.AppRunner(
            page.application(), access_log=None, shutdown_timeout=1.0
        )
        await runner.setup()
        assert runner.server is not None
        limit_logs()
        doorkeeper = Doorkeeper(runner.server, page.sockets)
        watching = asyncio.create_task(doorkeeper.run())
        server: asyncio.Server | None = None
        try:
            server = await asyncio.get_running_loop().create_server(
                runner.server,
                sock=listener,
                ssl=None if identity is None else identity.context,
                ssl_handshake_timeout=None if identity is None else HANDSHAKE_S,
            )
            on_ready(_address(host, listener, identity, token))
            await asyncio.Event().wait()
        finally:
            watching.cancel()
            if server is not None:
                server.close()
            await runner.cleanup()
    finally:
        listener.close()


class _Server:
    """Handlers of one served page."""

    def __init__(
        self,
        session: OperatorSession,
        figure: bytes,
        identity: Identity | None,
        token: str | None,
        clock: Callable[[], float],
    ) -> None:
        self._session, self._clock, self._token = session, clock, token
        self._refusals = 0
        self._holder = Holder(session)
        self._readers: dict[Hashable, asyncio.Task[None]] = {}
        self._ending = False
        self._assets = page_assets()
        self._assets["/robot.json"] = asset(figure, "application/json")
        if identity is not None:
            certificate = asset(identity.authority_pem, "application/x-x509-ca-cert")
            self._assets["/ca.crt"] = certificate

    def sockets(self) -> int:
        """Open sockets of the page."""
        return len(self._readers)

    def application(self) -> web.Application:
        application = web.Application()
        application.router.add_get("/ws", self._socket)
        application.router.add_get("/{path:.*}", self._file)
        application.on_shutdown.append(self._close_all)
        return application

    async def _file(self, request: web.Request) -> web.Response:
        found = self._assets.get(request.path)
        if found is None:
            raise web.HTTPNotFound(headers=HEADERS)
        return _response(found, request.headers.get("If-None-Match"))

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        if not _own_page(request):
            raise web.HTTPForbidden(text="sockets are open to this server's page only")
        if not is_admitted(self._token, request.query.get(PARAMETER)):
            return await self._refuse(request)
        if len(self._readers) >= MAX_CONNECTIONS:
            raise web.HTTPServiceUnavailable(text="too many connections")
        connection = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S, max_msg_size=MAX_BYTES, compress=False
        )
        await connection.prepare(request)
        _limit_buffer(request)
        status = asyncio.create_task(self._send_status(connection, request))
        reading = asyncio.create_task(self._read(connection, request))
        self._readers[connection] = reading
        try:
            await asyncio.wait({reading})
        finally:
            del self._readers[connection]
            self._holder.leave(connection)
            reading.cancel()
            status.cancel()
        if reading.cancelled():
            code = WSCloseCode.GOING_AWAY if self._ending else REPLACED
            await _close(connection, code)
        else:
            reading.result()
        return connection

    async def _refuse(self, request: web.Request) -> web.WebSocketResponse:
        """Tell a page without the token why; a socket's code is all it can read."""
        if self._refusals >= MAX_REFUSALS:
            raise web.HTTPServiceUnavailable(text="too many connections")
        self._refusals += 1
        try:
            await asyncio.sleep(REFUSAL_S)
            connection = web.WebSocketResponse(compress=False, max_msg_size=MAX_BYTES)
            await connection.prepare(request)
            await _close(connection, NO_TOKEN)
        finally:
            self._refusals -= 1
        return connection

    async def _read(
        self, connection: web.WebSocketResponse, request: web.Request
    ) -> None:
        async for message in connection:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                continue
            replies, replaced = self._holder.receive(
                connection, message.data, self._clock()
            )
            if replaced in self._readers:
                self._readers[replaced].cancel()
            for reply in replies:
                await _send(connection, request, reply)

    async def _send_status(
        self, connection: web.WebSocketResponse, request: web.Request
    ) -> None:
        """Send status at its rate, none while earlier bytes are still waiting."""
        while not connection.closed:
            transport = request.transport
            if transport is not None and transport.get_write_buffer_size() == 0:
                text = self._session.status(self._clock())
                await _send(connection, request, text)
            await asyncio.sleep(STATUS_PERIOD_S)

    async def _close_all(self, _: web.Application) -> None:
        self._ending = True
        for reading in self._readers.values():
            reading.cancel()


async def _send(
    connection: web.WebSocketResponse, request: web.Request, text: str
) -> None:
    """Send a frame; a peer that does not take it in time is cut off."""
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await connection.send_str(text)
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
    except ConnectionError:
        pass  # the reader sees the end as well


async def _close(connection: web.WebSocketResponse, code: int) -> None:
    with contextlib.suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await connection.close(code=code)


def _response(found: Asset, known_tag: str | None) -> web.Response:
    headers = {**HEADERS, "ETag": f'"{found.tag}"'}
    if known_tag == headers["ETag"]:
        return web.Response(status=304, headers=headers)
    return web.Response(
        body=found.body,
        content_type=found.content_type,
        charset="utf-8" if found.content_type.startswith("text/") else None,
        headers=headers,
    )


def _own_page(request: web.Request) -> bool:
    """Whether a socket is asked for by our page, or by a program without an origin."""
    if not is_own_name(request.host):
        return False
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


def _limit_buffer(request: web.Request) -> None:
    transport = request.transport
    raw = None if transport is None else transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket on the first free port."""
    last = min(port + PORTS_TRIED, 65536) if port else 1
    for candidate in range(port, last):
        try:
            family = socket.getaddrinfo(host, candidate)[0][0]
            return socket.create_server((host, candidate), family=family)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = error.strerror or error
                raise WebError(f"cannot listen at {host}:{candidate}: {reason}") from (
                    None
                )
    raise WebError(f"ports {port} to {last - 1} of {host} are all taken")


def _address(
    host: str,
    listener: socket.socket,
    identity: Identity | None,
    token: str | None,
) -> ServerAddress:
    hosts: tuple[str, ...] = (host,)
    if host == "0.0.0.0":
        hosts = (*lan_addresses(), LOCAL_NAMES[0])
    elif host == "127.0.0.1":
        hosts = (LOCAL_NAMES[0],)
    return ServerAddress(
        scheme="http" if identity is None else "https",
        hosts=hosts,
        port=listener.getsockname()[1],
        token=token,
    )
