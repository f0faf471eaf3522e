"""The words between an operator's page and the server, one JSON text frame each.

| from | type | when |
|---|---|---|
| page | `hello` | first, and after every reconnect, with the same `client` |
| page | `pose` | once an XR frame |
| page | `ping`, `clock` | every second or so |
| server | `welcome` | answer to `hello`; a second client is refused control |
| server | `pong` | answer to `ping` |
| server | `status` | 20 times a second |

Poses of the page are in WebXR's axes: x right, y up, -z forward, metres, quaternions
x y z w, in one reference space. A hand that is not tracked is `null`. Poses of the
server are in the robot's axes: x forward, y left, z up. `teleop.conventions` converts.

A number that is not finite reaches JSON as `null` (browsers) or `NaN` (Python). Neither
costs more than its own pose: one bad hand must not cost the other one its frame.
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Literal

import msgspec

VERSION = 1
"""Of these messages."""
MAX_TIME_S = 1e12
"""Of any clock, whenever it started."""
MAX_BYTES = 65_536
"""Longer frames are refused unread; an honest one has about 1 kB."""

Number = float | None
"""A number, or the `null` that stands for one that is not finite."""
Side = Literal["left", "right"]
Page = Literal["xr", "desktop"]
Visibility = Literal["visible", "visible-blurred", "hidden"]
State = Literal["idle", "ready", "engaged", "held", "stopped"]
Link = Literal["ok", "stale", "lost"]


class Pose(msgspec.Struct, frozen=True):
    """Placement of a device, and whether the device says that it is tracked."""

    p: tuple[Number, Number, Number]
    q: tuple[Number, Number, Number, Number]
    """x y z w."""
    valid: bool = True


class Hand(msgspec.Struct, frozen=True):
    """One controller: grip pose (not the aim pose) and everything one can press."""

    grip: Pose
    axes: tuple[Number, Number] = (0.0, 0.0)
    """Thumbstick, right and backward positive: forward is negative."""
    trigger: Number = 0.0
    squeeze: Number = 0.0
    stick: bool = False
    """Thumbstick pressed."""
    buttons: tuple[bool, ...] = ()
    source: int = 0
    """Number of the device; another one for this hand has another number."""


class PoseFrame(msgspec.Struct, frozen=True, tag="pose"):
    """Everything the headset knows at one XR frame."""

    seq: int
    t: float
    """XR frame time [s] on the client's clock."""
    visibility: Visibility = "visible"
    space: int = 0
    """Number of the reference space; it has another one after it was re-centred."""
    head: Pose | None = None
    left: Hand | None = None
    right: Hand | None = None


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """Asks for a pong."""

    id: int
    t: float


class Clock(msgspec.Struct, frozen=True, tag="clock"):
    """The page's own estimate of server minus client clock, for comparison."""

    offset_s: float
    rtt_s: float


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """A client introduces itself."""

    client: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    page: Page = "xr"
    version: int = VERSION


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Everything lets go; anybody may say so, also who does not drive."""


ClientMessage = PoseFrame | Ping | Clock | Hello | Stop


class Welcome(msgspec.Struct, frozen=True, kw_only=True, tag="welcome"):
    """Whether the client may drive."""

    accepted: bool
    reason: str | None = None
    version: int = VERSION


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag="pong"):
    """The ping's time and the server's, both in s."""

    id: int
    t: float
    server_t: float


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """The estimated load of a hand."""

    link: Side
    mass_kg: float
    sigma_kg: float


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """One flag per hand."""

    left: bool = False
    right: bool = False


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """Distance from each hand's target to where the arm can put it [m]."""

    left: float = 0.0
    right: float = 0.0


class BasePose(msgspec.Struct, frozen=True, kw_only=True):
    """Pelvis in the world, robot axes; quaternion x y z w."""

    p: tuple[float, float, float]
    q: tuple[float, float, float, float]
    valid: bool = True


class Status(msgspec.Struct, frozen=True, kw_only=True, tag="status"):
    """The status that the operator sees."""

    t: float
    """Server's clock [s]."""
    link: Link
    """Of the operator's poses: older than 0.2 s is stale, than 0.5 s lost."""
    rate_hz: float
    """Frames received in the last second."""
    gaps: int
    """Frames that sequence numbers say are missing, since the client's hello."""
    engaged: Sides
    state: State
    reason: str | None = None
    """Why nothing moves, with the hand's name where it is one hand."""
    payload: tuple[Payload, ...] | None = None
    margin_m: float | None = None
    """From the centre of mass to the edge of the support polygon."""
    age_s: float | None = None
    """Age of the last robot state."""
    q: tuple[float, ...] | None = None
    """Angles of all joints, in the order of the robot's figure."""
    base: BasePose | None = None
    reach: Reach = Reach()
    haptic: float = 0.0
    """0 to 1: the margin gets small."""


ServerMessage = Welcome | Pong | Status

_decoder = msgspec.json.Decoder(ClientMessage)
_encoder = msgspec.json.Encoder()


class BadMessage(ValueError):
    """A frame that is no message; `kind` says in one word why."""

    def __init__(self, kind: str) -> None:
        """Name the kind: too_long, malformed or not_finite."""
        self.kind = kind
        super().__init__(kind)


def decode(text: str | bytes) -> ClientMessage:
    """Read a frame of a client.

    Raises:
        BadMessage: It is none.
    """
    if len(text) > MAX_BYTES:
        raise BadMessage("too_long")
    try:
        message = _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise BadMessage("malformed") from None
    times = _times(message)
    if not all(math.isfinite(value) and abs(value) < MAX_TIME_S for value in times):
        raise BadMessage("not_finite")
    return message


def encode(message: ServerMessage) -> str:
    """Write a frame of the server."""
    return _encoder.encode(message).decode()


def _decode(text: str | bytes) -> ClientMessage:
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError:
        # Strict JSON has no NaN, but Python writes it.
        return msgspec.convert(json.loads(text), ClientMessage)  # type: ignore[no-any-return]


def _times(message: ClientMessage) -> tuple[float, ...]:
    if isinstance(message, PoseFrame | Ping):
        return (message.t,)
    if isinstance(message, Clock):
        return message.offset_s, message.rtt_s
    return ()
