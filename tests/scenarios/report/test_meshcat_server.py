"""The live view's server: this machine only, under its own names."""

from __future__ import annotations

import asyncio
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from scenarios.report.drawing import quiet_meshcat


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    quiet_meshcat()
    from scenarios.report.meshcat_server import local_bridge

    found: list[Any] = []
    ready = threading.Event()

    def serve() -> None:
        asyncio.set_event_loop(asyncio.new_event_loop())
        bridge = local_bridge()
        found.append(bridge)
        ready.set()
        bridge.run()
        bridge.zmq_stream.close()
        bridge.ioloop.close(all_fds=True)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert ready.wait(20.0)
    parts = urlsplit(found[0].web_url)
    assert parts.hostname is not None and parts.port is not None
    yield parts.hostname, parts.port
    found[0].ioloop.add_callback(found[0].ioloop.stop)
    thread.join(5.0)


def test_it_listens_at_no_other_address(address: tuple[str, int]) -> None:
    host, port = address
    assert host == "127.0.0.1"
    with socket.create_connection((host, port), 5.0):
        pass
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port), 5.0)


@pytest.mark.parametrize(("name", "code"), [("localhost", 200), ("evil.example", 403)])
def test_it_answers_to_its_own_names(
    address: tuple[str, int], name: str, code: int
) -> None:
    host, port = address
    request = urllib.request.Request(
        f"http://{host}:{port}/static/", headers={"Host": f"{name}:{port}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=5.0) as answer:
            assert answer.status == code
    except urllib.error.HTTPError as error:
        assert error.code == code
        error.close()


def test_strangers_bytes_print_nothing(
    address: tuple[str, int], capfd: pytest.CaptureFixture[str]
) -> None:
    for text in (b"\x1b[2J\x00\xff" * 50 + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        with socket.create_connection(address, 5.0) as stranger:
            stranger.sendall(text)
            stranger.settimeout(2.0)
            try:
                stranger.recv(100)
            except OSError:
                pass
    assert capfd.readouterr() == ("", "")
