"""Whose packets count on ROS 2's wires, and which stamps are believed."""

from __future__ import annotations

import msgspec
import pytest

from teleop.reference_stream import SILENT_S
from teleop.ros2.live_wire import AHEAD_S, COMPLETES, LiveWire
from teleop.stream_messages import ReferenceMessage
from teleop.wire import PREFIX, ReferenceWire
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

PERIOD_S = 0.02
OPERATOR, STRANGER = b"operator", b"stranger"


class Network:
    """Carries packets at once; its clock is the receiver's."""

    def __init__(self, robot: Robot, *, one_source: bool = True) -> None:
        self.now_s = 1000.0
        self.wire = LiveWire(robot, one_source=one_source, clock=lambda: self.now_s)
        self._sender = ReferenceWire(robot)
        home = home_reference(robot)
        self.home_m = float(home.com_m[2])
        n = len(home.q_upper)
        self._sample = ReferenceMessage(
            stream=0,
            seq=0,
            sent_s=0.0,
            q_upper=tuple(home.q_upper.tolist()),
            v_upper=(0.0,) * n,
            com_height_m=0.8,
            pelvis_pitch_rad=0.0,
        )

    def send(
        self,
        stamp_s: float,
        source: bytes = OPERATOR,
        only: str | None = None,
        **changes: object,
    ) -> list[ReferenceMessage]:
        sample = msgspec.structs.replace(self._sample, sent_s=stamp_s, **changes)
        found = [
            self.wire.take(packet.topic, packet.data, source)
            for packet in self._sender.packets(sample)
            if only is None or packet.topic == only
        ]
        return [message for message in found if message is not None]

    def stream(
        self, count: int, from_s: float, source: bytes = OPERATOR
    ) -> list[ReferenceMessage]:
        found = []
        for k in range(count):
            found += self.send(from_s + k * PERIOD_S, source)
            self.now_s += PERIOD_S
        return found


@pytest.fixture(params=[True, False], ids=["one source", "a source per topic"])
def network(robot: Robot, request: pytest.FixtureRequest) -> Network:
    return Network(robot, one_source=request.param)


@pytest.mark.parametrize("clock_s", [0.0, 5.0, 1.7e9, 2.0e9])
def test_any_clock_of_a_sender_will_do(network: Network, clock_s: float) -> None:
    found = network.stream(20, clock_s)
    assert [m.seq for m in found] == list(range(1, 21))
    assert len({m.stream for m in found}) == 1


@pytest.mark.parametrize("ahead_s", [1.1 * AHEAD_S, 10.0, 1e6])
@pytest.mark.parametrize("source", [OPERATOR, STRANGER])
def test_a_stamp_far_ahead_locks_nobody_out(
    network: Network, ahead_s: float, source: bytes
) -> None:
    network.stream(10, 0.0)
    assert network.send(10 * PERIOD_S + ahead_s, source) == []
    found = network.stream(10, 10 * PERIOD_S)
    assert [m.seq for m in found] == list(range(11, 21))
    why = "stamped_ahead" if source == OPERATOR else "another_source"
    assert network.wire.refused[why] >= 1


def test_the_first_stamp_locks_out_for_half_a_second_at_most(network: Network) -> None:
    assert len(network.send(2.0e9)) == 1
    found = network.stream(40, 0.0)
    assert 40 - len(found) == pytest.approx(SILENT_S / PERIOD_S, abs=1)


def test_a_burst_after_a_pause_is_taken_whole(network: Network) -> None:
    network.stream(10, 0.0)
    network.now_s += 0.4
    found = [m for k in range(20) for m in network.send((10 + k) * PERIOD_S)]
    assert len(found) == 20
    assert not network.wire.refused


@pytest.mark.parametrize("clock_s", [0.0, 1.7e9])
def test_a_sender_that_starts_again_is_a_new_stream(
    network: Network, clock_s: float
) -> None:
    before = network.stream(10, 5000.0)
    network.now_s += SILENT_S
    after = network.stream(10, clock_s)
    assert [m.seq for m in after] == list(range(1, 11))
    assert after[0].stream != before[0].stream


def test_a_clock_that_is_set_back_costs_half_a_second(network: Network) -> None:
    network.stream(10, 5000.0)
    found = network.stream(100, 0.0)
    assert 100 - len(found) == pytest.approx(SILENT_S / PERIOD_S, abs=1)
    assert network.wire.refused["out_of_order"] == 100 - len(found)


def test_one_sender_is_heard_at_a_time(network: Network) -> None:
    network.stream(10, 0.0)
    for k in range(10, 60):
        (found,) = network.send(k * PERIOD_S)
        assert found.com_height_m == 0.8
        assert network.send(k * PERIOD_S + 0.001, STRANGER, com_height_m=0.3) == []
        network.now_s += PERIOD_S
    assert network.wire.refused["another_source"] == 3 * 50


def test_a_stranger_on_the_side_topics_is_not_mixed_in(robot: Robot) -> None:
    """One that spoke first, before and while the operator starts."""
    network = Network(robot)
    side = f"{PREFIX}com_height"
    network.send(0.0, STRANGER, only=side, com_height_m=0.3)
    (first,) = network.send(0.0, only=COMPLETES)
    assert first.com_height_m == network.home_m
    for k in range(1, 10):
        network.now_s += PERIOD_S
        network.send(k * PERIOD_S, STRANGER, only=side, com_height_m=0.3)
        (found,) = network.send(k * PERIOD_S)
        assert found.com_height_m == 0.8


@pytest.mark.parametrize("data", [b"", b"\x00" * 40, b"\xff" * 4096])
def test_rubbish_holds_no_place(network: Network, data: bytes) -> None:
    for topic in (COMPLETES, "/other"):
        assert network.wire.take(topic, data, STRANGER) is None
    assert len(network.stream(5, 0.0)) == 5
