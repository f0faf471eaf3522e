"""Noise in an innovation while something is not explained."""

import math

import numpy as np

from ekf.arrays import Array, Flags

_OFTEN = 0.2
"""Share of the time from which an alarm that comes and goes is one that lasts."""


class InnovationRipple:
    r"""The quick part of rows that have been under alarm for too long, or too often.

    A load that is noticed is acquired at once; what goes on raising alarms is a load
    elsewhere, or noise that has grown. Nobody may learn the first as noise, and who
    learns the second between alarms only is alarmed for ever. They differ in how they
    change:

    .. math:: \bar e \leftarrow \bar e + s (e - \bar e), \quad
        r = \sqrt{1 - s / 2}\, (e - \bar e), \quad s = 1 - e^{-\Delta t / T}

    r has the variance of e if that is white noise, and next to nothing of a load's
    torque, which changes with the pose.
    """

    def __init__(self, rows: int, span_s: float, patience_s: float) -> None:
        """Start without an alarm.

        Args:
            rows: Number of torque rows.
            span_s: T.
            patience_s: How long an alarm has to last without a break.
        """
        self._rows, self._span_s = rows, span_s
        self._memory_s = -patience_s / math.log1p(-_OFTEN)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._mean, self._alarms = np.zeros((2, self._rows))

    def look(
        self, innovation: Array, alarmed: Flags, dt_s: float
    ) -> tuple[Array, Flags]:
        """The quick part r (nv,) of one innovation, and which alarms (nv,) last.

        Args:
            innovation: (nv,) measured minus predicted.
            alarmed: (nv,) rows with something that is not explained.
            dt_s: Time since the sample before.
        """
        share = -math.expm1(-dt_s / self._span_s)
        ripple = math.sqrt(1.0 - 0.5 * share) * (innovation - self._mean)
        self._mean = self._mean + share * (innovation - self._mean)
        lately = -math.expm1(-dt_s / self._memory_s)
        self._alarms = self._alarms + lately * (alarmed - self._alarms)
        return ripple, alarmed & (self._alarms > _OFTEN)
