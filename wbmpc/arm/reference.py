"""Paths of the joints: with minimum jerk from pose to pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from models.arrays import Array
from wbmpc.arm.interface import JointReference


class JointPath(Protocol):
    """Targets of the joints over time."""

    def at(self, time_s: float) -> JointReference:
        """Angles, velocities and accelerations at a time."""
        ...


class MinimumJerk:
    r"""From one configuration to another with minimum jerk, then still.

    .. math::
        q = q_0 + (10 s^3 - 15 s^4 + 6 s^5) (q_1 - q_0), \qquad s = t / T \in [0, 1]
    """

    def __init__(self, start: Array, target: Array, move_s: float) -> None:
        """Set both ends (n,) [rad] and the time between them."""
        self._start, self._move = np.array(start), np.array(target) - np.array(start)
        self._move_s = move_s

    def at(self, time_s: float) -> JointReference:
        """Angles, velocities and accelerations at a time."""
        s = min(max(time_s / self._move_s, 0.0), 1.0)
        position = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        velocity = 30.0 * s**2 * (1.0 - s) ** 2 / self._move_s
        acceleration = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / self._move_s**2
        return JointReference(
            q=self._start + position * self._move,
            v=velocity * self._move,
            a=acceleration * self._move,
        )


class PoseTour:
    """From pose to pose with minimum jerk, with a rest at each; the last one stays."""

    def __init__(
        self, start: Array, poses: Sequence[Array], *, move_s: float, rest_s: float
    ) -> None:
        """Plan.

        Args:
            start: (n,) first configuration [rad].
            poses: At least one, (n,) each.
            move_s: Time of every move.
            rest_s: Time of every rest.
        """
        starts = [start, *poses[:-1]]
        self._legs = [
            MinimumJerk(a, b, move_s) for a, b in zip(starts, poses, strict=True)
        ]
        self._leg_s = move_s + rest_s

    @property
    def duration_s(self) -> float:
        """Until the end of the last rest."""
        return len(self._legs) * self._leg_s

    def at(self, time_s: float) -> JointReference:
        """Angles, velocities and accelerations at a time."""
        # A rounding error must not start a leg one period late.
        leg = int((time_s + 1e-9) / self._leg_s)
        leg = min(max(leg, 0), len(self._legs) - 1)
        return self._legs[leg].at(time_s - leg * self._leg_s)
