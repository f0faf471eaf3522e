"""How references travel, by name; the ones of ROS 2 need the extra `ros2`."""

from __future__ import annotations

from typing import Literal, Protocol

from teleop.reference_stream import ReferenceReceiver, ReferenceSender
from teleop.udp import Address, UdpReferences, UdpSender
from wbmpc.robot import Robot

Transport = Literal["udp", "cyclonedds", "zenoh"]


class Closable(Protocol):
    """Something to be closed."""

    def close(self) -> None:
        """Give everything back."""
        ...


class Sender(ReferenceSender, Closable, Protocol):
    """A sender that can be closed."""


class Receiver(ReferenceReceiver, Closable, Protocol):
    """A receiver that can be closed."""


def open_sender(
    transport: Transport, robot: Robot, to: Address, key: bytes | None = None
) -> Sender:
    """Open the sending end.

    Args:
        transport: Name.
        robot: Whose references these are.
        to: Where datagrams go; topics need no address.
        key: What datagrams are sealed with.

    Raises:
        TransportError: The extra is not installed, or the network refuses.
    """
    if transport == "cyclonedds":
        from teleop.ros2.cyclone import CycloneSender

        return CycloneSender(robot)
    if transport == "zenoh":
        from teleop.ros2.zenoh_link import ZenohSender

        return ZenohSender(robot)
    return UdpSender(to, key)


def open_receiver(
    transport: Transport, robot: Robot, key: bytes | None = None
) -> Receiver:
    """Open the receiving end; datagrams have to be sealed with the key.

    Raises:
        TransportError: As for `open_sender`.
    """
    if transport == "cyclonedds":
        from teleop.ros2.cyclone import CycloneReceiver

        return CycloneReceiver(robot)
    if transport == "zenoh":
        from teleop.ros2.zenoh_link import ZenohReceiver

        return ZenohReceiver(robot)
    return UdpReferences(key=key)
