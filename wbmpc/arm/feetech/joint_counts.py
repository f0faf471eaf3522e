"""From encoder counts to joint angles and back, and the file that says how."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.errors import SettingsError
from wbmpc.arm.feetech.registers import COUNTS
from wbmpc.arm.servo_arm import COUNT_RAD

Array = NDArray[np.float64]
Count = Annotated[int, msgspec.Meta(ge=0, le=COUNTS - 1)]


class JointRange(msgspec.Struct, frozen=True, kw_only=True):
    """One joint of a LeRobot calibration file; other keys of it are not needed."""

    id: Annotated[int, msgspec.Meta(ge=0, le=253)]
    range_min: Count
    range_max: Count
    drive_mode: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0
    """1: counts fall as the angle grows."""


class JointCounts:
    """Linear map of every joint: zero is the middle of its range."""

    def __init__(self, joints: Sequence[JointRange]) -> None:
        """Take one range a joint, in the arm's order."""
        self.ids = tuple(joint.id for joint in joints)
        self._low = np.array([joint.range_min for joint in joints], dtype=float)
        self._high = np.array([joint.range_max for joint in joints], dtype=float)
        self._zero = 0.5 * (self._low + self._high)
        self._sign = np.array([1.0 - 2.0 * joint.drive_mode for joint in joints])

    @classmethod
    def centred(cls, ids: Sequence[int]) -> JointCounts:
        """Servos whose zero is in the middle of their turn."""
        whole = (JointRange(id=i, range_min=0, range_max=COUNTS - 1) for i in ids)
        return cls(list(whole))

    def angles(self, counts: Array) -> Array:
        """(n,) angles [rad]."""
        return self._sign * (counts - self._zero) * COUNT_RAD

    def counts(self, angles_rad: Array) -> NDArray[np.int64]:
        """(n,) counts, within the ranges."""
        counts = np.round(self._zero + self._sign * angles_rad / COUNT_RAD)
        return np.clip(counts, self._low, self._high).astype(np.int64)


def load_counts(path: Path, joint_names: Sequence[str]) -> JointCounts:
    """Read a LeRobot calibration file: JSON, one object a joint.

    Raises:
        SettingsError: No such file, a missing joint, a value that breaks its rule, a
            range that is empty, or two joints with one id.
    """
    try:
        table = msgspec.json.decode(path.read_bytes(), type=dict[str, JointRange])
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    missing = [name for name in joint_names if name not in table]
    if missing:
        raise SettingsError(f"{path}: no joint {', '.join(missing)}")
    joints = [table[name] for name in joint_names]
    for name, joint in zip(joint_names, joints, strict=True):
        if joint.range_min >= joint.range_max:
            raise SettingsError(
                f"{path}: {name}: range_min {joint.range_min} must be below range_max "
                f"{joint.range_max}"
            )
    if len({joint.id for joint in joints}) < len(joints):
        raise SettingsError(f"{path}: two joints have the same id")
    return JointCounts(joints)
