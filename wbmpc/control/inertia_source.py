"""Who tells the loop the inertias of links: an estimator, a table, nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from models.arrays import Array
from wbmpc.control.plan import Plan


@dataclass(frozen=True, kw_only=True)
class InertiaUpdate:
    """The answer of a source at a tick; a source with more to say extends it.

    Attributes:
        published: (n, 10) [m, m c, I about the joint frame] for the MPC's model, a row
            for each of the source's joints. Each must be a possible rigid body.
        timing_ms: Duration of each stage; `estimator` is that of the whole tick.
    """

    published: Array
    timing_ms: Mapping[str, float] = field(default_factory=dict)


class InertiaSource(Protocol):
    """Sees every sample of the joints, and is asked once a control tick."""

    @property
    def joint_ids(self) -> Sequence[int]:
        """(n,) joints of `Robot.model` whose bodies it knows."""
        ...

    def observe(self, time_s: float, q: Array, v: Array, tau_Nm: Array) -> None:
        """Take one raw sample, at the low level's rate. Must not raise on data.

        Args:
            time_s: Plant time.
            q: (nq,) configuration of `Robot.model`.
            v: (nv,) velocity.
            tau_Nm: (n,) torques of `Robot.controlled_joints`.
        """
        ...

    def tick(self, plan: Plan | None = None) -> InertiaUpdate:
        """Return what is to be written into the MPC's model now.

        Args:
            plan: What the joints are driven along.
        """
        ...
