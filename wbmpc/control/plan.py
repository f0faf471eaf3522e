"""The result of a solve: what the low level follows."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import numpy as np

from models.arrays import Array


class SolveStatus(enum.Enum):
    """How a solve ended. A failed one is never applied."""

    CONVERGED = "converged"
    """The stopping criterion is met."""
    USABLE = "usable"
    """A step was taken; the iteration budget ended first."""
    STALLED = "no step length reduced the cost"
    """The shifted last plan goes on, from the measured state."""
    FAILED_STALLED = "no step length has reduced the cost for a tenth of a second"
    """What goes on is no plan any more."""
    FAILED_STATE = "measured state is not finite, or no state of this robot"
    FAILED_REFERENCE = "reference is not finite, or none of this robot"
    FAILED_COST = "cost is not finite"
    FAILED_REGULARIZATION = "regularisation at its cap"
    FAILED_SOLVER = "the solver raised an error"

    @property
    def ok(self) -> bool:
        """Whether the numbers may be applied."""
        return self in (SolveStatus.CONVERGED, SolveStatus.USABLE, SolveStatus.STALLED)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Tapes over the horizon (arXiv:2610.22176, section III-D).

    Attributes:
        time_s: Plant time of the first node.
        node_dt_s: Time between nodes.
        q: (K+1, nq) configurations.
        v: (K+1, nv) velocities.
        tau_Nm: (K, nu) feed-forward torques, constant between nodes.
        cost: Value of the whole objective.
        gain: (nu, 2 nv) feedback gain of the first node; None unless feedback between
            solves is wanted.
    """

    time_s: float
    node_dt_s: float
    q: Array
    v: Array
    tau_Nm: Array
    cost: float
    gain: Array | None = None

    @property
    def end_s(self) -> float:
        """Time of the last node."""
        return self.time_s + self.node_dt_s * len(self.tau_Nm)

    def is_finite(self) -> bool:
        """Whether every number that is followed is usable."""
        if not (math.isfinite(self.time_s) and 0.0 < self.node_dt_s < math.inf):
            return False
        parts = [self.q, self.v, self.tau_Nm]
        parts += [] if self.gain is None else [self.gain]
        return all(np.isfinite(part).all() for part in parts)
