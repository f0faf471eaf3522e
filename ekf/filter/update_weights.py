"""How much one sample may move which link, and how far each row is believed."""

from dataclasses import dataclass

from ekf.arrays import Array


@dataclass(frozen=True, kw_only=True)
class UpdateWeights:
    r"""Changes to the noise of one update; None leaves a part as it was set up.

    Attributes:
        process_scale: (n,) factor on the process noise of each link.
        added_variance: (10 n,) variance the channels gain in addition.
        learning: (10 n,) 1 for a channel that may move, 0 for one that keeps its value
            and its variance.
        variance_scale: (nv,) factor on the variance of each torque row.
        constraint: (k, 10 n) rows C of further knowledge about the inertial
            parameters, :math:`C (\pi - \pi^{nom}) = 0` with unit variance.
    """

    process_scale: Array | None = None
    added_variance: Array | None = None
    learning: Array | None = None
    variance_scale: Array | None = None
    constraint: Array | None = None
