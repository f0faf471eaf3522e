"""Refuses poses of one hand that cannot be true: placeholders, jumps, frozen ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pinocchio as pin

from teleop.conventions import HandSample, PoseFault, angle_between_rad
from teleop.settings import EngagementSettings

SAME_PLACE_M = 1e-3
"""A hand this close to another device is that device's placeholder."""


class PoseGate:
    """Judges each sample by the ones before it.

    A pose must be near the frame before it and near the last pose that was accepted:
    a jump that stays is refused for as long as it stays.

    Attributes:
        refused: How often, by reason.
    """

    def __init__(self, settings: EngagementSettings, *, may_rest: bool) -> None:
        """Start without a past.

        Args:
            settings: Sizes of a jump.
            may_rest: Whether a pose may stay the same to the last bit, as that of a
                mouse does.
        """
        self.refused: Counter[str] = Counter()
        self._settings, self._may_rest = settings, may_rest
        self._accepted: pin.SE3 | None = None
        self._last: pin.SE3 | None = None
        self._moved_s = -np.inf

    def forget_accepted(self) -> None:
        """While nobody drives a hand may be anywhere."""
        self._accepted = None

    def forget(self) -> None:
        """What comes next has nothing to do with what was."""
        self._accepted = self._last = None

    def judge(
        self, sample: HandSample, head: pin.SE3 | None, other: pin.SE3 | None
    ) -> PoseFault | None:
        """Why a sample is not used; None if it is.

        Args:
            sample: Of this hand.
            head: The operator's head in the same frame, if tracked.
            other: The other hand in the same frame, if tracked.
        """
        fault = self._judge(sample, head, other)
        if fault is not None:
            self.refused[fault.name.lower()] += 1
        else:
            self._accepted = sample.pose
        return fault

    def _judge(
        self, sample: HandSample, head: pin.SE3 | None, other: pin.SE3 | None
    ) -> PoseFault | None:
        if sample.pose is None:
            self._last = None
            return sample.fault
        before, self._last = self._last, sample.pose
        frozen = self._is_frozen(sample, before)
        if head is not None and _same_place(sample.pose, head):
            return PoseFault.AT_HEAD
        if other is not None and _same_place(sample.pose, other):
            return PoseFault.BOTH_EQUAL
        if frozen:
            return PoseFault.FROZEN
        if self._jumped(before, sample.pose) or self._jumped(
            self._accepted, sample.pose
        ):
            return PoseFault.JUMP
        return None

    def _is_frozen(self, sample: HandSample, before: pin.SE3 | None) -> bool:
        same = before == sample.pose
        if not same or self._may_rest:
            self._moved_s = sample.stamp_s
        return sample.stamp_s - self._moved_s >= self._settings.frozen_s

    def _jumped(self, before: pin.SE3 | None, now: pin.SE3) -> bool:
        if before is None:
            return False
        distance = np.linalg.norm(now.translation - before.translation)
        turn = angle_between_rad(before.rotation, now.rotation)
        limits = self._settings
        return bool(distance > limits.max_jump_m or turn > limits.max_turn_rad)


def _same_place(a: pin.SE3, b: pin.SE3) -> bool:
    return bool(np.linalg.norm(a.translation - b.translation) < SAME_PLACE_M)
