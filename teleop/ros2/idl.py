"""The messages of `teleop.wire` as Cyclone DDS types, named as ROS 2 names them.

Final and with sequential ids, which is what ROS 2 puts on the wire; an appendable type
of the same content is not understood by others. No postponed annotations here: the
library reads them at run time.
"""

# ruff: noqa: D101
from dataclasses import dataclass

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import autoid, final
from cyclonedds.idl.types import float64, int32, sequence, uint32


@dataclass
@final
@autoid("sequential")
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32
    nanosec: uint32


@dataclass
@final
@autoid("sequential")
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
@final
@autoid("sequential")
class Float64(IdlStruct, typename="std_msgs.msg.dds_.Float64_"):
    data: float64


@dataclass
@final
@autoid("sequential")
class Point(IdlStruct, typename="geometry_msgs.msg.dds_.Point_"):
    x: float64
    y: float64
    z: float64


@dataclass
@final
@autoid("sequential")
class Quaternion(IdlStruct, typename="geometry_msgs.msg.dds_.Quaternion_"):
    x: float64
    y: float64
    z: float64
    w: float64


@dataclass
@final
@autoid("sequential")
class Pose(IdlStruct, typename="geometry_msgs.msg.dds_.Pose_"):
    position: Point
    orientation: Quaternion


@dataclass
@final
@autoid("sequential")
class PoseStamped(IdlStruct, typename="geometry_msgs.msg.dds_.PoseStamped_"):
    header: Header
    pose: Pose


@dataclass
@final
@autoid("sequential")
class JointState(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    header: Header
    name: sequence[str]  # type: ignore[type-arg]
    position: sequence[float64]  # type: ignore[type-arg]
    velocity: sequence[float64]  # type: ignore[type-arg]
    effort: sequence[float64]  # type: ignore[type-arg]


TYPES = {
    "std_msgs/msg/Float64": Float64,
    "geometry_msgs/msg/PoseStamped": PoseStamped,
    "sensor_msgs/msg/JointState": JointState,
}
"""By the names of `teleop.wire.TOPICS`."""
