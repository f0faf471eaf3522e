"""Torque that no load on an estimated link explains."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ekf.arrays import Array, Rows, frozen

_SPAN_S = 0.1
_CONFIRM_S = 0.2
_GRAVITY = 9.81


@dataclass(frozen=True, kw_only=True)
class Unexplained:
    """Torque that is left over, and since when.

    Attributes:
        torque: (nv,) mean innovation lately, zero in the rows that are explained.
        weight_kg: Weight it would be if it was a load somewhere on the robot; zero for
            a robot without a free-flyer.
        since_s: How long it has lasted.
    """

    torque: Array
    weight_kg: float
    since_s: float

    def weighed(self, base: Array) -> "Unexplained":
        """The same with its weight, for a free-flyer with axes (3, 3) in the world."""
        force_N = float((base @ self.torque[:3])[2])
        return replace(self, weight_kg=force_N / _GRAVITY)


class UnexplainedTorque:
    """Finds innovations that last in rows where no estimated link is to blame.

    A load on the torso, a thigh, or an upper arm shows in the free-flyer's rows or in
    some of a chain's, but not as a load on the link would.
    """

    def __init__(self, rows: int, root: int, alarm: float) -> None:
        """Start with nothing.

        Args:
            rows: Number of torque rows.
            root: How many of them are the free-flyer's.
            alarm: Misfit, in units of the noise, that has to last.
        """
        self._root, self._alarm, self._rows = root, alarm, rows
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._mean = np.zeros(self._rows)
        self._since_s = 0.0
        self._result: Unexplained | None = None

    @property
    def found(self) -> bool:
        """Whether the last sample had something that is not explained."""
        return self._since_s > 0.0

    @property
    def active(self) -> bool:
        """Whether something has stayed unexplained for long enough to count."""
        return self._since_s > _CONFIRM_S

    def look(
        self,
        innovation: Array,
        noise: Array,
        foreign: Sequence[Rows],
        *,
        busy: bool,
        dt_s: float,
    ) -> Unexplained | None:
        """Take one innovation.

        Args:
            innovation: (nv,) measured minus predicted.
            noise: (nv,) its variance while nothing happens.
            foreign: Rows of the links whose torques are no load of theirs.
            busy: Whether a load is just being acquired, whose weight is not known yet.
            dt_s: Time since the sample before.
        """
        if busy and self.active:
            return self._result
        share = -math.expm1(-dt_s / _SPAN_S)
        self._mean = self._mean + share * (innovation - self._mean)
        root = self._mean[: self._root]
        energy = float(((root**2) / noise[: self._root]).sum())
        found = (energy > self._alarm and not busy) or bool(foreign)
        self._since_s = self._since_s + dt_s if found else 0.0
        self._result = self._describe(root, foreign) if self.active else None
        return self._result

    def _describe(self, root: Array, foreign: Sequence[Rows]) -> Unexplained:
        torque = np.zeros(self._rows)
        torque[: self._root] = root
        for rows in foreign:
            torque[rows] = self._mean[rows]
        return Unexplained(torque=frozen(torque), weight_kg=0.0, since_s=self._since_s)
