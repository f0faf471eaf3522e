"""What a run's log holds, topic by topic: its pages are made of this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.records.log_schemas import (
    BODY_FIELDS,
    FLAT,
    LINK_FIELDS,
    PAYLOAD_FIELDS,
    PAYLOAD_LISTS,
    SUPERVISION_FIELDS,
    TIP_FIELDS,
)

EVERY_TICK = "100 Hz"
SCENE = "25 Hz"


@dataclass(frozen=True, kw_only=True)
class Topic:
    """One topic of a log.

    Attributes:
        name: With SIDE for left and right.
        kind: ROS 2 message type.
        frame: What the header names.
        rate: How often.
        units: Of its numbers, where their names do not say it.
        what: One line.
        fields: Of a flat message, every one a float64 unless it is a list.
    """

    name: str
    kind: str
    frame: str = ""
    rate: str = EVERY_TICK
    units: str = ""
    what: str
    fields: Sequence[str] = ()


TOPICS = (
    Topic(
        name="/robot_description",
        kind="std_msgs/msg/String",
        rate="once, latched",
        what="the URDF",
    ),
    Topic(
        name="/tf_static",
        kind="tf2_msgs/msg/TFMessage",
        frame="parent link",
        rate="once, latched",
        units="m, unit quaternion",
        what="links and tips that never move in their parents",
    ),
    Topic(
        name="/tf",
        kind="tf2_msgs/msg/TFMessage",
        frame="world, parent link",
        rate=SCENE,
        units="m, unit quaternion",
        what="the other links; the soles with the axes of the world",
    ),
    Topic(
        name="/loads",
        kind="visualization_msgs/msg/MarkerArray",
        frame="tip, forearm link",
        rate=SCENE,
        units="m",
        what="a sphere per true load (red) and per estimate (green)",
    ),
    Topic(
        name="/joint_states",
        kind="sensor_msgs/msg/JointState",
        units="rad, rad/s, Nm",
        what="position, velocity and applied torque of every joint",
    ),
    Topic(
        name="/upper_body_reference",
        kind="sensor_msgs/msg/JointState",
        units="rad",
        what="references of spine and arms in force",
    ),
    Topic(
        name="/base/odometry",
        kind="nav_msgs/msg/Odometry",
        frame="world; twist in the base",
        units="m, unit quaternion; m/s, rad/s",
        what="the root link",
    ),
    Topic(
        name="/feet/SIDE/wrench",
        kind="geometry_msgs/msg/WrenchStamped",
        frame="SIDE_sole_in_world_axes",
        units="N, Nm",
        what="ground on foot, true; only where a simulator tells it",
    ),
    Topic(
        name="/feet/SIDE/wrench_estimated",
        kind="geometry_msgs/msg/WrenchStamped",
        frame="SIDE_sole_in_world_axes",
        units="N, Nm",
        what="ground on foot, from leg torques; only with an estimator",
    ),
    Topic(
        name="/links/SIDE",
        kind=f"{FLAT}LinkEstimate",
        frame="forearm link",
        units="deviations alpha, d, s: none; t: m",
        what="the whole forearm: estimate, truth, and what the controller was told",
        fields=LINK_FIELDS,
    ),
    Topic(
        name="/payloads/SIDE",
        kind=f"{FLAT}Payload",
        frame="forearm link",
        units="observability: 0 to 1; lists are empty where nothing is known",
        what="the report on a load, with a string `state`",
        fields=(*PAYLOAD_FIELDS, *(f"{name}[]" for name in PAYLOAD_LISTS)),
    ),
    Topic(
        name="/estimator",
        kind=f"{FLAT}Supervision",
        frame="world",
        units="test ratio: 1 is the gate; rows: a count",
        what="the supervisor about itself",
        fields=SUPERVISION_FIELDS,
    ),
    Topic(
        name="/tips/SIDE",
        kind=f"{FLAT}Tip",
        frame="world",
        what="forearm tip in the world and in the torso, and its reference",
        fields=TIP_FIELDS,
    ),
    Topic(
        name="/body",
        kind=f"{FLAT}Body",
        frame="world",
        units="plan cost: none",
        what="centre of mass, its reference, pelvis, in the mid-foot frame; loads",
        fields=BODY_FIELDS,
    ),
    Topic(
        name="/timing",
        kind=f"{FLAT}Timing",
        frame="world",
        units="ms",
        what="duration of each stage of a tick; its fields are those of the run",
    ),
    Topic(
        name="/status",
        kind=f"{FLAT}Status",
        frame="world",
        what="strings `solve` and `mode`: how the solve ended, mode of the low level",
    ),
    Topic(
        name="/cost",
        kind=f"{FLAT}Cost",
        frame="world",
        rate="10 Hz",
        units="none",
        what="weighted cost of each term; its fields are those of the run",
    ),
    Topic(
        name="/rosout",
        kind="rcl_interfaces/msg/Log",
        rate="when it happens",
        what="events, a sentence each",
    ),
)


def topic_of(name: str) -> Topic:
    """The declaration of a topic of a log.

    Raises:
        KeyError: There is none.
    """
    pattern = name.replace("/left", "/SIDE").replace("/right", "/SIDE")
    return {topic.name: topic for topic in TOPICS}[pattern]
