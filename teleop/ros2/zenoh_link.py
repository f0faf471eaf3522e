"""References over Zenoh, as rmw_zenoh puts them on the wire.

Key: `DOMAIN/TOPIC/TYPE/RIHS01 HASH`; payload: CDR; attachment: int64 sequence number,
int64 time in ns, one byte 16, and 16 bytes that name the publisher. Liveliness tokens
under `@ros2_lv` make node and publishers visible to ROS 2's tools. Like the nodes of
ROS 2 it connects to a router on this machine (port 7447), without which they do not
find each other.
"""

from __future__ import annotations

import socket
import struct
import time
import uuid
from collections import Counter
from typing import Any

from teleop.errors import TransportError
from teleop.ros2.live_wire import LiveWire
from teleop.ros2.names import dds_type, domain_id
from teleop.stream_messages import ReferenceMessage
from teleop.wire import TOPICS, ReferenceWire
from wbmpc.robot import Robot

ROUTER = "tcp/127.0.0.1:7447"
NODE = "wbmpc_teleop"
DEPTH = 64
BEST_EFFORT_QOS = "2::,10:,:,:,,"
"""Reliability 2, history depth 10; everything else default."""
_ATTACHMENT = struct.Struct("<qqB16s")


def open_session(router: str = ROUTER) -> Any:
    """Open a session as ROS 2's nodes do.

    Args:
        router: Endpoint to connect to; it need not be there yet.

    Raises:
        TransportError: The extra is missing, or the session cannot be opened.
    """
    try:
        import zenoh
    except ImportError:
        raise TransportError("zenoh: install the extra ros2") from None
    config = zenoh.Config()
    config.insert_json5("mode", '"peer"')
    config.insert_json5("connect/endpoints", f'["{router}"]')
    config.insert_json5("listen/endpoints", '["tcp/127.0.0.1:0"]')
    return _open(config)


def open_router(router: str = ROUTER) -> Any:
    """Be the router at an endpoint, unless there is one; the session, or None.

    Raises:
        TransportError: As `open_session`.
    """
    host, _, port = router.removeprefix("tcp/").rpartition(":")
    with socket.socket() as probe:
        if probe.connect_ex((host, int(port))) == 0:
            return None
    try:
        import zenoh
    except ImportError:
        raise TransportError("zenoh: install the extra ros2") from None
    config = zenoh.Config()
    config.insert_json5("mode", '"router"')
    config.insert_json5("listen/endpoints", f'["{router}"]')
    return _open(config)


def _open(config: Any) -> Any:
    import zenoh

    config.insert_json5("scouting/multicast/enabled", "false")
    try:
        return zenoh.open(config)
    except zenoh.ZError as error:
        raise TransportError(f"Zenoh does not start: {error}") from None


def data_key(wire: ReferenceWire, topic: str, *, type_hash: str | None = None) -> str:
    """Key of a topic; `type_hash` in place of the type's own, `*` for any."""
    kind = TOPICS[topic]
    known = type_hash or wire.store.hash_rihs01(kind)
    return f"{domain_id()}/{topic.lstrip('/')}/{dds_type(kind)}/{known}"


class ZenohSender:
    """Puts each sample as five messages, the JointState last."""

    def __init__(self, robot: Robot, router: str = ROUTER) -> None:
        """Open a session and make the publishers known.

        Raises:
            TransportError: As `open_session`.
        """
        self._wire, self._session = ReferenceWire(robot), open_session(router)
        import zenoh

        self._publishers = {
            topic: self._session.declare_publisher(
                data_key(self._wire, topic),
                congestion_control=zenoh.CongestionControl.DROP,
                reliability=zenoh.Reliability.BEST_EFFORT,
            )
            for topic in TOPICS
        }
        self._ids = {topic: uuid.uuid4().bytes for topic in TOPICS}
        self._sent = dict.fromkeys(TOPICS, 0)
        liveliness = self._session.liveliness()
        self._tokens = [liveliness.declare_token(key) for key in self._token_keys()]

    def send(self, message: ReferenceMessage) -> None:
        """Send best effort."""
        for packet in self._wire.packets(message):
            topic = packet.topic
            self._sent[topic] += 1
            attachment = _ATTACHMENT.pack(
                self._sent[topic], time.time_ns(), 16, self._ids[topic]
            )
            self._publishers[topic].put(packet.data, attachment=attachment)

    def close(self) -> None:
        """Close the session; tokens and publishers go with it."""
        self._session.close()

    def _token_keys(self) -> list[str]:
        domain, session = domain_id(), self._session.info.zid()
        prefix = f"@ros2_lv/{domain}/{session}/0"
        keys = [f"{prefix}/0/NN/%/%/{NODE}"]
        for number, (topic, kind) in enumerate(TOPICS.items(), start=1):
            hashed = self._wire.store.hash_rihs01(kind)
            name = topic.replace("/", "%")
            what = f"{name}/{dds_type(kind)}/{hashed}/{BEST_EFFORT_QOS}"
            keys.append(f"{prefix}/{number}/MP/%/%/{NODE}/{what}")
        return keys


def _publisher(attachment: Any) -> bytes:
    """The 16 bytes that name a publisher; empty for one that does not say."""
    data = b"" if attachment is None else attachment.to_bytes()
    return data[-16:] if len(data) == _ATTACHMENT.size else b""


class ZenohReceiver:
    """Reads what has arrived, whatever type hash the publisher writes."""

    def __init__(self, robot: Robot, router: str = ROUTER) -> None:
        """Open a session and subscribe; be the router if there is none.

        Raises:
            TransportError: As `open_session`.
        """
        self._router = open_router(router)
        self.wire = LiveWire(robot, one_source=False)
        self._session = open_session(router)
        import zenoh

        self._subscribers = {
            topic: self._session.declare_subscriber(
                data_key(self.wire.wire, topic, type_hash="*"),
                zenoh.handlers.RingChannel(DEPTH),
            )
            for topic in TOPICS
        }

    @property
    def refused(self) -> Counter[str]:
        """Packets that were not used, by reason."""
        return self.wire.refused

    def poll(self) -> list[ReferenceMessage]:
        """Everything that has arrived since the last call."""
        found = []
        for topic, subscriber in self._subscribers.items():
            for _ in range(DEPTH):
                sample = subscriber.try_recv()
                if sample is None:
                    break
                data = sample.payload.to_bytes()
                message = self.wire.take(topic, data, _publisher(sample.attachment))
                if message is not None:
                    found.append(message)
        return found

    def close(self) -> None:
        """Close the session."""
        self._session.close()
        if self._router is not None:
            self._router.close()
