"""From encoder counts to joint angles and back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from wbmpc.arm.feetech.registers import COUNTS
from wbmpc.arm.servo_arm import COUNT_RAD


class JointRange(msgspec.Struct, frozen=True, kw_only=True):
    """One joint of a LeRobot calibration file; other keys of it are not needed."""

    id: int
    """Of its servo."""
    range_min: int
    range_max: int
    """Counts at its stops, as the servo reports them."""
    homing_offset: int
    """What the servo subtracts from the counts of its encoder."""
    drive_mode: int = 0
    """1: counts fall as the angle grows."""

    @property
    def sign(self) -> int:
        """Of the angle over the count."""
        return 1 - 2 * self.drive_mode

    @property
    def middle(self) -> float:
        """Count half way between the stops."""
        return 0.5 * (self.range_min + self.range_max)


class JointCounts:
    """Linear map of every joint.

    Attributes:
        joints: The ranges, in the arm's order.
        ids: Of the servos.
        source: Who says so, for messages.
    """

    def __init__(
        self,
        joints: Sequence[JointRange],
        zeros: Sequence[float] | None = None,
        *,
        source: str = "the calibration",
    ) -> None:
        """Take one range per joint, in the arm's order.

        Args:
            joints: The ranges.
            zeros: Counts at which the angles are zero (default: the middles).
            source: Who says so, for messages.
        """
        self.source = source
        self.joints = tuple(joints)
        self.ids = tuple(joint.id for joint in joints)
        self._low = np.array([joint.range_min for joint in joints], dtype=float)
        self._high = np.array([joint.range_max for joint in joints], dtype=float)
        middles = [joint.middle for joint in joints]
        self._zero = np.array(middles if zeros is None else zeros)
        self._sign = np.array([float(joint.sign) for joint in joints])

    @classmethod
    def centred(cls, ids: Sequence[int]) -> JointCounts:
        """Servos as they leave the factory, whose zero is in the middle of their turn.

        Where the joints of an arm are is another matter.
        """
        return cls(
            [
                JointRange(id=i, range_min=0, range_max=COUNTS - 1, homing_offset=0)
                for i in ids
            ]
        )

    def angles(self, counts: Array) -> Array:
        """(n,) angles [rad]."""
        return self._sign * (counts - self._zero) * COUNT_RAD

    def counts(self, angles_rad: Array) -> NDArray[np.int64]:
        """(n,) counts, within the ranges."""
        counts = self._unclipped(angles_rad)
        return np.clip(counts, self._low, self._high).astype(np.int64)

    def beyond(self, angles_rad: Array) -> NDArray[np.int64]:
        """(n,) counts by which angles are outside of the ranges."""
        counts = self._unclipped(angles_rad)
        beyond = np.maximum(self._low - counts, counts - self._high)
        return np.maximum(beyond, 0.0).astype(np.int64)

    def _unclipped(self, angles_rad: Array) -> Array:
        return np.round(self._zero + self._sign * angles_rad / COUNT_RAD)
