"""The fictitious measurement that holds weakly observable channels near nominal."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ekf.arrays import SMALLEST_VARIANCE, Array, require_positive
from ekf.errors import InvalidSettingError


class PriorRegime(Enum):
    """Which channels of the deviation the fictitious measurement acts on."""

    NONE = "none"
    """No channel: every parameter moves as the torques say."""
    INERTIA_ONLY = "inertia_only"
    """d and s (scale and shear): the paper's choice."""
    ALL = "all"
    """Every channel: mass and centre of mass are drawn to nominal too."""


_CHANNELS: dict[PriorRegime, tuple[int, ...]] = {
    PriorRegime.NONE: (),
    PriorRegime.INERTIA_ONLY: tuple(range(1, 7)),
    PriorRegime.ALL: tuple(range(10)),
}


@dataclass(frozen=True, kw_only=True)
class FictitiousPrior:
    r"""Fictitious measurement :math:`0 = \theta_{sel} + \nu`, stacked every tick.

    Source: arXiv:2610.22176, Section III-A2 and Table III (d, s: 1e-2; alpha, t free).

    Variances are those of one 100 Hz tick; at another rate the filter divides them by
    ``dt / 0.01 s``, so that the pull per second stays the same.

    A distant point payload has d and s different from zero in its exact description,
    so a tight variance there biases it a little.

    Attributes:
        variance_d: Variance of the scale channels, one tick.
        variance_s: Variance of the shear channels, one tick.
        variance_alpha: Variance of the density channel, one tick. Only used by
            `PriorRegime.ALL`. The default is weak: it takes back a third to a half of
            what constant torque errors shift from one resting arm to the other, and
            costs a 5 kg payload about 0.03 kg.
        variance_t: Variance of the translation channels [m^2], one tick. Only used by
            `PriorRegime.ALL`. A tight one (1e-2) makes a payload at the end of a link
            look much heavier than it is, because the centre of mass may not follow.
        regime: The channels to act on.
    """

    variance_d: float = 1e-2
    variance_s: float = 1e-2
    variance_alpha: float = 1e2
    variance_t: float = 1e2
    regime: PriorRegime = PriorRegime.INERTIA_ONLY

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            InvalidSettingError: If a variance is not finite or below 1e-12, or the
                regime is not a `PriorRegime`.
        """
        for name in ("variance_d", "variance_s", "variance_alpha", "variance_t"):
            field, value = f"FictitiousPrior.{name}", getattr(self, name)
            if require_positive(field, value) < SMALLEST_VARIANCE:
                rule = f"must be a finite number >= {SMALLEST_VARIANCE:g}"
                raise InvalidSettingError(field, value, rule)
        if not isinstance(self.regime, PriorRegime):
            choices = ", ".join(str(regime) for regime in PriorRegime)
            rule = f"must be one of {choices}"
            raise InvalidSettingError("FictitiousPrior.regime", self.regime, rule)

    def channels(self) -> tuple[int, ...]:
        """Indices into theta that the fictitious measurement acts on."""
        return _CHANNELS[self.regime]

    def variances(self) -> Array:
        """Variances (k,) of the selected channels, one 100 Hz tick."""
        values = [self.variance_alpha]
        values += [self.variance_d] * 3 + [self.variance_s] * 3 + [self.variance_t] * 3
        return np.array(values)[list(self.channels())]
