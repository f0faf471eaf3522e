"""How ROS 2 names topics and types on the wire."""

from __future__ import annotations

import os

from teleop.errors import TransportError

DOMAIN_VARIABLE = "ROS_DOMAIN_ID"
MAX_DOMAIN = 232


def domain_id() -> int:
    """Domain of this process; the bare libraries do not read ROS 2's variable.

    Raises:
        TransportError: The variable is not a domain.
    """
    text = os.environ.get(DOMAIN_VARIABLE, "") or "0"
    if not text.isdecimal() or int(text) > MAX_DOMAIN:
        raise TransportError(
            f"{DOMAIN_VARIABLE} {text!r}: must be a number from 0 to {MAX_DOMAIN}"
        )
    return int(text)


def dds_topic(topic: str) -> str:
    """`/joint_states` is `rt/joint_states`."""
    return f"rt{topic}"


def dds_type(kind: str) -> str:
    """`sensor_msgs/msg/JointState` is `sensor_msgs::msg::dds_::JointState_`."""
    package, _, name = kind.split("/")
    return f"{package}::msg::dds_::{name}_"
