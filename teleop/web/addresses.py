"""Under which names and addresses this machine can be reached."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct

LOCAL_NAMES = ("localhost", "127.0.0.1")

_SIOCGIFADDR = 0x8915
"""Linux request for the IPv4 address of an interface, netdevice(7)."""
_NOWHERE = ("192.0.2.1", 9)
"""RFC 5737 address: connecting a UDP socket picks a route and sends nothing."""


def lan_addresses() -> tuple[str, ...]:
    """IPv4 addresses other machines may use, the one of the default route first."""
    found = [_route_address(), *map(_interface_address, _interfaces())]
    distinct = dict.fromkeys(address for address in found if address)
    return tuple(a for a in distinct if not ipaddress.ip_address(a).is_loopback)


def machine_names() -> tuple[str, ...]:
    """Every name and address that leads here: what a certificate has to hold."""
    return (*LOCAL_NAMES, *lan_addresses(), *host_names())


def host_names() -> tuple[str, ...]:
    """Host name of this machine, and that name under multicast DNS."""
    name = socket.gethostname().lower()
    if not name.isascii() or name in ("", "localhost"):
        return ()
    return (name,) if "." in name else (name, f"{name}.local")


def is_own_name(host: str) -> bool:
    """Whether a `Host` header, with or without port, names this machine.

    Any literal address counts: a page of a foreign site comes with that site's name,
    even where the name was made to resolve to this machine.
    """
    name = _without_port(host).lower()
    if name in LOCAL_NAMES or name in host_names():
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _interfaces() -> list[str]:
    return [name for _, name in socket.if_nameindex()]


def _interface_address(name: str) -> str | None:
    request = struct.pack("256s", name[:15].encode())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)
        except OSError:  # no IPv4 address
            return None
    return socket.inet_ntoa(answer[20:24])


def _route_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:  # no route
            return None
        return str(probe.getsockname()[0])
