"""Datagrams of strangers, repeated ones, and a sender that starts again."""

from __future__ import annotations

import socket
import time

import pytest

from teleop.sealed import Opener, Sealer, new_key
from teleop.stream_messages import ReferenceMessage
from teleop.udp import UdpReferences, UdpSender

KEY = bytes(range(32))


def reference(seq: int, stream: int = 1) -> ReferenceMessage:
    return ReferenceMessage(
        stream=stream,
        seq=seq,
        sent_s=0.0,
        q_upper=(0.1,),
        v_upper=(0.0,),
        com_height_m=0.9,
        pelvis_pitch_rad=0.0,
    )


def test_what_is_sealed_can_be_opened_once() -> None:
    sealer, opener = Sealer(KEY), Opener(KEY)
    first, second = sealer.seal(b"one"), sealer.seal(b"two")
    assert opener.open(first) == b"one"
    assert opener.open(first) == "repeated"
    assert opener.open(second) == b"two"
    assert opener.open(first) == "repeated"


@pytest.mark.parametrize("place", [0, 7, 8, 23, 24, -1])
def test_one_changed_bit_is_noticed(place: int) -> None:
    datagram = bytearray(Sealer(KEY).seal(b"message"))
    datagram[place] ^= 1
    assert Opener(KEY).open(bytes(datagram)) == "unsigned"


@pytest.mark.parametrize("datagram", [b"", b"\x00" * 23, b"\xff" * 8192])
def test_rubbish_is_unsigned(datagram: bytes) -> None:
    assert Opener(KEY).open(datagram) == "unsigned"


def test_a_sender_that_starts_again_goes_on() -> None:
    opener = Opener(KEY)
    assert opener.open(Sealer(KEY).seal(b"before")) == b"before"
    assert opener.open(Sealer(KEY).seal(b"after")) == b"after"


def test_keys_are_random() -> None:
    assert len({new_key() for _ in range(100)}) == 100


def poll(receiver: UdpReferences, count: int) -> list[ReferenceMessage]:
    found: list[ReferenceMessage] = []
    end = time.monotonic() + 2.0
    while len(found) < count and time.monotonic() < end:
        found += receiver.poll()
    return found


def test_a_stranger_cannot_own_the_robot() -> None:
    """The first to speak, in whatever way, is not taken for the operator."""
    receiver = UdpReferences(key=KEY)
    strangers = [UdpSender(receiver.address), UdpSender(receiver.address, new_key())]
    operator = UdpSender(receiver.address, KEY)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as raw:
        raw.sendto(b"\x00" * 100, receiver.address)
    for stranger in strangers:
        stranger.send(reference(1, stream=7))
    operator.send(reference(2))
    assert [(m.stream, m.seq) for m in poll(receiver, 1)] == [(1, 2)]
    assert receiver.refused["unsigned"] == 3
    for each in (*strangers, operator, receiver):
        each.close()
