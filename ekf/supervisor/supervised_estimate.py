"""The supervised filter's answer after a sample."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ekf.arrays import Array, Flags
from ekf.filter.estimate import Estimate
from ekf.supervisor.link_monitor import EventKind, LinkState
from ekf.supervisor.payload_report import PayloadReport
from ekf.supervisor.unexplained import Unexplained


@dataclass(frozen=True, kw_only=True)
class PayloadEvent:
    """Something that happened to the load of a link.

    Attributes:
        time_s: Time of the sample that decided it.
        link: Name, as given to the filter; empty for all of them.
        kind: The event.
        reason: For a reset, why.
    """

    time_s: float
    link: str
    kind: EventKind
    reason: str = ""

    def sentence(self) -> str:
        """The event in words."""
        where = f" on {self.link}" if self.link else ""
        why = f": {self.reason}" if self.reason else ""
        return f"estimator: {self.kind.value}{where}{why}"


@dataclass(frozen=True, kw_only=True)
class SupervisedEstimate:
    """Answer of filter and supervisor after a sample.

    Attributes:
        estimate: Of the filter.
        states: Belief about each link.
        events: Of this sample.
        test_ratio: (nv,) of the innovation gate; beyond 1 a row is left out.
        left_out: (nv,) whether a row was not used, for whatever reason.
        unexplained: Torque that no load on an estimated link explains, or None.
        make_reports: Works the reports out.
    """

    estimate: Estimate
    states: tuple[LinkState, ...]
    events: tuple[PayloadEvent, ...]
    test_ratio: Array
    left_out: Flags
    unexplained: Unexplained | None
    make_reports: Callable[[], tuple[PayloadReport, ...]]

    @cached_property
    def reports(self) -> tuple[PayloadReport, ...]:
        """One per link; worked out when first asked for."""
        return self.make_reports()
