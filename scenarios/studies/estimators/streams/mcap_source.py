"""Messages of a recording: an MCAP file, or the folder of a ROS 2 bag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from scenarios.errors import ScenarioError

BAG_NOTES = "metadata.yaml"
"""What makes a folder a ROS 2 bag."""
CUT = "end of the file missing"
BROKEN = "broken message"


class Message(NamedTuple):
    """One decoded message."""

    topic: str
    log_ns: int
    """When it was received."""
    content: Any


class _Raw(NamedTuple):
    topic: str
    kind: str
    definition: str | None
    """Text of the message type; None if it is no ROS 2 message."""
    log_ns: int
    data: bytes


@dataclass(frozen=True)
class McapSource:
    """A recording that is read again for each question; only what is asked is decoded.

    Attributes:
        path: The file, or the folder of a bag.
    """

    path: Path

    def topics(self) -> dict[str, str]:
        """Message types by topic, of ROS 2 messages alone.

        Raises:
            ScenarioError: The recording cannot be read.
        """
        found: dict[str, str] = {}
        for raw in self._raw(Counter()):
            if raw.definition is not None:
                found.setdefault(raw.topic, raw.kind)
        return found

    def messages(
        self, topics: Collection[str], lost: Counter[str]
    ) -> Iterator[Message]:
        """Decoded messages of some topics; those that cannot be decoded are counted.

        Raises:
            ScenarioError: The recording cannot be read.
        """
        store = get_typestore(Stores.ROS2_JAZZY)
        for raw in self._raw(lost):
            if raw.topic not in topics or raw.definition is None:
                continue
            try:
                if raw.kind not in store.types:
                    store.register(get_types_from_msg(raw.definition, raw.kind))
                content = store.deserialize_cdr(raw.data, raw.kind)
            except Exception:  # noqa: BLE001  # the library raises many kinds
                lost[f"{BROKEN} on {raw.topic}"] += 1
                continue
            yield Message(raw.topic, raw.log_ns, content)

    def notes(self) -> dict[str, str]:
        """Notes that our own runs leave in their logs; empty for other recordings."""
        from mcap.reader import make_reader

        if self.path.is_dir():
            return {}
        try:
            with self.path.open("rb") as stream:
                for record in make_reader(stream).iter_metadata():
                    if record.name == "wbmpc":
                        return dict(record.metadata)
        except Exception:  # noqa: BLE001  # a cut file has no index to its notes
            return {}
        return {}

    def _raw(self, lost: Counter[str]) -> Iterator[_Raw]:
        read: Callable[[Path], Iterator[_Raw]]
        read = _of_bag if self.path.is_dir() else _of_file
        some = False
        try:
            for raw in read(self.path):
                some = True
                yield raw
        except (MemoryError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001  # the libraries raise many kinds
            if not some:
                reason = f"{type(error).__name__} {error}".strip()
                raise ScenarioError(
                    f"{self.path}: not a readable MCAP file, or a truncated one "
                    f"({reason})"
                ) from None
            lost[CUT] += 1


def _of_file(path: Path) -> Iterator[_Raw]:
    """In the order of the file, which needs no index: cut files have none."""
    from mcap.records import Channel, Schema
    from mcap.records import Message as Record
    from mcap.stream_reader import StreamReader

    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    with path.open("rb") as stream:
        for record in StreamReader(stream).records:
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
            elif isinstance(record, Record):
                channel = channels[record.channel_id]
                kind, definition = _type_of(schemas.get(channel.schema_id))
                yield _Raw(
                    channel.topic, kind, definition, record.log_time, record.data
                )


def _type_of(schema: Any) -> tuple[str, str | None]:
    """Name and text of a message type; no text if it is no ROS 2 message."""
    if schema is None:
        return "", None
    text = schema.data.decode(errors="replace")
    return schema.name, text if schema.encoding == "ros2msg" else None


def _of_bag(path: Path) -> Iterator[_Raw]:
    from rosbags.rosbag2 import Reader

    with Reader(path) as reader:
        for connection, log_ns, data in reader.messages():
            definition = connection.msgdef.data
            yield _Raw(
                connection.topic, connection.msgtype, definition or "", log_ns, data
            )
