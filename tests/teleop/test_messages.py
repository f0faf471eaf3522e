"""Frames between page and server: what is read, and what is refused by kind."""

from __future__ import annotations

import json
import math

import pytest

from teleop.messages import (
    MAX_BYTES,
    BadMessage,
    Clock,
    Hello,
    Ping,
    Pong,
    PoseFrame,
    Sides,
    Status,
    Welcome,
    decode,
    encode,
)

POSE = {"p": [0.1, 1.2, -0.3], "q": [0, 0, 0, 1], "valid": True}
HAND = {
    "grip": POSE,
    "axes": [0.5, -1.0],
    "trigger": 0.25,
    "squeeze": 1,
    "stick": False,
    "buttons": [True, False],
}
FRAME = {
    "type": "pose",
    "seq": 7,
    "t": 12.5,
    "visibility": "visible",
    "head": POSE,
    "left": HAND,
    "right": None,
}


def test_a_pose_frame_is_read_as_written() -> None:
    frame = decode(json.dumps(FRAME))
    assert isinstance(frame, PoseFrame)
    assert (frame.seq, frame.t, frame.right) == (7, 12.5, None)
    assert frame.left is not None and frame.left.axes == (0.5, -1.0)
    assert frame.left.grip.p == (0.1, 1.2, -0.3)


def test_bytes_are_read_like_text() -> None:
    assert decode(json.dumps(FRAME).encode()) == decode(json.dumps(FRAME))


@pytest.mark.parametrize("bad", [None, math.nan, math.inf])
def test_a_number_that_is_not_finite_costs_only_its_own_pose(bad: object) -> None:
    left = HAND | {"grip": POSE | {"p": [bad, 0.0, 0.0]}}
    frame = decode(json.dumps(FRAME | {"left": left, "right": HAND}))
    assert isinstance(frame, PoseFrame)
    assert frame.left is not None and frame.right is not None
    first = frame.left.grip.p[0]
    assert first is None or not math.isfinite(first)
    assert frame.right.grip.p == (0.1, 1.2, -0.3)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"type": "ping", "id": 1, "t": 0.5}, Ping),
        ({"type": "clock", "offset_s": 5.0, "rtt_s": 0.01}, Clock),
        ({"type": "hello", "client": "a", "page": "desktop", "version": 1}, Hello),
    ],
)
def test_other_messages_are_read(message: dict, kind: type) -> None:
    assert isinstance(decode(json.dumps(message)), kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"type":"shutdown"}',
        '{"type":"pose"}',
        '{"type":"pose","seq":"x","t":0}',
        json.dumps(FRAME | {"head": POSE | {"p": [0, 0]}}),
        b"\xff\xfe\x00",
        "[" * 60_000,
    ],
)
def test_what_is_no_message_is_malformed(text: str | bytes) -> None:
    with pytest.raises(BadMessage) as caught:
        decode(text)
    assert caught.value.kind == "malformed"


@pytest.mark.parametrize("time_s", [math.nan, -math.inf, 1e300])
def test_a_time_must_be_one(time_s: float) -> None:
    with pytest.raises(BadMessage) as caught:
        decode(json.dumps(FRAME | {"t": time_s}))
    assert caught.value.kind == "not_finite"


def test_a_frame_without_end_is_not_read() -> None:
    with pytest.raises(BadMessage) as caught:
        decode("x" * (MAX_BYTES + 1))
    assert caught.value.kind == "too_long"


def test_answers_carry_their_type_and_every_key() -> None:
    status = json.loads(
        encode(
            Status(
                t=1.0,
                link="ok",
                rate_hz=72.0,
                gaps=0,
                engaged=Sides(left=True),
                state="engaged",
            )
        )
    )
    assert status["type"] == "status"
    assert status["engaged"] == {"left": True, "right": False}
    assert status["reach"] == {"left": 0.0, "right": 0.0}
    for key in ("reason", "payload", "margin_m", "age_s", "q", "base", "haptic"):
        assert key in status
    welcome = json.loads(encode(Welcome(accepted=True)))
    expected = {"type": "welcome", "accepted": True, "reason": None, "version": 1}
    assert welcome == expected
    pong = json.loads(encode(Pong(id=3, t=1.0, server_t=2.0)))
    assert pong == {"type": "pong", "id": 3, "t": 1.0, "server_t": 2.0}
