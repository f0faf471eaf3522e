"""The control side of the reference stream. It never waits, whatever the stream does.

What is in force is the newest sample received. When none comes for two periods the
positions stay and the velocities fade to zero; nothing drives home. A sample that does
not fit the robot, or is not finite, is not used. Whatever comes, references move no
faster than the rates below: a stream that returns elsewhere does not jump.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Protocol

import numpy as np
import pinocchio as pin

from models.arrays import Array
from teleop.reference_track import STREAM_RATE_HZ
from teleop.stream_messages import ReferenceMessage
from wbmpc.reference import UPPER_BODY, Reference, home_reference
from wbmpc.robot import Robot

FRESH_S = 2.0 / STREAM_RATE_HZ
"""Age up to which a sample's velocity counts in full."""
FADE_S = 0.1
"""Time in which the velocity fades to zero after that."""
SILENT_S = 0.5
"""A stream that was silent for this long can be replaced by another one."""
MAX_JOINT_RATE_RAD_PER_S = 6.0
MAX_PITCH_RATE_RAD_PER_S = 1.5
MAX_HEIGHT_RATE_M_PER_S = 0.5
MAX_PITCH_RAD = 1.0
HEIGHT_RANGE = (0.6, 1.05)
"""Of the centre of mass, as share of its height at home."""


class ReferenceReceiver(Protocol):
    """Where samples come from."""

    @property
    def refused(self) -> Counter[str]:
        """Arrivals that were no sample, by reason."""
        ...

    def poll(self) -> list[ReferenceMessage]:
        """Everything that has arrived since the last call, at once."""
        ...


class ReferenceSender(Protocol):
    """Where samples go."""

    def send(self, message: ReferenceMessage) -> None:
        """Send best effort, at once."""
        ...


class StreamedReference:
    """References for the MPC from a stream; stands until the first one comes.

    Attributes:
        counts: Samples received, lost, and not used, by name.
        newest: Last sample taken; None before the first.
    """

    def __init__(self, robot: Robot, receiver: ReferenceReceiver) -> None:
        """Listen.

        Args:
            robot: Whose references these are.
            receiver: Where samples come from.
        """
        self.counts: Counter[str] = Counter()
        self.newest: ReferenceMessage | None = None
        self._received_s = -np.inf
        self._receiver = receiver
        self._standing = home_reference(robot)
        joints, model = 7 + robot.joints(*UPPER_BODY), robot.model
        height = float(self._standing.com_m[2])
        lowest, highest = (share * height for share in HEIGHT_RANGE)
        self._low = np.array(
            [*model.lowerPositionLimit[joints], lowest, -MAX_PITCH_RAD]
        )
        self._high = np.array(
            [*model.upperPositionLimit[joints], highest, MAX_PITCH_RAD]
        )
        self._row = self._goal = np.array([*self._standing.q_upper, height, 0.0])
        self._rates = np.array(
            [MAX_JOINT_RATE_RAD_PER_S] * len(joints)
            + [MAX_HEIGHT_RATE_M_PER_S, MAX_PITCH_RATE_RAD_PER_S]
        )
        self._last_s: float | None = None

    @property
    def not_used(self) -> dict[str, int]:
        """Arrivals that are not in force, by reason."""
        kept = ("received", "lost")
        total = Counter({k: n for k, n in self.counts.items() if k not in kept})
        return dict(total + self._receiver.refused)

    @property
    def q_upper(self) -> Array:
        """In force."""
        return self._row[:-2]

    @property
    def com_height_m(self) -> float:
        """In force."""
        return float(self._row[-2])

    @property
    def pelvis_pitch_rad(self) -> float:
        """In force."""
        return float(self._row[-1])

    def age_s(self, time_s: float) -> float:
        """Time since the last sample; infinite before the first."""
        return time_s - self._received_s

    def at(self, time_s: float) -> Reference:
        """Reference in force.

        Args:
            time_s: Any clock that runs as real time does and never goes back.
        """
        for message in self._receiver.poll():
            self._take(message, time_s)
        self._follow(time_s)
        return replace(
            self._standing,
            q_upper=self._row[:-2].copy(),
            v_upper=self._velocity(time_s),
            com_m=np.array([*self._standing.com_m[:2], self._row[-2]]),
            rotation_pelvis_to_midfoot=self._standing.rotation_pelvis_to_midfoot
            @ pin.rpy.rpyToMatrix(0.0, self.pelvis_pitch_rad, 0.0),
        )

    def _take(self, message: ReferenceMessage, time_s: float) -> None:
        refused = self._why_refused(message, time_s)
        if refused is not None:
            self.counts[refused] += 1
            return
        last = self.newest
        if last is not None and last.stream == message.stream:
            self.counts["lost"] += message.seq - last.seq - 1
        self.counts["received"] += 1
        self.newest, self._received_s = message, time_s
        asked = (*message.q_upper, message.com_height_m, message.pelvis_pitch_rad)
        self._goal = np.clip(asked, self._low, self._high)

    def _why_refused(self, message: ReferenceMessage, time_s: float) -> str | None:
        n = len(self._standing.q_upper)
        if len(message.q_upper) != n or len(message.v_upper) != n:
            return "wrong_size"
        if not message.is_finite():
            return "not_finite"
        last = self.newest
        if last is None:
            return None
        if last.stream == message.stream:
            return "out_of_order" if message.seq <= last.seq else None
        return "second_stream" if self.age_s(time_s) < SILENT_S else None

    def _follow(self, time_s: float) -> None:
        elapsed_s = 0.0 if self._last_s is None else time_s - self._last_s
        self._last_s = time_s
        reach = self._rates * max(elapsed_s, 0.0)
        self._row = self._row + np.clip(self._goal - self._row, -reach, reach)

    def _velocity(self, time_s: float) -> Array:
        if self.newest is None:
            return np.zeros(len(self._standing.v_upper))
        share = 1.0 - (self.age_s(time_s) - FRESH_S) / FADE_S
        limit = MAX_JOINT_RATE_RAD_PER_S
        velocity = np.clip(self.newest.v_upper, -limit, limit)
        return np.clip(share, 0.0, 1.0) * velocity
