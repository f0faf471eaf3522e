"""Messages between the operator's computer and the robot's, as flat records.

Both are sent as one datagram of MessagePack; what is not a valid message is None.
"""

from __future__ import annotations

import math

import msgspec

Pose7 = tuple[float, float, float, float, float, float, float]
"""Position [m] and quaternion x y z w."""


class ReferenceMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of everything in Table II (arXiv:2610.22176), at 50 Hz."""

    stream: int
    """Of one start of the operator's side; sequence numbers count within it."""
    seq: int
    sent_s: float
    """Monotonic clock of the sender."""
    sample_s: float | None = None
    """When the newest controller pose in it was measured, same clock."""
    q_upper: tuple[float, ...]
    """Spine and arm angles [rad], `Robot.joints(*UPPER_BODY)` order."""
    v_upper: tuple[float, ...]
    """Their velocities [rad/s]."""
    com_height_m: float
    """Centre of mass above the floor."""
    pelvis_pitch_rad: float
    """Forward, from the standing orientation."""
    left_hand: Pose7 | None = None
    """Target of the hand in the frame of the torso, while it is engaged."""
    right_hand: Pose7 | None = None

    def is_finite(self) -> bool:
        """Whether every number that moves something is usable."""
        numbers = (*self.q_upper, *self.v_upper, self.com_height_m)
        return all(map(math.isfinite, (*numbers, self.pelvis_pitch_rad)))


class PayloadEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """The load of one hand, as the estimator sees it."""

    mass_kg: float
    sigma_kg: float


class RobotState(msgspec.Struct, frozen=True, kw_only=True):
    """The operator's knowledge of the robot."""

    seq: int
    time_s: float
    """Plant time."""
    q: tuple[float, ...]
    """Angles of all joints, `Robot.joint_names` order [rad]."""
    base: Pose7
    """Pelvis in the world."""
    q_upper_ref: tuple[float, ...]
    """References in force; an operator's side that starts goes on from here."""
    com_height_ref_m: float
    pelvis_pitch_ref_rad: float
    payload: dict[str, PayloadEstimate] = {}
    """By side; empty without estimator."""
    margin_m: float | None = None
    """Centre of mass inside the support polygon, negative outside."""
    saturated: dict[str, float] = {}
    """Share of the last second that a joint's torque was at its limit, where any."""
    problem: str | None = None
    """Why the robot takes no references any more."""


_encoder = msgspec.msgpack.Encoder()
_references = msgspec.msgpack.Decoder(ReferenceMessage)
_states = msgspec.msgpack.Decoder(RobotState)


def encode(message: ReferenceMessage | RobotState) -> bytes:
    """As a datagram."""
    return _encoder.encode(message)


def decode_reference(datagram: bytes) -> ReferenceMessage | None:
    """Read a reference."""
    try:
        return _references.decode(datagram)
    except (msgspec.MsgspecError, RecursionError):
        return None


def decode_state(datagram: bytes) -> RobotState | None:
    """Read a robot state."""
    try:
        return _states.decode(datagram)
    except (msgspec.MsgspecError, RecursionError):
        return None
