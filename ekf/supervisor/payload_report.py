"""Payload of a link, and how sure it is."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array
from ekf.covariance import standard_deviations
from ekf.supervisor.link_monitor import LinkState

_Z95 = 1.96
"""The normal quantile of 97.5 %, rounded as usual: a constant needs no scipy.stats."""


@dataclass(frozen=True, kw_only=True)
class PayloadReport:
    """Payload of one link: the estimate minus the nominal link.

    Attributes:
        link: Name, as given to the filter.
        state: Belief about it.
        mass_kg: Payload, never negative.
        sigma_mass_kg: Its standard deviation: the filter's, scaled to the innovations
            that are really seen, with what never averages out.
        smallest_kg: Smallest load at the expected place that would be noticed now.
        com_m: (3,) centre of the payload in the link's joint frame; NaN without one.
        sigma_com_m: (3,) its standard deviation.
        com_world_m: (3,) the same point in the world.
        rotation_world: (3, 3) axes of the joint frame in the world.
        observability: (10,) gain of each channel, 0 to 1, in the order of `CHANNELS`.
        not_excited: Channels the last moments say little about.
    """

    link: str
    state: LinkState
    mass_kg: float
    sigma_mass_kg: float
    smallest_kg: float
    com_m: Array
    sigma_com_m: Array
    com_world_m: Array
    rotation_world: Array
    observability: Array
    not_excited: tuple[str, ...]

    @property
    def interval_kg(self) -> tuple[float, float]:
        """The 95 % interval of the payload; its lower end is never negative."""
        half = _Z95 * self.sigma_mass_kg
        return max(self.mass_kg - half, 0.0), self.mass_kg + half

    @property
    def confidence(self) -> float:
        """0 for a payload that could as well be none or twice as much, towards 1.

        0 too if the standard deviation is NaN.
        """
        if self.mass_kg <= 0.0:
            return 1.0
        trust = 1.0 - _Z95 * self.sigma_mass_kg / self.mass_kg
        return trust if trust > 0.0 else 0.0  # no trust in a sigma of NaN


@dataclass(frozen=True, kw_only=True)
class PayloadMoments:
    """Mass and centre of a payload, and how they depend on theta.

    Attributes:
        mass_kg: Payload; may be negative.
        com_m: (3,) its centre in the joint frame; NaN if the mass is not positive.
        sigma_mass_kg: Standard deviation of the mass.
        sigma_com_m: (3,) of the centre; NaN if the mass is not positive.
    """

    mass_kg: float
    com_m: Array
    sigma_mass_kg: float
    sigma_com_m: Array


def payload_moments(
    parameters: Array, nominal: Array, jacobian: Array, covariance: Array
) -> PayloadMoments:
    r"""Payload of a link to first order.

    :math:`m_p = m - m^{nom}`, :math:`c_p = (h - h^{nom}) / m_p`, and their variances
    through :math:`G = \partial \pi / \partial \theta`:
    :math:`\partial c_p = (G_h - c_p G_m) / m_p`.

    Args:
        parameters: (10,) of the link.
        nominal: (10,) of the bare link.
        jacobian: (10, 10) G.
        covariance: (10, 10) of theta.
    """
    change = parameters - nominal
    mass = float(change[0])
    rows = jacobian[:4].copy()
    com = np.full(3, np.nan)
    if mass > 0.0:
        com = change[1:4] / mass
        rows[1:] = (rows[1:] - com[:, None] * rows[0]) / mass
    sigma = standard_deviations(((rows @ covariance) * rows).sum(axis=1))
    return PayloadMoments(
        mass_kg=mass,
        com_m=com,
        sigma_mass_kg=float(sigma[0]),
        sigma_com_m=sigma[1:] if mass > 0.0 else com,
    )
