"""References as standard ROS 2 messages: for recordings and for ROS 2's wire alike.

| topic | message | what |
|---|---|---|
| /wbmpc/reference/com_height | std_msgs/Float64 | centre of mass above the floor [m] |
| /wbmpc/reference/pelvis_pitch | std_msgs/Float64 | forward, from standing [rad] |
| /wbmpc/reference/left_hand | geometry_msgs/PoseStamped | target, frame of the torso |
| /wbmpc/reference/right_hand | geometry_msgs/PoseStamped | the same, while engaged |
| /wbmpc/reference/upper_body | sensor_msgs/JointState | spine and arms, by name |

One sample is sent in this order; the JointState completes it. Its stamp is the sender's
clock. Bytes are little-endian CDR with the encapsulation header.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from teleop.stream_messages import Pose7, ReferenceMessage
from wbmpc.reference import UPPER_BODY, home_reference
from wbmpc.robot import Robot

NS = 1_000_000_000
PREFIX = "/wbmpc/reference/"
FLOAT, POSE, JOINTS = (
    "std_msgs/msg/Float64",
    "geometry_msgs/msg/PoseStamped",
    "sensor_msgs/msg/JointState",
)
TOPICS = {
    f"{PREFIX}com_height": FLOAT,
    f"{PREFIX}pelvis_pitch": FLOAT,
    f"{PREFIX}left_hand": POSE,
    f"{PREFIX}right_hand": POSE,
    f"{PREFIX}upper_body": JOINTS,
}
"""Message type by topic, in the order of sending."""


@dataclass(frozen=True, kw_only=True)
class Packet:
    """One message as bytes."""

    topic: str
    kind: str
    data: bytes


class ReferenceWire:
    """Turns samples into packets and packets into samples, for one robot.

    Attributes:
        refused: Packets that were not used, by reason.
    """

    def __init__(self, robot: Robot) -> None:
        """Learn the joints' names."""
        self.refused: Counter[str] = Counter()
        self.store = get_typestore(Stores.ROS2_JAZZY)
        joints = robot.joints(*UPPER_BODY)
        self.names = [robot.controlled_joints[i] for i in joints]
        self._home = {
            "com_height": float(home_reference(robot).com_m[2]),
            "pelvis_pitch": 0.0,
        }
        self._floats = dict(self._home)
        self._hands: dict[str, tuple[int, Pose7]] = {}
        self._stream, self._seq, self._last_ns = 0, 0, -1

    @property
    def last_ns(self) -> int:
        """Stamp of the last sample [ns]; -1 before the first."""
        return self._last_ns

    def start_anew(self, others: Iterable[str] = ()) -> None:
        """A new stream: its stamps have nothing to do with those of the last one.

        Args:
            others: Topics whose last value is of another sender and is forgotten.
        """
        self._stream, self._seq, self._last_ns = self._stream + 1, 0, -1
        for name in (topic.removeprefix(PREFIX) for topic in others):
            self._hands.pop(name, None)
            if name in self._home:
                self._floats[name] = self._home[name]

    def packets(self, message: ReferenceMessage) -> list[Packet]:
        """A sample, the JointState last."""
        stamp = round(message.sent_s * NS)
        numbers = {
            "com_height": message.com_height_m,
            "pelvis_pitch": message.pelvis_pitch_rad,
        }
        parts = [
            self._packet(name, self._new(FLOAT, data=value))
            for name, value in numbers.items()
        ]
        for side in ("left", "right"):
            target = getattr(message, f"{side}_hand")
            if target is not None:
                parts.append(self._packet(f"{side}_hand", self._pose(target, stamp)))
        return [*parts, self._packet("upper_body", self._joints(message, stamp))]

    def take(
        self, topic: str, data: bytes, latest_ns: int | None = None
    ) -> ReferenceMessage | None:
        """Take a packet; a sample if it completes one.

        What cannot be read, is older than what came before, is stamped later than it
        can be, or lacks a joint is counted in `refused`.

        Args:
            topic: Where it was found.
            data: CDR.
            latest_ns: Latest stamp that a sample may have; None: any.
        """
        kind, name = TOPICS.get(topic), topic.removeprefix(PREFIX)
        if kind is None:
            self.refused["unknown_topic"] += 1
            return None
        try:
            message: Any = self.store.deserialize_cdr(data, kind)
        except Exception:  # whatever a stranger's bytes make it raise
            self.refused["malformed"] += 1
            return None
        if kind == FLOAT:
            self._floats[name] = float(message.data)
        elif kind == POSE:
            self._hands[name] = (_nanoseconds(message.header), _pose7(message.pose))
        else:
            return self._complete(message, latest_ns)
        return None

    def _complete(self, message: Any, latest_ns: int | None) -> ReferenceMessage | None:
        stamp = _nanoseconds(message.header)
        if latest_ns is not None and stamp > latest_ns:
            self.refused["stamped_ahead"] += 1
            return None
        if stamp <= self._last_ns:
            self.refused["out_of_order"] += 1
            return None
        index = {name: k for k, name in enumerate(message.name)}
        if not set(self.names) <= index.keys():
            self.refused["other_joints"] += 1
            return None
        order = [index[name] for name in self.names]
        sizes = {len(message.name), len(message.position), len(message.velocity)}
        if len(sizes) != 1:
            self.refused["wrong_size"] += 1
            return None
        self._seq, self._last_ns = self._seq + 1, stamp
        hands = {side: pose for side, (ns, pose) in self._hands.items() if ns == stamp}
        return ReferenceMessage(
            stream=self._stream,
            seq=self._seq,
            sent_s=stamp / NS,
            q_upper=tuple(float(message.position[k]) for k in order),
            v_upper=tuple(float(message.velocity[k]) for k in order),
            com_height_m=self._floats["com_height"],
            pelvis_pitch_rad=self._floats["pelvis_pitch"],
            left_hand=hands.get("left_hand"),
            right_hand=hands.get("right_hand"),
        )

    def _packet(self, name: str, message: Any) -> Packet:
        kind = TOPICS[f"{PREFIX}{name}"]
        data = bytes(self.store.serialize_cdr(message, kind))
        return Packet(topic=f"{PREFIX}{name}", kind=kind, data=data)

    def _new(self, kind: str, **fields: Any) -> Any:
        return self.store.types[kind](**fields)

    def _header(self, stamp_ns: int, frame: str) -> Any:
        sec, nanosec = divmod(stamp_ns, NS)
        stamp = self._new("builtin_interfaces/msg/Time", sec=sec, nanosec=nanosec)
        return self._new("std_msgs/msg/Header", stamp=stamp, frame_id=frame)

    def _joints(self, message: ReferenceMessage, stamp_ns: int) -> Any:
        return self._new(
            JOINTS,
            header=self._header(stamp_ns, ""),
            name=self.names,
            position=np.array(message.q_upper),
            velocity=np.array(message.v_upper),
            effort=np.zeros(0),
        )

    def _pose(self, target: Pose7, stamp_ns: int) -> Any:
        x, y, z, qx, qy, qz, qw = target
        return self._new(
            POSE,
            header=self._header(stamp_ns, "torso"),
            pose=self._new(
                "geometry_msgs/msg/Pose",
                position=self._new("geometry_msgs/msg/Point", x=x, y=y, z=z),
                orientation=self._new(
                    "geometry_msgs/msg/Quaternion", x=qx, y=qy, z=qz, w=qw
                ),
            ),
        )


def _nanoseconds(header: Any) -> int:
    return int(header.stamp.sec) * NS + int(header.stamp.nanosec)


def _pose7(pose: Any) -> Pose7:
    p, q = pose.position, pose.orientation
    return p.x, p.y, p.z, q.x, q.y, q.z, q.w
