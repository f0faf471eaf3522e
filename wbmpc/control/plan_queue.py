"""Which of the plans that came is in force."""

from __future__ import annotations

import math
from collections import Counter, deque

from wbmpc.control.plan import Plan

MAX_PLANS_AHEAD = 4
"""Plans for later that are kept, and the ticks they may be ahead; a predicted state is
one tick ahead."""
_SAME_INSTANT_S = 1e-9


class PlanQueue:
    """Plans on their way, and the one in force.

    A plan is in force from its own time on until a newer one is. Plans that come late
    and are older than the one in force are left out, wherever they stand in the row.
    Each set-back of the clock begins a new generation: plans for instants that lie
    ahead of it by more than `MAX_PLANS_AHEAD` ticks belong to another one, and are
    left out as well.
    """

    def __init__(self, tick_s: float) -> None:
        """Start without a plan."""
        self.plan: Plan | None = None
        """In force."""
        self.faults: Counter[str] = Counter()
        self._ahead_s = MAX_PLANS_AHEAD * tick_s + _SAME_INSTANT_S
        self._waiting: deque[Plan] = deque(maxlen=MAX_PLANS_AHEAD)
        self._came: deque[Plan] = deque(maxlen=MAX_PLANS_AHEAD)
        self._now_s = -math.inf

    def put(self, plan: Plan) -> None:
        """Add a plan; one with a number that is not finite is refused and counted."""
        if plan.is_finite():
            self._came.append(plan)
        else:
            self.faults["plan_not_finite"] += 1

    def advance(self, time_s: float) -> Plan | None:
        """Put in force what is due.

        Returns:
            The plan that was in force until the clock was set back to before it began;
            None in any other case.
        """
        if not math.isfinite(time_s):
            self.faults["time_not_finite"] += 1
            return None
        is_back = time_s < self._now_s - _SAME_INSTANT_S
        left = self._set_back(time_s) if is_back else None
        self._now_s = time_s
        came = [plan for plan in self._came if plan.time_s <= time_s + self._ahead_s]
        if len(came) < len(self._came):
            self.faults["plan_too_far_ahead"] += len(self._came) - len(came)
        self._came.clear()
        waiting = [*self._waiting, *came]
        self._waiting.clear()
        for plan in waiting:
            if plan.time_s > time_s + _SAME_INSTANT_S:
                self._waiting.append(plan)
            elif self.plan is None or plan.time_s >= self.plan.time_s:
                self.plan = plan
            else:
                self.faults["plan_outdated"] += 1
        return left

    def _set_back(self, time_s: float) -> Plan | None:
        """Forget what was planned on the clock as it was."""
        self.faults["clock_set_back"] += 1
        self._waiting.clear()
        left = self.plan
        if left is None or left.time_s <= time_s + _SAME_INSTANT_S:
            return None
        self.plan = None
        return left
