"""Where loads hang on their links, as a constraint on an estimate."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ekf.arrays import Array, require_finite
from ekf.inertia.pseudo_inertia import point_mass_parameters

_LIGHT_KG = 0.5
"""Below this a load counts as so heavy when its place is judged."""


class Attachments:
    """One point per link, known or only assumed to be the nominal centre of mass."""

    def __init__(
        self, nominal: Array, points_m: Sequence[Any] | None, sigma_m: float
    ) -> None:
        """Take the points.

        Args:
            nominal: (n, 10) nominal parameters of the links.
            points_m: (n, 3) in each link's joint frame; None if nobody knows.
            sigma_m: How far the centre of a load lies from a known point.

        Raises:
            DimensionError: If there is not one point per link.
            InvalidSettingError: If one is not finite.
        """
        self.known = points_m is not None
        if points_m is None:
            points = nominal[:, 1:4] / nominal[:, :1]
        else:
            points = require_finite("attachments_m", points_m, (len(nominal), 3))
        self.directions = [np.array(point_mass_parameters(p)) for p in points]
        """(10,) parameters of 1 kg at each point."""
        self._nominal_kg, self._sigma_m = nominal[:, 0], sigma_m

    def constraint(
        self, links: Sequence[int], masses_kg: Array, samples: float
    ) -> Array | None:
        r"""Rows that hold loads at their attachments, give or take some centimetres.

        Exactly :math:`h - h^{nom} = (m - m^{nom}) c_p`, linear in the parameters.

        Args:
            links: Loaded ones.
            masses_kg: (n,) of all links, loads included.
            samples: How many of them count as one.

        Returns:
            (3 k, 10 n) in units of the noise; None where nothing is known.
        """
        if not (self.known and links):
            return None
        rows = np.zeros((3 * len(links), 10 * len(masses_kg)))
        for block, index in enumerate(links):
            payload_kg = masses_kg[index] - self._nominal_kg[index]
            sigma = self._sigma_m * max(payload_kg, _LIGHT_KG)
            own = rows[3 * block : 3 * block + 3, 10 * index : 10 * index + 4]
            own[:, 0] = -self.directions[index][1:4]
            own[:, 1:] = np.eye(3)
            own /= sigma * np.sqrt(samples)
        return rows
