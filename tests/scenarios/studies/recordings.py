"""Recordings as robots leave them: joint states of an arm in MCAP files and bags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import Writer
from rosbags.typesys import Stores, get_typestore

from scenarios.studies.estimators.streams.stream import Stream

STORE = get_typestore(Stores.ROS2_JAZZY)
STATE = "sensor_msgs/msg/JointState"
START_NS = 1_700_000_000_000_000_000


@dataclass(frozen=True, kw_only=True)
class Said:
    """A message of a test: joint states of some joints."""

    topic: str = "/joint_states"
    stamp_s: float
    received_s: float
    names: Sequence[str]
    position: Sequence[float]
    velocity: Sequence[float]
    effort: Sequence[float]
    stamped: bool = True

    def content(self) -> bytes:
        stamp = START_NS + round(1e9 * self.stamp_s) if self.stamped else 0
        sec, nanosec = divmod(stamp, 1_000_000_000)
        types = STORE.types
        time = types["builtin_interfaces/msg/Time"](sec=sec, nanosec=nanosec)
        message = types[STATE](
            header=types["std_msgs/msg/Header"](stamp=time, frame_id=""),
            name=list(self.names),
            position=np.array(self.position, dtype=float),
            velocity=np.array(self.velocity, dtype=float),
            effort=np.array(self.effort, dtype=float),
        )
        return bytes(STORE.serialize_cdr(message, STATE))


def states(stream: Stream, **options: Any) -> list[Said]:
    """A message per sample, with all joints."""
    log, names = stream.log, list(stream.robot.model.names)[1:]
    return [
        Said(
            stamp_s=float(log.time_s[k]),
            received_s=float(log.time_s[k]),
            names=names,
            position=log.q[k],
            velocity=log.v[k],
            effort=log.tau[k],
            **options,
        )
        for k in range(len(log))
    ]


def part(message: Said, joints: slice, late_s: float = 0.0) -> Said:
    """The same message with some of its joints, a little later."""
    return Said(
        stamp_s=message.stamp_s + late_s,
        received_s=message.received_s + late_s,
        names=message.names[joints],
        position=message.position[joints],
        velocity=message.velocity[joints],
        effort=message.effort[joints],
    )


def write_mcap(
    path: Path,
    messages: Iterable[Said],
    *,
    foreign: str | None = None,
    broken_at: int | None = None,
    chunk_bytes: int = 1 << 20,
) -> Path:
    """Write messages, perhaps with a topic nobody can decode or a broken message."""
    with path.open("wb") as stream:
        writer = Writer(stream, chunk_size=chunk_bytes)
        writer.start(profile="ros2")
        text, _ = STORE.generate_msgdef(STATE, ros_version=2)
        schema = writer.register_schema(STATE, "ros2msg", text.encode())
        channels: dict[str, int] = {}
        if foreign is not None:
            odd = writer.register_schema("acme_msgs/msg/Odd", "ros2msg", b"acme/X what")
            channel = writer.register_channel(foreign, "cdr", odd)
            writer.add_message(channel, START_NS, b"\0\1\0\0", START_NS)
        for k, said in enumerate(messages):
            if said.topic not in channels:
                channels[said.topic] = writer.register_channel(
                    said.topic, "cdr", schema
                )
            data = said.content()
            stamp = START_NS + round(1e9 * said.received_s)
            cut = data[: len(data) // 2] if k == broken_at else data
            writer.add_message(channels[said.topic], stamp, cut, stamp)
        writer.finish()
    return path


def write_bag(folder: Path, messages: Iterable[Said]) -> Path:
    """Write the folder of a ROS 2 bag."""
    from rosbags.rosbag2 import Writer as BagWriter

    with BagWriter(folder, version=9) as writer:
        connection = writer.add_connection("/joint_states", STATE, typestore=STORE)
        for said in messages:
            stamp = START_NS + round(1e9 * said.received_s)
            writer.write(connection, stamp, said.content())
    return folder
