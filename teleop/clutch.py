r"""From an operator's hand to a target of the robot's, relative to where both engaged.

\[ p = p_0 + s \, W^T (h - h_0) + o, \qquad R = W^T H H_0^T W R_0 \]

p_0, R_0: the robot's commanded hand at the press, in the frame of the torso. h_0, H_0:
the operator's hand then; W: the heading of the operator's head then, so that forward is
forward wherever the operator stands, and turning the head later moves nothing. o: what
the leash has let slide.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import pinocchio as pin

from models.arrays import Array
from teleop.settings import HandSettings

FRAMES_KEPT = 8
"""Enough for `HandSettings.delay_s` at any headset's rate."""


class HandTrack:
    """The last poses of a hand by the time they were measured."""

    def __init__(self) -> None:
        """Start empty."""
        self._frames: deque[tuple[float, pin.SE3]] = deque(maxlen=FRAMES_KEPT)

    def add(self, stamp_s: float, pose: pin.SE3) -> None:
        """Take a pose; one that is not newer than the last is left out."""
        if not self._frames or stamp_s > self._frames[-1][0]:
            self._frames.append((stamp_s, pose))

    def clear(self) -> None:
        """Forget every pose."""
        self._frames.clear()

    @property
    def newest_s(self) -> float | None:
        """When the newest pose was measured."""
        return self._frames[-1][0] if self._frames else None

    def at(self, time_s: float) -> pin.SE3 | None:
        """Pose at a time, between two frames; the nearest one beyond them."""
        if not self._frames:
            return None
        later_s, later = self._frames[-1]
        for stamp_s, pose in reversed(self._frames):
            if stamp_s <= time_s:
                if later_s == stamp_s or time_s >= later_s:
                    return later if time_s >= later_s else pose
                share = (time_s - stamp_s) / (later_s - stamp_s)
                return pin.SE3.Interpolate(pose, later, share)
            later_s, later = stamp_s, pose
        return later


class Clutch:
    """Couples one hand with one target from the press on."""

    def __init__(
        self,
        settings: HandSettings,
        *,
        hand: pin.SE3,
        robot: pin.SE3,
        heading: Array,
    ) -> None:
        """Couple.

        Args:
            settings: Scale and leash.
            hand: The operator's hand now, in robot axes.
            robot: The robot's commanded hand now, in the frame of the torso.
            heading: (3, 3) rotation of the operator's heading about the vertical.
        """
        self._settings = settings
        self._hand, self._robot, self._heading = hand.copy(), robot.copy(), heading
        self._slid_m = np.zeros(3)

    def target(self, hand: pin.SE3) -> pin.SE3:
        """Where the robot's hand should be, in the frame of the torso."""
        turn = self._heading.T
        moved = turn @ (hand.translation - self._hand.translation)
        rotated = turn @ hand.rotation @ self._hand.rotation.T @ turn.T
        position = self._robot.translation + self._settings.scale * moved
        return pin.SE3(rotated @ self._robot.rotation, position + self._slid_m)

    def leash(self, target_m: Array, reached_m: Array) -> None:
        """Let the target slide along where the arm cannot follow it.

        Args:
            target_m: (3,) target just asked for.
            reached_m: (3,) where the arm has come.
        """
        beyond = target_m - reached_m
        distance = float(np.linalg.norm(beyond))
        if distance > self._settings.leash_m:
            self._slid_m -= beyond * (1.0 - self._settings.leash_m / distance)
