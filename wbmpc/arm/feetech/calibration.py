"""A LeRobot calibration file, and whether it can be that of this arm.

The file says which counts a servo reports at the stops of its joint. They are believed
only if the joint of the URDF turns about as far: whoever sweeps a joint across the seam
of its encoder gets the whole turn, whoever forgets a joint gets almost nothing.

| joint | zero of the URDF |
|---|---|
| of the arm | half way between its stops, as both stops are equally far from it there |
| gripper | opens from its closed stop, which is the URDF's lower limit |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

from models.errors import SettingsError
from models.files import read_text
from wbmpc.arm.description import Arm
from wbmpc.arm.feetech.joint_counts import JointCounts, JointRange
from wbmpc.arm.feetech.registers import COUNTS, LARGEST_ID, LARGEST_OFFSET
from wbmpc.arm.servo_arm import COUNT_RAD

LEAST_RAD, MOST_RAD = -0.4, 0.8
"""Range of a file less that of the URDF. Arms of which files are public have up to 0.5
rad more, for the URDF's limits lie within the stops, and a wrist that turns freely gets
the whole turn (0.7 more). One that lacks 0.4 is wrong about its zero by up to half."""
OLDER_KEYS = frozenset({"motor_names", "calib_mode", "start_pos", "end_pos"})
"""Of files whose lists have one number a joint, from a zero that was another pose."""
LIMITS = {
    "id": (0, LARGEST_ID, "an id of a servo"),
    "range_min": (0, COUNTS - 1, "one turn of the encoder"),
    "range_max": (0, COUNTS - 1, "one turn of the encoder"),
    "homing_offset": (-LARGEST_OFFSET, LARGEST_OFFSET, "half a turn of the encoder"),
    "drive_mode": (0, 1, "0 or 1"),
}


def load_counts(path: Path, arm: Arm) -> JointCounts:
    """What the counts of an arm mean, by its calibration file.

    Raises:
        SettingsError: As `read_ranges`, or a range that no joint of the URDF has.
    """
    joints = read_ranges(path, arm.joint_names)
    lower, upper = arm.model.lowerPositionLimit, arm.model.upperPositionLimit
    zeros = []
    for index, (name, joint) in enumerate(zip(arm.joint_names, joints, strict=True)):
        limits = float(lower[index]), float(upper[index])
        problem = _against_urdf(joint, *limits)
        if problem is not None:
            raise SettingsError(f"{path}: {name}: {problem}")
        is_gripper = index >= arm.settings.arm_joints
        zeros.append(_closed_zero(joint, limits[0]) if is_gripper else joint.middle)
    return JointCounts(joints, zeros, source=str(path))


def read_ranges(path: Path, joint_names: Sequence[str]) -> list[JointRange]:
    """Read a LeRobot calibration file: JSON, one object per joint.

    Raises:
        SettingsError: No such file, the older layout, a missing joint, a value that
            breaks its rule, a range that is empty, or two joints with one id.
    """
    table = _table(path)
    missing = [name for name in joint_names if name not in table]
    if missing and table.keys() & OLDER_KEYS:
        raise SettingsError(
            f"{path}: lists of LeRobot's older layout "
            f"({', '.join(sorted(table.keys() & OLDER_KEYS))}) do not give the ranges "
            f"of {', '.join(missing)}: calibrate the arm again with a later LeRobot"
        )
    if missing:
        there = ", ".join(table) or "none"
        raise SettingsError(f"{path}: no joint {', '.join(missing)}; joints: {there}")
    by_id: dict[int, str] = {}
    joints = [_joint(path, name, table[name]) for name in joint_names]
    for name, joint in zip(joint_names, joints, strict=True):
        other = by_id.setdefault(joint.id, name)
        if other != name:
            raise SettingsError(
                f"{path}: {other} and {name} have the same id {joint.id}"
            )
    return joints


def _table(path: Path) -> dict[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(read_text(path), type=dict[str, msgspec.Raw])
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path}: not a calibration: nested too deeply") from None


def _joint(path: Path, name: str, text: msgspec.Raw) -> JointRange:
    try:
        joint = msgspec.json.decode(text, type=JointRange)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SettingsError(f"{path}: {name}: {error}") from None
    for key, (least, most, what) in LIMITS.items():
        value = getattr(joint, key)
        if not least <= value <= most:
            raise SettingsError(
                f"{path}: {name}: {key} {value}: must be within {least} and {most}, "
                f"{what}"
            )
    if joint.range_min >= joint.range_max:
        raise SettingsError(
            f"{path}: {name}: range_min {joint.range_min} must be below range_max "
            f"{joint.range_max}"
        )
    return joint


def _against_urdf(joint: JointRange, lower_rad: float, upper_rad: float) -> str | None:
    """Why a range cannot be that of the URDF's joint."""
    more_rad = (joint.range_max - joint.range_min) * COUNT_RAD - (upper_rad - lower_rad)
    if LEAST_RAD <= more_rad <= MOST_RAD:
        return None
    lower, upper = math.degrees(lower_rad), math.degrees(upper_rad)
    said = (
        f"range {joint.range_min} to {joint.range_max} is "
        f"{math.degrees((joint.range_max - joint.range_min) * COUNT_RAD):.0f} degrees, "
        f"that of the URDF {upper - lower:.0f} ({lower:.0f} to {upper:.0f}): "
    )
    if more_rad > 0.0:
        return said + (
            "it was swept across the seam of its encoder, or is another joint's; "
            "calibrate again, and start with the joint in the middle of its range"
        )
    return said + (
        "it was not swept from stop to stop, or is another joint's; calibrate again"
    )


def _closed_zero(joint: JointRange, lower_rad: float) -> float:
    """Count of the zero of a joint whose first stop is its lower limit."""
    closed = joint.range_min if joint.sign > 0 else joint.range_max
    return closed - joint.sign * lower_rad / COUNT_RAD
