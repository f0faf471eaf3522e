from __future__ import annotations

import ipaddress
import socket

import pytest

from teleop.web import machine_names
from teleop.web.addresses import host_names, is_own_name, lan_addresses


def test_addresses_are_this_machine_s() -> None:
    for address in lan_addresses():
        assert not ipaddress.ip_address(address).is_loopback
        with socket.create_server((address, 0)):
            pass


@pytest.mark.parametrize(
    "host",
    ["localhost:8443", "LOCALHOST", "127.0.0.1:1", "192.168.1.5:8443", "[::1]:8443"],
)
def test_names_of_this_machine(host: str) -> None:
    assert is_own_name(host)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "localhost.evil.example:8443", "127.0.0.1.evil:1"]
)
def test_names_of_others(host: str) -> None:
    assert not is_own_name(host)


def test_the_host_name_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Robot")
    assert host_names() == ("robot", "robot.local")
    assert {"localhost", "robot", *lan_addresses()} < set(machine_names())
    assert is_own_name("robot.local:8443")
    monkeypatch.setattr(socket, "gethostname", lambda: "r\u00f6bot")
    assert host_names() == ()
