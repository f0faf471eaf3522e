"""An operator without a body: what a headset would see of the proof's motions.

Both hands engage, the left one moves 20 cm, the spine turns and turns back, the robot
squats; then (loaded, if asked) the left hand wipes in circles, the robot stands up, the
hand comes back, and both let go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from teleop.arms import SIDES
from teleop.conventions import webxr_from_robot
from teleop.messages import Hand, Pose, PoseFrame
from wbmpc.min_jerk import min_jerk

FRAME_RATE_HZ = 72.0
"""Of a headset."""
HEAD_M = np.array([0.0, 0.0, 1.6])
HANDS_M = {"left": np.array([0.4, 0.25, 1.2]), "right": np.array([0.4, -0.25, 1.2])}
TREMOR_M = 1e-4
"""Hands are never quite still."""

SQUEEZE_S = (1.5, 25.0)
LOAD_AT_S = 11.0
END_S = 26.5
FORWARD_M = np.array([0.12, 0.0, 0.16])
"""20 cm."""


@dataclass(frozen=True, kw_only=True)
class HandMove:
    """A minimum-jerk move of the left hand by a vector (robot axes)."""

    at_s: float
    over_s: float
    by_m: Array

    def at(self, time_s: float) -> Array:
        """The distance it has moved by a time."""
        share: Array = min_jerk(np.array((time_s - self.at_s) / self.over_s))
        return share * self.by_m


@dataclass(frozen=True, kw_only=True)
class Wipe:
    """Circles of the left hand in a frontal plane, faded in and out."""

    at_s: float
    until_s: float
    radius_m: float
    period_s: float
    fade_s: float = 1.0

    def at(self, time_s: float) -> Array:
        """Offset at a time."""
        fade = min(time_s - self.at_s, self.until_s - time_s) / self.fade_s
        phase = 2.0 * np.pi * (time_s - self.at_s) / self.period_s
        circle = np.array([0.0, np.sin(phase), np.cos(phase) - 1.0])
        return self.radius_m * float(min_jerk(np.array(fade))) * circle


@dataclass(frozen=True, kw_only=True)
class Push:
    """A thumbstick held in a direction: right and forward, -1 to 1."""

    side: str
    at_s: float
    until_s: float
    right: float = 0.0
    forward: float = 0.0


MOVES = (
    HandMove(at_s=2.5, over_s=2.0, by_m=FORWARD_M),
    HandMove(at_s=22.5, over_s=2.0, by_m=-FORWARD_M),
    Wipe(at_s=12.0, until_s=20.0, radius_m=0.08, period_s=4.0),
)
PUSHES = (
    Push(side="right", at_s=5.0, until_s=6.0, right=1.0),
    Push(side="right", at_s=6.5, until_s=7.5, right=-1.0),
    Push(side="left", at_s=8.0, until_s=10.0, forward=-1.0),
    Push(side="left", at_s=20.0, until_s=22.0, forward=1.0),
)


class ScriptedOperator:
    """Makes the frames of the script, trembling hands included."""

    def __init__(self, seed: int) -> None:
        """Seed the tremor."""
        self._rng = np.random.default_rng(seed)
        self._seq = 0

    def frame(self, script_s: float, client_s: float) -> PoseFrame:
        """The next frame.

        Args:
            script_s: Time of the script.
            client_s: Frame time to be sent.
        """
        self._seq += 1
        squeeze = float(SQUEEZE_S[0] <= script_s < SQUEEZE_S[1])
        left, right = (
            Hand(
                grip=_pose(self._hand_m(side, script_s)),
                axes=_stick(side, script_s),
                squeeze=squeeze,
                buttons=(False, False),
            )
            for side in SIDES
        )
        return PoseFrame(
            seq=self._seq, t=client_s, head=_pose(HEAD_M), left=left, right=right
        )

    def _hand_m(self, side: str, script_s: float) -> Array:
        position = HANDS_M[side] + TREMOR_M * self._rng.standard_normal(3)
        if side == "left":
            position = position + sum(move.at(script_s) for move in MOVES)
        return position


def _pose(position_m: Array) -> Pose:
    (x, y, z), (qx, qy, qz, qw) = webxr_from_robot(pin.SE3(np.eye(3), position_m))
    return Pose(
        p=(float(x), float(y), float(z)),
        q=(float(qx), float(qy), float(qz), float(qw)),
    )


def _stick(side: str, script_s: float) -> tuple[float, float]:
    """Axes as WebXR has them: forward is negative."""
    for push in PUSHES:
        if push.side == side and push.at_s <= script_s < push.until_s:
            return push.right, -push.forward
    return 0.0, 0.0
