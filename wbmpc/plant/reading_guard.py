"""Keeps joint readings that cannot be true away from the controller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from models.arrays import Array

MAX_BRIDGED_STEPS = 20
"""How many steps in a row a joint may go without a reading (libfranka's 20 packets)."""
MAX_JUMP = 0.1
"""Change of a joint's position in one step that no joint makes [rad or m]."""
MAX_SPEED = 100.0
"""Velocity no joint has [rad/s or m/s]; at it `MAX_JUMP` takes one step."""
_WHY = (
    "is no number",
    f"is faster than {MAX_SPEED:g} rad/s",
    f"jumps by more than {MAX_JUMP:g} rad a step",
)


class ReadingGuard:
    """Replaces a joint's impossible position and velocity by its last good ones.

    Not finite, a jump, or an absurd speed: the joint's reading is refused and counted,
    the other joints' are used. While nothing is read a joint moves on: a reading that
    its velocity explains is no jump. After `MAX_BRIDGED_STEPS` in a row nothing is
    known of the joint any more, and `fault` says so; nobody should move a robot from
    there on.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Guard the joints of a robot, in their order."""
        self._names = tuple(joint_names)
        self._counts: Counter[str] = Counter()
        self.reset(np.zeros(len(self._names)))

    @property
    def counts(self) -> Mapping[str, int]:
        """Refused readings since construction, by joint."""
        return dict(self._counts)

    @property
    def fault(self) -> str | None:
        """Which joints have been without a reading for too long; None for none."""
        lost = np.flatnonzero(self._missing > MAX_BRIDGED_STEPS)
        if len(lost) == 0:
            return None
        names = ", ".join(f"{self._names[k]} {_WHY[self._why[k]]}" for k in lost)
        return (
            f"no joint reading that can be true for more than {MAX_BRIDGED_STEPS} "
            f"steps: {names}"
        )

    def reset(self, q: Array) -> None:
        """Start at rest in known positions (n,)."""
        self._q, self._v = q.copy(), np.zeros(len(self._names))
        self._missing = np.zeros(len(self._names), dtype=int)
        self._why = np.zeros(len(self._names), dtype=int)

    def check(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Positions and velocities (n,) that may be used.

        Args:
            q: As read [rad or m].
            v: As read [rad/s or m/s].
        """
        with np.errstate(invalid="ignore", over="ignore"):
            speed = np.maximum(np.abs(v), np.abs(self._v))
            moved = self._missing * (MAX_JUMP / MAX_SPEED) * speed
            good = (np.abs(q - self._q) < MAX_JUMP + moved) & (np.abs(v) < MAX_SPEED)
        if good.all():
            self._missing[:] = 0
        else:
            self._missing = np.where(good, 0, self._missing + 1)
            known = np.isfinite(q) & np.isfinite(v)
            fast = np.abs(np.where(known, v, 0.0)) >= MAX_SPEED
            self._why = np.where(known, np.where(fast, 1, 2), 0)
            self._counts.update(self._names[i] for i in np.flatnonzero(~good))
            q, v = np.where(good, q, self._q), np.where(good, v, self._v)
        self._q, self._v = q, v
        return q, v
