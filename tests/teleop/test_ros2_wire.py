"""ROS 2's wires: loopback both ways, bytes as another implementation writes them."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from teleop.errors import TransportError
from teleop.ros2.names import dds_topic, dds_type, domain_id
from teleop.stream_messages import ReferenceMessage
from teleop.wire import JOINTS, POSE, TOPICS, ReferenceWire
from wbmpc.robot import Robot

DOMAIN = "77"
TIMEOUT_S = 15.0
LOOPBACK_ONLY = """<CycloneDDS><Domain><General>
<Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>"""


@pytest.fixture(autouse=True)
def own_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", DOMAIN)
    monkeypatch.setenv("CYCLONEDDS_URI", LOOPBACK_ONLY)


def messages(count: int) -> list[ReferenceMessage]:
    rng = np.random.default_rng(0)
    return [
        ReferenceMessage(
            stream=3,
            seq=k + 1,
            sent_s=100.0 + 0.02 * k,
            q_upper=tuple(rng.random(9).tolist()),
            v_upper=tuple(rng.random(9).tolist()),
            com_height_m=0.8,
            pelvis_pitch_rad=0.1,
            left_hand=(0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0) if k % 2 else None,
        )
        for k in range(count)
    ]


def exchange(sender: Any, receiver: Any) -> list[ReferenceMessage]:
    """Send at 50 Hz until 50 samples have come, or time is up."""
    found: list[ReferenceMessage] = []
    deadline = time.monotonic() + TIMEOUT_S
    for k, message in enumerate(messages(750)):
        sender.send(message)
        time.sleep(0.02 if k < 700 else 0.0)
        found += receiver.poll()
        if len(found) >= 50 or time.monotonic() > deadline:
            break
    return found


def assert_same(found: list[ReferenceMessage]) -> None:
    sent = {message.sent_s: message for message in messages(750)}
    assert len(found) >= 50
    for message in found:
        original = sent[round(message.sent_s, 9)]
        changes = {"stream": 3, "seq": original.seq, "sent_s": original.sent_s}
        assert msgspec.structs.replace(message, **changes) == original
    assert [m.seq for m in found] == list(
        range(found[0].seq, found[0].seq + len(found))
    )


@pytest.fixture
def endpoint() -> str:
    """Where nobody listens yet."""
    pytest.importorskip("zenoh")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp/127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def router(endpoint: str) -> Iterator[str]:
    """A Zenoh router made in this process."""
    from teleop.ros2.zenoh_link import open_router

    session = open_router(endpoint)
    yield endpoint
    session.close()


def test_names_are_those_of_ros_2() -> None:
    assert dds_topic("/joint_states") == "rt/joint_states"
    assert dds_type(JOINTS) == "sensor_msgs::msg::dds_::JointState_"
    assert domain_id() == int(DOMAIN)


@pytest.mark.parametrize("text", ["-1", "233", "one", "0x1"])
def test_a_domain_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    with pytest.raises(TransportError, match="ROS_DOMAIN_ID"):
        domain_id()


def test_cyclone_s_bytes_are_those_of_rosbags(robot: Robot) -> None:
    pytest.importorskip("cyclonedds")
    from teleop.ros2.idl import TYPES

    kinds = set()
    for message in messages(2):
        for packet in ReferenceWire(robot).packets(message):
            sample = TYPES[packet.kind].deserialize(packet.data)
            assert bytes(sample.serialize()) == packet.data
            kinds.add(packet.kind)
            name = TYPES[packet.kind].__idl_typename__.replace(".", "::")
            assert name == dds_type(packet.kind)
    assert kinds == set(TYPES) == set(TOPICS.values())


def test_references_travel_over_cyclone_dds(robot: Robot) -> None:
    pytest.importorskip("cyclonedds")
    from teleop.ros2.cyclone import CycloneReceiver, CycloneSender

    receiver, sender = CycloneReceiver(robot), CycloneSender(robot)
    found = exchange(sender, receiver)
    sender.close()
    time.sleep(0.2)
    assert receiver.poll() == []  # a writer that goes away leaves no message
    receiver.close()
    assert_same(found)
    assert not receiver.wire.refused


def second_sender(first: Any, second: Any, receiver: Any) -> list[ReferenceMessage]:
    """What arrives while two send by turns; the first one began a second sooner."""
    found: list[ReferenceMessage] = []
    for k, message in enumerate(messages(120)):
        first.send(message)
        if k >= 50:
            second.send(msgspec.structs.replace(message, com_height_m=0.3))
        time.sleep(0.02)
        found += receiver.poll()
    for each in (first, second, receiver):
        each.close()
    return found


def assert_first_alone(found: list[ReferenceMessage], receiver: Any) -> None:
    assert len(found) > 60
    assert {m.com_height_m for m in found} == {0.8}
    assert len({m.stream for m in found}) == 1
    assert receiver.wire.refused["another_source"] > 60
    assert receiver.wire.refused["out_of_order"] == 0


def test_a_second_participant_is_not_heard(robot: Robot) -> None:
    pytest.importorskip("cyclonedds")
    from teleop.ros2.cyclone import CycloneReceiver, CycloneSender

    receiver, first, second = (
        CycloneReceiver(robot),
        CycloneSender(robot),
        CycloneSender(robot),
    )
    assert_first_alone(second_sender(first, second, receiver), receiver)


def test_a_second_publisher_is_not_heard(robot: Robot, router: str) -> None:
    from teleop.ros2.zenoh_link import ZenohReceiver, ZenohSender

    receiver, first, second = (
        ZenohReceiver(robot, router),
        ZenohSender(robot, router),
        ZenohSender(robot, router),
    )
    assert_first_alone(second_sender(first, second, receiver), receiver)


def test_references_travel_over_zenoh(robot: Robot, router: str) -> None:
    from teleop.ros2.zenoh_link import ZenohReceiver, ZenohSender

    receiver, sender = ZenohReceiver(robot, router), ZenohSender(robot, router)
    found = exchange(sender, receiver)
    sender.close()
    receiver.close()
    assert_same(found)


def test_the_receiver_is_the_router_where_there_is_none(
    robot: Robot, endpoint: str
) -> None:
    from teleop.ros2.zenoh_link import ZenohReceiver, ZenohSender, open_router

    sender = ZenohSender(robot, endpoint)
    receiver = ZenohReceiver(robot, endpoint)
    assert open_router(endpoint) is None
    assert len(exchange(sender, receiver)) >= 50
    sender.close()
    receiver.close()


def test_zenoh_keys_attachments_and_tokens_are_those_of_rmw_zenoh(
    robot: Robot, router: str
) -> None:
    zenoh = pytest.importorskip("zenoh")
    from teleop.ros2.zenoh_link import ZenohSender, open_session

    watcher = open_session(router)
    tokens = watcher.liveliness().declare_subscriber(f"@ros2_lv/{DOMAIN}/**")
    data = watcher.declare_subscriber(f"{DOMAIN}/**", zenoh.handlers.FifoChannel(100))
    sender = ZenohSender(robot, router)
    sample = wait_for(lambda: (sender.send(messages(1)[0]), data.try_recv())[1])
    key = str(sample.key_expr)
    assert key.startswith(f"{DOMAIN}/wbmpc/reference/")
    assert "::msg::dds_::" in key and "/RIHS01_" in key
    number, stamp_ns, length, name = struct.unpack(
        "<qqB16s", sample.attachment.to_bytes()
    )
    assert number >= 1 and length == 16 and len(name) == 16
    assert abs(stamp_ns - time.time_ns()) < 60e9
    seen = [str(wait_for(tokens.try_recv).key_expr) for _ in range(1 + len(TOPICS))]
    assert sum("/NN/" in key for key in seen) == 1
    assert sum("/MP/" in key for key in seen) == len(TOPICS)
    assert any("%wbmpc%reference%upper_body" in key for key in seen)
    sender.close()
    watcher.close()


def test_hashes_are_the_same_for_two_releases_of_ros_2() -> None:
    jazzy, humble = map(get_typestore, (Stores.ROS2_JAZZY, Stores.ROS2_HUMBLE))
    for kind in (JOINTS, POSE):
        assert jazzy.hash_rihs01(kind) == humble.hash_rihs01(kind)
    assert jazzy.hash_rihs01(JOINTS).startswith("RIHS01_a13ee3a3")
    assert jazzy.hash_rihs01(POSE).startswith("RIHS01_10f3786d")


def wait_for(poll: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        found = poll()
        if found is not None:
            return found
        time.sleep(0.02)
    raise AssertionError("nothing came")
