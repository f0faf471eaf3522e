"""The control side never waits; a stream that stops is a robot that stands still."""

from __future__ import annotations

import socket
import time

import msgspec
import numpy as np
import pytest
from teleop_bench import Wire

from teleop.errors import TransportError
from teleop.reference_stream import SILENT_S, StreamedReference
from teleop.stream_messages import ReferenceMessage, encode
from teleop.udp import UdpReferences, UdpSender, UdpStates
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

TICK_S = 0.01


def message(robot: Robot, seq: int, **changes: object) -> ReferenceMessage:
    home = home_reference(robot)
    sample = ReferenceMessage(
        stream=1,
        seq=seq,
        sent_s=0.0,
        q_upper=tuple((home.q_upper + 0.001 * seq).tolist()),
        v_upper=(0.05,) * len(home.q_upper),
        com_height_m=float(home.com_m[2]),
        pelvis_pitch_rad=0.0,
    )
    return msgspec.structs.replace(sample, **changes)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def stream(robot: Robot, wire: Wire) -> StreamedReference:
    return StreamedReference(robot, wire)


def feed(
    robot: Robot, wire: Wire, stream: StreamedReference, start_s: float, count: int
) -> float:
    """Samples at 50 Hz, read at 100 Hz; returns the time of the last reading."""
    time_s = start_s
    for k in range(count):
        wire.send(message(robot, k + 1))
        for _ in range(2):
            stream.at(time_s)
            time_s += TICK_S
    return time_s - TICK_S


def test_stands_until_the_first_sample(robot: Robot, stream: StreamedReference) -> None:
    home, reference = home_reference(robot), stream.at(3.0)
    np.testing.assert_array_equal(reference.q_upper, home.q_upper)
    np.testing.assert_array_equal(reference.com_m, home.com_m)
    assert not reference.v_upper.any()


def test_a_stream_that_stops_holds_and_fades(
    robot: Robot, wire: Wire, stream: StreamedReference
) -> None:
    time_s = feed(robot, wire, stream, 0.0, 50)
    flowing = stream.at(time_s)
    np.testing.assert_allclose(flowing.v_upper, 0.05)
    later = [stream.at(time_s + dt) for dt in np.arange(0.02, 60.0, 0.05)]
    for reference in later:
        np.testing.assert_allclose(reference.q_upper, flowing.q_upper, atol=1e-12)
    speeds = [reference.v_upper[0] for reference in later]
    assert (np.diff(speeds) <= 0.0).all() and speeds[4] == 0.0


def test_a_stream_that_returns_elsewhere_does_not_jump(
    robot: Robot, wire: Wire, stream: StreamedReference
) -> None:
    time_s = feed(robot, wire, stream, 0.0, 10)
    before = stream.at(time_s).q_upper
    far = tuple((np.array(before) - 0.5).tolist())
    wire.send(message(robot, 100, q_upper=far, com_height_m=0.5, pelvis_pitch_rad=0.5))
    first = stream.at(time_s + TICK_S)
    assert 0.0 < np.abs(first.q_upper - before).max() <= 6.0 * TICK_S + 1e-12
    assert first.com_m[2] > 0.78
    for k in range(2, 200):
        last = stream.at(time_s + k * TICK_S)
    assert last.com_m[2] == pytest.approx(0.5)
    low = robot.model.lowerPositionLimit[7 + robot.joints("spine")]
    assert last.q_upper[0] == pytest.approx(max(far[0], low[0]))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"q_upper": (0.0,)}, "wrong_size"),
        ({"v_upper": (float("nan"),) * 9}, "not_finite"),
        ({"com_height_m": float("inf")}, "not_finite"),
        ({"seq": 5}, "out_of_order"),
        ({"seq": 3}, "out_of_order"),
        ({"stream": 2}, "second_stream"),
    ],
)
def test_what_does_not_fit_is_counted_and_changes_nothing(
    robot: Robot, wire: Wire, stream: StreamedReference, changes: dict, name: str
) -> None:
    for seq in range(1, 6):
        wire.send(message(robot, seq))
    stream.at(1.0)
    before = stream.at(1.1)
    wire.send(message(robot, **{"seq": 99, **changes}))
    after = stream.at(1.2)
    assert stream.counts[name] == 1
    np.testing.assert_array_equal(after.q_upper, before.q_upper)
    assert after.is_finite()


def test_another_stream_takes_over_once_the_first_is_silent(
    robot: Robot, wire: Wire, stream: StreamedReference
) -> None:
    wire.send(message(robot, 50))
    stream.at(0.0)
    wire.send(message(robot, 1, stream=2))
    stream.at(SILENT_S + 0.01)
    assert stream.newest is not None and stream.newest.stream == 2


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_finite_nonsense_stays_within_what_a_body_can_do(
    robot: Robot, wire: Wire, stream: StreamedReference, sign: float
) -> None:
    far = sign * 1e6
    asked = {"q_upper": (far,) * 9, "com_height_m": far, "pelvis_pitch_rad": far}
    wire.send(message(robot, 1, v_upper=(far,) * 9, **asked))
    for k in range(400):
        reference = stream.at(0.01 * k)
    joints = 7 + robot.joints("spine", "left_arm", "right_arm")
    assert (reference.q_upper <= robot.model.upperPositionLimit[joints]).all()
    assert (reference.q_upper >= robot.model.lowerPositionLimit[joints]).all()
    assert 0.4 < reference.com_m[2] < 0.9
    assert abs(stream.pelvis_pitch_rad) <= 1.0
    assert np.abs(stream.at(0.0).v_upper).max() <= 6.0


def test_lost_samples_are_counted(
    robot: Robot, wire: Wire, stream: StreamedReference
) -> None:
    for seq in (1, 2, 5, 6):
        wire.send(message(robot, seq))
    stream.at(0.0)
    assert stream.counts["lost"] == 2 and stream.counts["received"] == 4


def test_datagrams_arrive_and_garbage_is_counted(robot: Robot) -> None:
    receiver = UdpReferences()
    sender = UdpSender(receiver.address)
    sent = message(robot, 7, sample_s=1.25, left_hand=(1, 2, 3, 0, 0, 0, 1))
    sender.send(sent)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for garbage in (b"", b"\x00" * 100, b"hello", encode(sent)[:-3]):
            stranger.sendto(garbage, receiver.address)
    found: list[ReferenceMessage] = []
    deadline = time.monotonic() + 5.0
    while receiver.refused["malformed"] < 4 and time.monotonic() < deadline:
        found += receiver.poll()
    assert found == [sent] and receiver.refused["malformed"] == 4
    sender.close()
    receiver.close()


def test_nothing_waits_for_a_peer_that_is_not_there(robot: Robot) -> None:
    receiver, states = UdpReferences(), UdpStates()
    gone = receiver.address
    receiver.close()
    sender = UdpSender(gone)
    started = time.perf_counter()
    for seq in range(200):
        sender.send(message(robot, seq))
        assert states.newest() is None
    assert time.perf_counter() - started < 1.0
    sender.close()
    states.close()


def test_a_port_that_is_taken_is_an_error_with_its_number() -> None:
    first = UdpReferences()
    port = first.address[1]
    with pytest.raises(TransportError, match=str(port)):
        UdpReferences(port=port)
    first.close()
