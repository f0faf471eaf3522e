"""The share of the estimate that a controller gets to see."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ekf.arrays import Array, frozen, require_positive
from ekf.errors import InvalidSettingError
from ekf.faults import find_time_step_fault, to_float
from ekf.inertia.rate_limit import ConsistentRateLimiter
from ekf.supervisor.link_monitor import LinkState
from ekf.supervisor.payload_report import PayloadReport

_HELD = (LinkState.FROZEN, LinkState.LOST)


class TrustedWriteBack:
    r"""Nominal plus a gain times the deviation, approached at a limited rate.

    .. math:: \pi^{target} = \pi^{nom} + g\, (\hat\pi - \pi^{nom}), \quad 0 \le g \le 1

    The gain rises from 0 to what the operator allows within `rise_s`. Each link then
    moves towards its target along one scalar (`ConsistentRateLimiter`), the faster the
    surer the payload is; a frozen or lost link stays where it is, unless its load is
    known to be gone. Both steps are convex combinations of rigid bodies, so what is
    published always is one.
    """

    def __init__(
        self,
        nominal: Any,
        *,
        max_mass_rate_kg_per_s: float,
        max_moment_rate_kgm_per_s: float,
        max_inertia_rate_kgm2_per_s: float,
        rise_s: float = 0.5,
        slowest_share: float = 0.5,
    ) -> None:
        """Publish nominal.

        Args:
            nominal: (n, 10) parameters of the bare links.
            max_mass_rate_kg_per_s: Limit on the mass of a link that is sure.
            max_moment_rate_kgm_per_s: Limit on the norm of its first moment.
            max_inertia_rate_kgm2_per_s: Limit on the norm of its inertia.
            rise_s: Time from no trust to full trust.
            slowest_share: Share of the limits for a payload nothing is sure about.

        Raises:
            EkfError: If a value breaks its rule.
        """
        self._limiters = [
            ConsistentRateLimiter(
                own,
                max_mass_rate_kg_per_s=max_mass_rate_kg_per_s,
                max_moment_rate_kgm_per_s=max_moment_rate_kgm_per_s,
                max_inertia_rate_kgm2_per_s=max_inertia_rate_kgm2_per_s,
            )
            for own in np.asarray(nominal, dtype=np.float64)
        ]
        self._nominal = self.published
        self._rise_s = require_positive("rise_s", rise_s)
        self._slowest = require_positive("slowest_share", slowest_share)
        self._gain, self._allowed = 0.0, 1.0

    @property
    def published(self) -> Array:
        """(n, 10) parameters the controller has now."""
        return frozen([limiter.published for limiter in self._limiters])

    @property
    def gain(self) -> float:
        """Share of the deviation that is passed on."""
        return self._gain

    @property
    def refused(self) -> int:
        """How many targets were no rigid body."""
        return sum(limiter.refused for limiter in self._limiters)

    def allow(self, gain: float) -> None:
        """Set how much trust there may be; less takes effect as slowly as more.

        Raises:
            InvalidSettingError: If it is not between 0 and 1.
        """
        if not 0.0 <= gain <= 1.0:
            raise InvalidSettingError("gain", gain, "must be between 0 and 1")
        self._allowed = gain

    def step(
        self, parameters: Array, reports: Sequence[PayloadReport], dt_s: float
    ) -> Array:
        """Move on for `dt_s` and return what to publish, (n, 10).

        A time step that is not positive moves nothing and is counted in `refused`.

        Args:
            parameters: (n, 10) estimate.
            reports: One per link, of the same sample.
            dt_s: Time since the step before.
        """
        if find_time_step_fault(to_float(dt_s)) is None:
            most = dt_s / self._rise_s
            self._gain += float(np.clip(self._allowed - self._gain, -most, most))
        targets = self._nominal + self._gain * (parameters - self._nominal)
        for limiter, target, report in zip(
            self._limiters, targets, reports, strict=True
        ):
            bare = report.state is LinkState.FROZEN and report.mass_kg == 0.0
            if bare or report.state not in _HELD:
                share = self._slowest + (1.0 - self._slowest) * report.confidence
                limiter.step(target, share * dt_s)
        return self.published
