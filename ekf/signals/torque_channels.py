"""Torque channels one by one: missing, stuck, or good."""

from collections.abc import Mapping

import numpy as np

from ekf.arrays import Array, Flags

_MOVING = 1e-3  # rad/s or m/s: a joint this fast needs a torque that changes


class TorqueChannels:
    """Keeps one bad channel from taking all the others along.

    A channel that is not finite is missing from that sample on; one that repeats
    itself to the last bit while its joint moves is stuck. Both get their last good
    value, so that the sample stays usable, and are named, so that nobody believes them.
    One that was stale is named for a moment longer: filters before this one still hold
    what it said before.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        *,
        stuck_s: float = 0.3,
        stale_s: float = 0.2,
        settle_s: float = 0.1,
    ) -> None:
        """Start with every channel good.

        Args:
            names: Of the channels.
            stuck_s: Time a value has to repeat itself.
            stale_s: Time without news from which a channel is stale.
            settle_s: Time from its first news until it is believed again.
        """
        self._names = names
        self._stuck_s, self._stale_s, self._settle_s = stuck_s, stale_s, settle_s
        self._counts = np.zeros(len(names), dtype=int)
        self.reset()

    def reset(self) -> None:
        """Take every channel for good; the counts are kept."""
        size = len(self._names)
        self._last = np.zeros(size)
        self._same_s = np.zeros(size)
        self._silent_s = np.zeros(size)
        self._settling_s = np.zeros(size)
        self._suspect = False

    @property
    def counts(self) -> Mapping[str, int]:
        """Samples each channel was missing or stuck in, where there were any."""
        pairs = zip(self._names, self._counts, strict=True)
        return {name: int(count) for name, count in pairs if count}

    @property
    def stale(self) -> Flags:
        """(n,) whether a channel has been without news for `stale_s`."""
        stale: Flags = (self._silent_s > self._stale_s) | (self._settling_s > 0.0)
        return stale

    def read(self, tau: Array, speed: Array, dt_s: float) -> tuple[Array, Flags]:
        """Usable torques (n,) of one sample, and which of them are not measured (n,).

        Args:
            tau: (n,) as measured, with NaN for what is missing.
            speed: (n,) velocity of the same joints.
            dt_s: Time since the sample before.
        """
        missing = ~np.isfinite(tau)
        repeats = (tau == self._last) & (np.abs(speed) > _MOVING)
        if not (self._suspect or missing.any() or repeats.any()):
            self._last = tau
            return tau, missing
        self._same_s = np.where(repeats, self._same_s + dt_s, 0.0)
        silent = missing | (self._same_s > self._stuck_s)
        self._silent_s = np.where(silent, self._silent_s + dt_s, 0.0)
        left_s = np.maximum(self._settling_s - dt_s, 0.0)
        was_stale = self._silent_s > self._stale_s
        self._settling_s = np.where(was_stale, self._settle_s, left_s)
        unknown = silent | (self._settling_s > 0.0)
        self._suspect = bool(unknown.any() or repeats.any())
        self._counts += silent
        self._last = np.where(missing, self._last, tau)
        return self._last, unknown
