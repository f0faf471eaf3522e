"""Who gets a socket, how long strangers may hold connections, what they may print."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import aiohttp
import pytest
from fake_session import FakeSession
from serving import served

from teleop.web import ServerAddress, doorkeeper
from teleop.web import server as module
from teleop.web.access import is_admitted, new_token, socket_url, with_token
from teleop.web.doorkeeper import LINES_A_MINUTE, LogLimit

TOKEN = "rightword234"
HELLO = json.dumps({"type": "hello", "client": "A"})


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def address(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServerAddress]:
    monkeypatch.setattr(module, "REFUSAL_S", 0.05)
    with served(session, token=TOKEN) as found:
        yield found


def where(address: ServerAddress) -> tuple[str, int]:
    parts = urlsplit(address.urls[0])
    assert parts.hostname is not None and parts.port is not None
    return parts.hostname, parts.port


async def close_code(client: aiohttp.ClientSession, url: str) -> int | None:
    async with client.ws_connect(url) as ws:
        await asyncio.wait_for(ws.receive(), 5.0)
        return ws.close_code


def test_tokens_are_random_and_never_shorter() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000 and {len(token) for token in tokens} == {12}


@pytest.mark.parametrize(
    "asked", [None, "", "rightword23", TOKEN + "5", "rïghtword234"]
)
def test_only_the_token_admits(asked: str | None) -> None:
    assert is_admitted(TOKEN, TOKEN) and is_admitted(None, asked)
    assert not is_admitted(TOKEN, asked)


def test_a_page_s_address_leads_to_its_socket() -> None:
    page = with_token("https://10.0.0.2:8443/", TOKEN)
    assert page == f"https://10.0.0.2:8443/#token={TOKEN}"
    assert socket_url(page) == f"wss://10.0.0.2:8443/ws?token={TOKEN}"
    assert socket_url("http://localhost:1/") == "ws://localhost:1/ws"


def test_the_printed_address_gets_a_socket(address: ServerAddress) -> None:
    async def steps() -> str:
        async with aiohttp.ClientSession() as client:
            async with client.ws_connect(socket_url(address.urls[0])) as ws:
                await ws.send_str(HELLO)
                return str((await asyncio.wait_for(ws.receive_json(), 5.0))["type"])

    assert asyncio.run(steps()) in ("welcome", "status")


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%00%ff"])
def test_without_the_token_nobody_gets_past_the_door(
    address: ServerAddress, session: FakeSession, query: str
) -> None:
    host, port = where(address)

    async def steps() -> int | None:
        async with aiohttp.ClientSession() as client:
            return await close_code(client, f"ws://{host}:{port}/ws{query}")

    assert asyncio.run(steps()) == module.NO_TOKEN
    assert not session.hellos


def test_strangers_take_no_slot(address: ServerAddress) -> None:
    """Any number of them: the operator gets in all the while."""
    host, port = where(address)

    async def steps() -> None:
        async with aiohttp.ClientSession() as client:

            async def stranger() -> None:
                try:
                    await close_code(client, f"ws://{host}:{port}/ws?token=guess")
                except aiohttp.WSServerHandshakeError as error:
                    assert error.status == 503

            strangers = [asyncio.create_task(stranger()) for _ in range(40)]
            async with client.ws_connect(socket_url(address.urls[0])) as ws:
                await ws.send_str(HELLO)
                await asyncio.wait_for(ws.receive_json(), 5.0)
            await asyncio.gather(*strangers)

    asyncio.run(steps())


def test_silent_connections_are_closed_and_too_many_are(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorkeeper, "SILENT_S", 1.0)
    peers = [socket.create_connection(where(address), 5.0) for _ in range(100)]
    started = time.monotonic()
    for peer in peers:
        peer.settimeout(5.0)
        try:
            assert peer.recv(1) == b""
        except ConnectionResetError:
            pass
        peer.close()
    assert time.monotonic() - started < 5.0


def test_a_log_gets_a_few_short_lines_a_minute() -> None:
    now_s = 0.0
    limit = LogLimit(clock=lambda: now_s)

    def written(count: int) -> list[str]:
        records = [
            logging.LogRecord("x", logging.ERROR, "", 0, "bad %s", ("\x1b[2J\n",), None)
            for _ in range(count)
        ]
        return [record.getMessage() for record in records if limit.filter(record)]

    assert written(1000) == ["bad ?[2J"] * LINES_A_MINUTE
    now_s = 61.0
    assert written(1) == [f"bad ?[2J ({1000 - LINES_A_MINUTE} more like this)"]
