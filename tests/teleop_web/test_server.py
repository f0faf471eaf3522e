from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from fake_session import FakeSession
from serving import served

from teleop.messages import MAX_BYTES
from teleop.web import ServerAddress, WebError, server_identity
from teleop.web import server as module

HELLO = json.dumps({"type": "hello", "client": "A"})
NEXT_S = 5.0

Steps = Callable[[aiohttp.ClientSession], Awaitable[None]]


def pose(seq: int) -> str:
    return json.dumps({"type": "pose", "seq": seq, "t": 0.01 * seq})


def run(steps: Steps) -> None:
    async def with_client() -> None:
        async with aiohttp.ClientSession() as client:
            await asyncio.wait_for(steps(client), 20.0)

    asyncio.run(with_client())


async def answer(ws: aiohttp.ClientWebSocketResponse, kind: str) -> dict[str, Any]:
    """The next message of a kind."""
    while True:
        message = json.loads(await asyncio.wait_for(ws.receive_str(), NEXT_S))
        if message["type"] == kind:
            return dict(message)


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + NEXT_S
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def address(session: FakeSession) -> Iterator[ServerAddress]:
    with served(session, figure=b'{"joints": []}') as found:
        yield found


def test_the_page_and_all_it_asks_for_are_there(address: ServerAddress) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        page = await client.get(address.urls[0])
        assert page.status == 200 and page.content_type == "text/html"
        assert "default-src 'self'" in page.headers["Content-Security-Policy"]
        text = await page.text()
        for name in ("main.js", "style.css", "icon.svg", "vendor/three.min.js"):
            async with client.get(address.urls[0] + name) as found:
                assert found.status == 200, name
            assert name in text or name.startswith("vendor")
        robot = await client.get(address.urls[0] + "robot.json")
        assert await robot.json() == {"joints": []}

    run(steps)


def test_every_import_of_the_page_is_a_file_of_it() -> None:
    assets = module.page_assets()
    for path, found in assets.items():
        if path.endswith(".js") and "vendor" not in path:
            names = re.findall(r'from "\./([\w./]+)"', found.body.decode())
            assert {f"/{name}" for name in names} <= assets.keys(), path


def test_nothing_of_the_page_names_another_host() -> None:
    namespaces = {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}
    for path, found in module.page_assets().items():
        hosts = set(
            re.findall(r'(?:https?:)?//[\w-]+\.[^\s"\'`]*', found.body.decode())
        )
        assert {host for host in hosts if not host.startswith("// ")} <= namespaces, (
            path
        )


def test_files_that_did_not_change_are_not_sent_again(address: ServerAddress) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        async with client.get(address.urls[0] + "main.js") as first:
            known = {"If-None-Match": first.headers["ETag"]}
        again = await client.get(address.urls[0] + "main.js", headers=known)
        assert (again.status, await again.read()) == (304, b"")

    run(steps)


@pytest.mark.parametrize(
    "path",
    [
        "../server.py",
        "/../../../../etc/passwd",
        "..%2f..%2fserver.py",
        "%2e%2e/server.py",
        "static/index.html",
        "vendor/",
        "vendor/three.LICENSE%00.js",
        "server.pem",
        "ca.crt",
    ],
)
def test_nothing_else_can_be_asked_for(address: ServerAddress, path: str) -> None:
    """Written by hand: clients tidy such paths up."""
    request = f"GET /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", address.port)) as peer:
        peer.sendall(request.encode())
        status = peer.makefile("rb").readline().split()[1]
    assert status in (b"404", b"400")


def test_messages_reach_the_session_and_answers_come_back(
    address: ServerAddress, session: FakeSession
) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        async with client.ws_connect(address.urls[0] + "ws") as ws:
            await ws.send_str(HELLO)
            assert (await answer(ws, "welcome"))["accepted"]
            for seq in range(5):
                await ws.send_str(pose(seq))
            sent = time.monotonic()
            await ws.send_str(json.dumps({"type": "ping", "id": 7, "t": 1.5}))
            pong = await answer(ws, "pong")
            assert (pong["id"], pong["t"]) == (7, 1.5)
            assert sent <= pong["server_t"] <= time.monotonic()
        await until(lambda: session.gone == ["A"])

    run(steps)
    assert [frame.seq for _, frame in session.poses] == [0, 1, 2, 3, 4]


def test_status_comes_twenty_times_a_second(address: ServerAddress) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        async with client.ws_connect(address.urls[0] + "ws") as ws:
            await answer(ws, "status")
            times = [(await answer(ws, "status"))["t"] for _ in range(20)]
        assert 1.0 / 30.0 < (times[-1] - times[0]) / 19 < 0.1

    run(steps)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
    ids=str,
)
def test_pages_of_others_get_no_socket(
    address: ServerAddress, headers: dict[str, str]
) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(address.urls[0] + "ws", headers=headers)
        assert refused.value.status == 403

    run(steps)


def test_the_own_page_gets_one(address: ServerAddress) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        origin = {"Origin": address.urls[0].rstrip("/")}
        async with client.ws_connect(address.urls[0] + "ws", headers=origin) as ws:
            await answer(ws, "status")

    run(steps)


async def drive(client: aiohttp.ClientSession, address: ServerAddress) -> None:
    """A well-behaved client can drive."""
    async with client.ws_connect(address.urls[0] + "ws") as ws:
        await ws.send_str(HELLO)
        assert (await answer(ws, "welcome"))["accepted"]


@pytest.mark.parametrize("round_", [1, 2])
@pytest.mark.parametrize(
    "data",
    [
        "rubbish",
        "[" * (MAX_BYTES - 1),
        b"\x00\xff" * 100,
        b"",
        "x" * (MAX_BYTES + 1),
    ],
    ids=["words", "nested", "binary", "empty", "long"],
)
def test_no_frame_ends_the_server(
    address: ServerAddress, session: FakeSession, data: str | bytes, round_: int
) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        for _ in range(round_):
            async with client.ws_connect(address.urls[0] + "ws") as ws:
                await ws.send_str(HELLO)
                await answer(ws, "welcome")
                send = ws.send_str if isinstance(data, str) else ws.send_bytes
                await send(data)  # type: ignore[arg-type]
                if len(data) > MAX_BYTES:
                    while not ws.closed:
                        await asyncio.wait_for(ws.receive(), NEXT_S)
                    assert ws.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
                else:
                    await answer(ws, "status")
            await until(lambda: session.driver is None)
        await drive(client, address)

    run(steps)


def test_a_huge_frame_is_not_even_read(address: ServerAddress) -> None:
    with raw_socket(address) as peer:
        peer.sendall(b"\x81\xff" + (2**40).to_bytes(8) + b"\x00" * 4)
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                peer.sendall(b"x" * 65_536)
            pytest.fail("64 MB were taken")
    run(lambda client: drive(client, address))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 50,  # reserved bits
        b"\x81\x85\x00\x00\x00\x00\xff\xfe\xfd\xfc\xfb",  # text that is not UTF-8
        b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff",  # 2^64 bytes announced
    ],
    ids=["bits", "utf8", "length"],
)
def test_broken_framing_costs_its_own_connection_only(
    address: ServerAddress, data: bytes
) -> None:
    with raw_socket(address) as peer:
        peer.sendall(data)
        peer.settimeout(NEXT_S)
        while peer.recv(4096):
            pass
    run(lambda client: drive(client, address))


def raw_socket(address: ServerAddress) -> socket.socket:
    """A socket on which the handshake is done."""
    peer = socket.create_connection(("127.0.0.1", address.port))
    lines = ("GET /ws HTTP/1.1", "Host: localhost", "Upgrade: websocket")
    lines += ("Connection: Upgrade", "Sec-WebSocket-Version: 13")
    lines += ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "")
    peer.sendall("\r\n".join(lines).encode())
    assert peer.recv(1024).startswith(b"HTTP/1.1 101")
    return peer


def test_a_peer_that_vanished_is_let_go(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half open: the connection stands and nobody answers, not even pings."""
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.2)
    with served(session) as address, raw_socket(address) as peer:
        mask = b"\x00" * 4
        peer.sendall(bytes((0x81, 0x80 | len(HELLO))) + mask + HELLO.encode())

        async def steps(client: aiohttp.ClientSession) -> None:
            await until(lambda: session.driver == "A")
            await until(lambda: session.gone == ["A"])
            await drive(client, address)

        run(steps)


def test_a_slow_reader_gets_fewer_frames_and_none_that_is_old(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.says["reason"] = "x" * 20_000
    monkeypatch.setattr(module, "STATUS_PERIOD_S", 0.001)
    asked = []
    status = session.status
    monkeypatch.setattr(session, "status", lambda t: asked.append(t) or status(t))
    with served(session) as address:
        with raw_socket(address) as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            time.sleep(1.0)
            waiting = len(asked)
            time.sleep(0.5)
            assert len(asked) == waiting < 400
        run(lambda client: drive(client, address))


def test_a_second_client_watches_until_the_first_is_gone(
    address: ServerAddress, session: FakeSession
) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        url = address.urls[0] + "ws"
        other = json.dumps({"type": "hello", "client": "B"})
        async with client.ws_connect(url) as watcher:
            async with client.ws_connect(url) as driver:
                await driver.send_str(HELLO)
                await answer(driver, "welcome")
                await watcher.send_str(other)
                assert not (await answer(watcher, "welcome"))["accepted"]
                await watcher.send_str(pose(99))
                await driver.send_str(pose(0))
                await answer(watcher, "status")
            await until(lambda: session.driver is None)
            await watcher.send_str(other)
            assert (await answer(watcher, "welcome"))["accepted"]
            await watcher.send_str(pose(1))
            await until(lambda: len(session.poses) == 2)

    run(steps)
    assert [frame.seq for _, frame in session.poses] == [0, 1]


def test_a_client_that_comes_back_ends_its_old_connection(
    address: ServerAddress, session: FakeSession
) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        url = address.urls[0] + "ws"
        async with client.ws_connect(url) as old, client.ws_connect(url) as new:
            await old.send_str(HELLO)
            await answer(old, "welcome")
            await new.send_str(HELLO)
            assert (await answer(new, "welcome"))["accepted"]
            while not old.closed:
                await asyncio.wait_for(old.receive(), NEXT_S)
            assert old.close_code == module.REPLACED
            await new.send_str(pose(3))
            await until(lambda: len(session.poses) == 1)
            assert not session.gone

    run(steps)


def test_there_is_a_limit_to_connections(address: ServerAddress) -> None:
    async def steps(client: aiohttp.ClientSession) -> None:
        url = address.urls[0] + "ws"
        held = [await client.ws_connect(url) for _ in range(module.MAX_CONNECTIONS)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(url)
        assert refused.value.status == 503
        assert not any(ws.closed for ws in held)
        for ws in held:
            await ws.close()

    run(steps)


def test_the_address_told_is_one_that_works_when_the_port_is_taken(
    session: FakeSession,
) -> None:
    with served(session) as first, served(session, port=first.port) as second:
        assert first.port < second.port < first.port + module.PORTS_TRIED
        run(lambda client: drive(client, second))


def test_no_free_port_is_one_sentence(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PORTS_TRIED", 1)
    with (
        served(session) as first,
        pytest.raises(WebError, match=f"ports {first.port} to .* taken"),
        served(session, port=first.port),
    ):
        pass


def test_an_address_of_another_machine_is_one_sentence(session: FakeSession) -> None:
    with (
        pytest.raises(WebError, match="cannot listen at 203.0.113.9:"),
        served(session, host="203.0.113.9"),
    ):
        pass


def test_https_with_the_authority_and_its_download(
    session: FakeSession, tmp_path: Path
) -> None:
    identity = server_identity(tmp_path, ("localhost", "127.0.0.1"))
    trust = ssl.create_default_context(cadata=identity.authority_pem.decode())

    async def steps(client: aiohttp.ClientSession) -> None:
        url = address.urls[-1]
        assert url == f"https://localhost:{address.port}/"
        found = await client.get(url + "ca.crt", ssl=trust)
        assert found.content_type == "application/x-x509-ca-cert"
        assert await found.read() == identity.authority_pem
        async with client.ws_connect(url + "ws", ssl=trust) as ws:
            await answer(ws, "status")

    with served(session, identity=identity) as address:
        run(steps)


def test_plain_http_listens_to_this_machine_only(address: ServerAddress) -> None:
    assert address.urls == (f"http://localhost:{address.port}/",)
    for other in module.lan_addresses():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((other, address.port), 1.0)


def test_it_ends_while_clients_are_connected(session: FakeSession) -> None:
    with served(session) as address:
        peer = raw_socket(address)
        started = time.monotonic()
    assert time.monotonic() - started < 4.0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", address.port))
    peer.close()
