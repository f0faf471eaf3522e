"""Columns of a recording: which topics are decoded, and at which times rows are.

Columns are ``TOPIC.FIELD``; those of a JointState are ``TOPIC.position[JOINT]``,
``.velocity[JOINT]`` and ``.effort[JOINT]``; other arrays are ``TOPIC.FIELD[INDEX]``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from models.errors import UnknownNameError
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.mcap_source import McapSource
from scenarios.studies.estimators.streams.table import LoadedTable

JOINT_STATE = "sensor_msgs/msg/JointState"
Clock = Literal["auto", "header", "received"]
"""Times of rows: stamps in the messages' headers, or when they were received. By
default the headers' if the first column's topic has them."""
TIME = "t"
_LONGEST_ARRAY = 512
_SILENT_PERIODS = 5.0
"""A column has no value at a row that is further from its messages than this many of
their own median periods."""

Stamps = NDArray[np.int64]


@dataclass
class _Topic:
    """Messages of a topic as they come."""

    log_ns: list[int] = field(default_factory=list)
    header_ns: list[int] = field(default_factory=list)
    """Zero where a message has no stamp."""
    rows: list[dict[str, float]] = field(default_factory=list)

    def has_stamps(self) -> bool:
        """Whether nearly all messages say when they were made, at different times."""
        stamps = np.array(self.header_ns)
        stamped = np.count_nonzero(stamps) >= 0.99 * len(stamps)
        return bool(stamped and (len(stamps) < 2 or np.ptp(stamps) > 0))


def read_mcap(
    source: McapSource, names: Sequence[str], clock: Clock = "auto"
) -> LoadedTable:
    """Columns of a recording, a row per message that holds the first of them.

    Other columns have the value of their own message nearest in time, so that joint
    states in parts, or on several topics, become whole rows. A topic without header
    stamps gets them from when it was received among the messages of the first.

    Args:
        source: The recording.
        names: Columns; the first sets the times, in seconds in column ``t``.
        clock: Which times.

    Raises:
        ScenarioError: The recording cannot be read, or has no such stamps.
        UnknownNameError: No message has such a column.
    """
    kinds = source.topics()
    by_topic = {name: _topic_of(name, kinds) for name in names}
    lost: Counter[str] = Counter()
    topics: dict[str, _Topic] = defaultdict(_Topic)
    for message in source.messages(set(by_topic.values()), lost):
        topic = topics[message.topic]
        topic.log_ns.append(message.log_ns)
        topic.header_ns.append(_header_ns(message.content))
        topic.rows.append(dict(_flatten(message.topic, message.content)))
    for name, where in by_topic.items():
        if not any(name in row for row in topics[where].rows):
            raise UnknownNameError(
                "column", name, {n for row in topics[where].rows for n in row}
            )
    first = topics[by_topic[names[0]]]
    by_header = _by_header(first, clock, by_topic[names[0]], source)
    stamps = {
        name: _stamps(topics[w], first, by_header) for name, w in by_topic.items()
    }
    rows_ns = _present(topics[by_topic[names[0]]], stamps[names[0]], names[0])[0]
    columns: dict[str, Array] = {TIME: 1e-9 * rows_ns.astype(float)}
    for name, where in by_topic.items():
        columns[name] = _nearest(*_present(topics[where], stamps[name], name), rows_ns)
    told = "in their headers" if by_header else "at which they were received"
    return LoadedTable(
        columns=columns,
        lost=lost,
        notes=(f"times are those of the messages {told}",),
    )


def joint_topics(source: McapSource, joints: Sequence[str]) -> tuple[str, ...]:
    """Topics of joint states that have all these joints, over all their messages."""
    kinds = source.topics()
    states = [topic for topic, kind in kinds.items() if kind == JOINT_STATE]
    seen: dict[str, set[str]] = {topic: set() for topic in states}
    for message in source.messages(states, Counter()):
        seen[message.topic].update(message.content.name)
    return tuple(topic for topic in states if seen[topic] >= set(joints))


def _topic_of(name: str, kinds: dict[str, str]) -> str:
    """The topic whose name begins a column's, the longest of them."""
    found = [topic for topic in kinds if name.startswith((f"{topic}.", f"{topic}["))]
    if not found:
        raise UnknownNameError("column", name, [f"{topic}..." for topic in kinds])
    return max(found, key=len)


def _by_header(first: _Topic, clock: Clock, topic: str, source: McapSource) -> bool:
    if clock == "header" and not first.has_stamps():
        raise ScenarioError(
            f'{source.path}: clock = "header": messages of {topic} have no stamps'
        )
    return clock != "received" and first.has_stamps()


def _stamps(topic: _Topic, first: _Topic, by_header: bool) -> Stamps:
    """(T,) times of a topic's messages on the clock of the first topic [ns]."""
    received = np.array(topic.log_ns, dtype=np.int64)
    if not by_header:
        return received
    if topic.has_stamps():
        return np.array(topic.header_ns, dtype=np.int64)
    order = np.argsort(first.log_ns, kind="stable")
    reference = np.array(first.log_ns, dtype=np.int64)[order]
    made = np.array(first.header_ns, dtype=np.int64)[order]
    index = np.clip(np.searchsorted(reference, received), 0, len(reference) - 1)
    stamps: Stamps = received + made[index] - reference[index]
    return stamps


def _present(topic: _Topic, stamps: Stamps, name: str) -> tuple[Stamps, Array]:
    """Times and values of the messages that have a column."""
    having = [k for k, row in enumerate(topic.rows) if name in row]
    values = np.array([topic.rows[k][name] for k in having])
    return stamps[having], values


def _nearest(stamps: Stamps, values: Array, rows_ns: Stamps) -> Array:
    """(T,) value of the message nearest to each row; NaN in a long silence."""
    if len(stamps) == len(rows_ns) and (stamps == rows_ns).all():
        return values
    order = np.argsort(stamps, kind="stable")
    stamps, values = stamps[order], values[order]
    after = np.clip(np.searchsorted(stamps, rows_ns), 0, len(stamps) - 1)
    before = np.maximum(after - 1, 0)
    is_after = np.abs(stamps[after] - rows_ns) < np.abs(rows_ns - stamps[before])
    chosen = np.where(is_after, after, before)
    far = np.abs(stamps[chosen] - rows_ns).astype(float)
    period = float(np.median(np.diff(stamps))) if len(stamps) > 1 else np.inf
    return np.where(far <= _SILENT_PERIODS * max(period, 1.0), values[chosen], np.nan)


def _header_ns(content: Any) -> int:
    """Stamp in a message's header; zero without one."""
    stamp = getattr(getattr(content, "header", None), "stamp", None)
    return 0 if stamp is None else int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def _flatten(prefix: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool | int | float | np.number):
        yield prefix, float(value)
        return
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is None:
        return
    labels = getattr(value, "name", None)
    for name in fields:
        if name.startswith("__"):
            continue
        entry = getattr(value, name)
        if isinstance(entry, np.ndarray | list):
            yield from _flatten_array(f"{prefix}.{name}", entry, labels)
        else:
            yield from _flatten(f"{prefix}.{name}", entry)


def _flatten_array(
    prefix: str, values: Any, labels: Any
) -> Iterator[tuple[str, float]]:
    named = isinstance(labels, list) and len(labels) == len(values)
    if len(values) > _LONGEST_ARRAY:
        return
    for index, entry in enumerate(values):
        yield from _flatten(f"{prefix}[{labels[index] if named else index}]", entry)
