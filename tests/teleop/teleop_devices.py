"""A headset and two controllers for tests: steady hands that tremble a little."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin

from teleop.conventions import webxr_from_robot
from teleop.messages import Hand, Pose, PoseFrame

RATE_HZ = 72.0
HEAD_M = np.array([0.0, 0.0, 1.6])
HANDS_M = {"left": np.array([0.4, 0.25, 1.2]), "right": np.array([0.4, -0.25, 1.2])}
TREMBLE_M = 5e-5


@dataclass
class FakeController:
    """State of one controller, in robot axes."""

    position_m: np.ndarray
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    squeeze: float = 0.0
    stick: tuple[float, float] = (0.0, 0.0)
    """Right and forward."""
    stick_pressed: bool = False
    tracked: bool = True
    present: bool = True
    pose: Pose | None = None
    """Sent instead of the real one."""
    trembles: bool = True
    source: int = 1


class FakeHeadset:
    """Makes frames; its clock is `offset_s` ahead of the server's."""

    def __init__(self, seed: int = 0, offset_s: float = 0.0) -> None:
        self._rng = np.random.default_rng(seed)
        self.offset_s = offset_s
        self.seq = 0
        self.visibility: Any = "visible"
        self.space = 1
        self.head = pin.SE3(np.eye(3), HEAD_M)
        self.hands = {s: FakeController(p.copy()) for s, p in HANDS_M.items()}

    def frame(self, time_s: float) -> PoseFrame:
        """The next frame, measured at a time of the server's clock."""
        self.seq += 1
        return PoseFrame(
            seq=self.seq,
            t=time_s + self.offset_s,
            visibility=self.visibility,
            space=self.space,
            head=pose_message(self.head),
            left=self._hand("left"),
            right=self._hand("right"),
        )

    def move_all(self, motion: pin.SE3) -> None:
        """Give every device other coordinates, as a view that is re-centred does."""
        self.head = motion * self.head
        for hand in self.hands.values():
            hand.position_m = motion.act(hand.position_m)
            hand.rotation = motion.rotation @ hand.rotation

    def _hand(self, side: str) -> Hand | None:
        hand = self.hands[side]
        if not hand.present:
            return None
        tremble = TREMBLE_M * self._rng.standard_normal(3) if hand.trembles else 0.0
        pose = pose_message(pin.SE3(hand.rotation, hand.position_m + tremble))
        right, forward = hand.stick
        return Hand(
            grip=hand.pose or replace_valid(pose, hand.tracked),
            axes=(right, -forward),
            squeeze=hand.squeeze,
            stick=hand.stick_pressed,
            source=hand.source,
        )


def pose_message(pose: pin.SE3) -> Pose:
    """A pose in robot axes as the page would send it."""
    position, xyzw = webxr_from_robot(pose)
    return Pose(p=tuple(position.tolist()), q=tuple(xyzw.tolist()))


def replace_valid(pose: Pose, valid: bool) -> Pose:
    return Pose(p=pose.p, q=pose.q, valid=valid)
