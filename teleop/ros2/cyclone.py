"""References over DDS, as rmw_cyclonedds and rmw_fastrtps put them on the wire.

Best effort both ways: a reliable subscriber does not match a best-effort publisher.
Interfaces and peers are set with CYCLONEDDS_URI, as for any Cyclone DDS program.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

from teleop.errors import TransportError
from teleop.ros2.live_wire import LiveWire
from teleop.ros2.names import dds_topic, domain_id
from teleop.stream_messages import ReferenceMessage
from teleop.wire import TOPICS, ReferenceWire
from wbmpc.robot import Robot

DEPTH = 10
MAX_WAITING = 64
MAX_WRITERS = 256
"""Whose participants are remembered."""


class _Participant:
    """One DDS participant with the topics of the reference stream."""

    def __init__(self) -> None:
        try:
            from cyclonedds.core import DDSException, Policy, Qos
            from cyclonedds.domain import DomainParticipant
            from cyclonedds.topic import Topic

            from teleop.ros2.idl import TYPES
        except ImportError as error:
            raise TransportError(f"{error.name}: install the extra ros2") from None
        self.types: dict[str, Any] = dict(TYPES)
        self.qos = Qos(
            Policy.Reliability.BestEffort,
            Policy.Durability.Volatile,
            Policy.History.KeepLast(DEPTH),
        )
        try:
            self.participant = DomainParticipant(domain_id())
            self.topics: dict[str, Any] = {
                name: Topic(self.participant, dds_topic(name), self.types[kind])
                for name, kind in TOPICS.items()
            }
        except DDSException as error:
            raise TransportError(f"Cyclone DDS does not start: {error}") from None


class CycloneSender:
    """Writes each sample as five messages, the JointState last."""

    def __init__(self, robot: Robot) -> None:
        """Join the domain.

        Raises:
            TransportError: The extra is missing, or the network refuses.
        """
        self._dds, self._wire = _Participant(), ReferenceWire(robot)
        from cyclonedds.core import DDSException
        from cyclonedds.pub import DataWriter

        self._refusal = DDSException
        self._writers: dict[str, Any] = {
            name: DataWriter(self._dds.participant, topic, qos=self._dds.qos)
            for name, topic in self._dds.topics.items()
        }

    def send(self, message: ReferenceMessage) -> None:
        """Send best effort."""
        for packet in self._wire.packets(message):
            sample = self._dds.types[packet.kind].deserialize(packet.data)
            with suppress(self._refusal):
                self._writers[packet.topic].write(sample)

    def close(self) -> None:
        """Leave the domain."""
        self._writers.clear()
        self._dds.topics.clear()


class CycloneReceiver:
    """Reads what has arrived."""

    def __init__(self, robot: Robot) -> None:
        """Join the domain.

        Raises:
            TransportError: The extra is missing, or the network refuses.
        """
        self._dds, self.wire = _Participant(), LiveWire(robot, one_source=True)
        self._sources: dict[tuple[str, int], bytes] = {}
        from cyclonedds.sub import DataReader

        self._readers: dict[str, Any] = {
            name: DataReader(self._dds.participant, topic, qos=self._dds.qos)
            for name, topic in self._dds.topics.items()
        }

    @property
    def refused(self) -> Counter[str]:
        """Packets that were not used, by reason."""
        return self.wire.refused

    def poll(self) -> list[ReferenceMessage]:
        """Everything that has arrived since the last call."""
        found: list[ReferenceMessage] = []
        for name, reader in self._readers.items():
            kind = self._dds.types[TOPICS[name]]
            for sample in reader.take(MAX_WAITING):
                if not isinstance(sample, kind):  # its writer has gone
                    continue
                source = self._source(name, sample.sample_info.publication_handle)
                message = self.wire.take(name, bytes(sample.serialize()), source)
                if message is not None:
                    found.append(message)
        return found

    def _source(self, topic: str, writer: int) -> bytes:
        """The participant of a writer: the same for all topics of one sender."""
        key = topic, writer
        if key not in self._sources:
            if len(self._sources) >= MAX_WRITERS:
                self._sources.clear()
            found = self._readers[topic].get_matched_publication_data(writer)
            if found is None:  # gone already, or not told yet: ask again next time
                return writer.to_bytes(8, "little")
            self._sources[key] = found.participant_key.bytes
        return self._sources[key]

    def close(self) -> None:
        """Leave the domain."""
        self._readers.clear()
        self._dds.topics.clear()
