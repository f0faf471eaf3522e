"""The rules for missed deadlines; they are written nowhere else.

A control tick measures at its instant and must publish its plan before the next one.

1. A tick that ends later has missed its deadline. Its plan is still published: it
   carries its own time and is followed at its right place. An instant it ran over by
   more than a quarter of the period is skipped, and counts as missed too; up to then
   the next tick starts at once, and has a fair chance to end in time.
2. Until a new plan comes the low level follows the old one, up to
   `wbmpc.control.low_level.MAX_PLAN_AGE_S` (50 ms) after its measurement.
3. From then on it holds the joints where the plan last put them, with damping.
4. After `MAX_MISSES_IN_A_ROW` misses the run stops and says so.
5. A run with an end has no deadlines after it, and a plan that comes late in its last
   20 ms is not counted: being late there ends no run badly.

The 1 kHz side never skips a step, since that would change the physics: it catches up,
and its late steps are counted. Nothing here raises.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_MISSES_IN_A_ROW = 20
"""Misses after which control is given up."""


@dataclass
class DeadlineMonitor:
    """Counts deadlines kept and missed.

    Attributes:
        kept: Deadlines kept.
        missed: Deadlines missed.
        in_a_row: Missed since the last one kept.
        longest_row: Largest value of `in_a_row`.
    """

    kept: int = 0
    missed: int = 0
    in_a_row: int = 0
    longest_row: int = 0

    def add(self, missed: int) -> None:
        """Count one cycle that missed so many deadlines; 0 if it was in time."""
        if missed == 0:
            self.kept, self.in_a_row = self.kept + 1, 0
            return
        self.missed += missed
        self.in_a_row += missed
        self.longest_row = max(self.longest_row, self.in_a_row)

    @property
    def must_stop(self) -> bool:
        """Whether too many deadlines were missed in a row."""
        return self.in_a_row >= MAX_MISSES_IN_A_ROW
