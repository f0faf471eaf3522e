"""Devices' conventions, written once.

| quantity | WebXR page | here |
|---|---|---|
| axes | x right, y up, -z forward | x forward, y left, z up |
| quaternion | x y z w | x y z w, then a rotation matrix |
| hand | grip space | the same, named for the operator's hand: left stays left |
| thumbstick | right and backward positive | right and forward positive |
| trigger, squeeze | 0 to 1 | 0 to 1 |
| time | XR frame time of the client's clock | s of the server's monotonic clock |
| not tracked | `null`, or `valid` false | a `PoseFault` |

Both systems of axes are right-handed: the matrix between them is a rotation.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from teleop.messages import Hand, Pose
from wbmpc.conventions import NO_UNIT, UNIT_TOLERANCE

ROTATION_WEBXR_TO_ROBOT: Array = np.array(
    [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
)


class PoseFault(enum.Enum):
    """Why a pose is not used; the value completes "left hand: ..."."""

    NOT_TRACKED = "not tracked"
    NOT_FINITE = "pose is not finite"
    NOT_RIGID = "quaternion is not of unit length"
    PLACEHOLDER = "placeholder pose (identity at the origin)"
    AT_HEAD = "placeholder pose (the head's)"
    BOTH_EQUAL = "placeholder pose (both hands are the same)"
    FROZEN = "pose is frozen"
    JUMP = "pose jumped"
    LATE = "pose is too old"
    NOT_VISIBLE = "headset shows something else"


@dataclass(frozen=True, kw_only=True)
class HandSample:
    """One controller at one instant, in the conventions of this module.

    Attributes:
        stamp_s: When it was measured, on the server's clock.
        pose: Hand in the operator's reference space; None with a fault.
        fault: Why there is no pose; None if there is one.
        stick_right: Thumbstick, -1 to 1.
        stick_forward: Thumbstick, -1 to 1.
        squeeze: 0 to 1; None if the controller is not there at all.
        stick_pressed: Whether the thumbstick is pressed.
        renormalised: Whether the quaternion was not quite of unit length.
        source: Number of the device; None if there is none.
    """

    stamp_s: float
    pose: pin.SE3 | None
    fault: PoseFault | None = None
    stick_right: float = 0.0
    stick_forward: float = 0.0
    squeeze: float | None = None
    stick_pressed: bool = False
    renormalised: bool = False
    source: int | None = None


def hand_sample(hand: Hand | None, stamp_s: float) -> HandSample:
    """Read a controller; a missing or unusable pose is a fault in the result."""
    if hand is None:
        return HandSample(stamp_s=stamp_s, pose=None, fault=PoseFault.NOT_TRACKED)
    pose, fault, renormalised = read_pose(hand.grip)
    right, backward = (_stick(value) for value in hand.axes)
    return HandSample(
        stamp_s=stamp_s,
        pose=pose,
        fault=fault,
        stick_right=right,
        stick_forward=-backward,
        squeeze=min(max(_finite(hand.squeeze), 0.0), 1.0),
        stick_pressed=hand.stick,
        renormalised=renormalised,
        source=hand.source,
    )


def read_pose(pose: Pose) -> tuple[pin.SE3 | None, PoseFault | None, bool]:
    """A device's pose in robot axes, or why not; and whether it was renormalised."""
    if not pose.valid:
        return None, PoseFault.NOT_TRACKED, False
    numbers = [math.nan if value is None else value for value in (*pose.p, *pose.q)]
    position, xyzw = np.array(numbers[:3]), np.array(numbers[3:])
    norm = float(np.linalg.norm(xyzw))
    if not np.isfinite(position).all() or not math.isfinite(norm):
        return None, PoseFault.NOT_FINITE, False
    error = abs(norm - 1.0)
    if error > NO_UNIT:
        return None, PoseFault.NOT_RIGID, False
    placement = robot_from_webxr(position, xyzw / norm)
    if np.allclose(placement.homogeneous, np.eye(4), rtol=0.0, atol=1e-6):
        return None, PoseFault.PLACEHOLDER, False
    return placement, None, error > UNIT_TOLERANCE


def robot_from_webxr(position_m: Array, quaternion_xyzw: Array) -> pin.SE3:
    """A pose of WebXR axes, expressed in robot axes: C p and C R C^T."""
    change = ROTATION_WEBXR_TO_ROBOT
    rotation = pin.Quaternion(quaternion_xyzw).toRotationMatrix()
    return pin.SE3(change @ rotation @ change.T, change @ position_m)


def webxr_from_robot(pose: pin.SE3) -> tuple[Array, Array]:
    """Position [m] and quaternion x y z w in WebXR axes of a pose in robot axes."""
    change = ROTATION_WEBXR_TO_ROBOT
    rotation = change.T @ pose.rotation @ change
    return change.T @ pose.translation, pin.Quaternion(rotation).coeffs()


def heading(head: pin.SE3) -> Array:
    """(3, 3) rotation about the vertical that takes robot axes to where a head faces.

    From the head's left axis, which stays level when the head nods.
    """
    left = head.rotation[:, 1]
    length = math.hypot(left[0], left[1])
    if length < 1e-3:  # lying on the side: no heading to be had
        return np.eye(3)
    c, s = left[1] / length, -left[0] / length
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def angle_between_rad(a: Array, b: Array) -> float:
    """Angle of the rotation from one orientation to another."""
    return float(np.linalg.norm(pin.log3(a.T @ b)))


def _stick(value: float | None) -> float:
    return min(max(_finite(value), -1.0), 1.0)


def _finite(value: float | None) -> float:
    """Zero for what is not a number: an untouched stick, an open hand."""
    return value if value is not None and math.isfinite(value) else 0.0
