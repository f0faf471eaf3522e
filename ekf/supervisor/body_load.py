"""A load on the body itself, from the weight that no estimated link explains."""

from typing import Any

import numpy as np

from ekf.arrays import Array
from ekf.inertia.rate_limit import ConsistentRateLimiter
from ekf.supervisor.unexplained import Unexplained

_LASTS_S = 1.0
"""Whoever pushes or pulls lets go before."""
_SMALLEST_KG = 2.0
"""Less is an error of the model or of the wrenches, and does little."""
_LARGEST_SLOPE = 0.2
"""Horizontal share of a force, beyond which it is a push and no weight."""
_LARGEST_ARM_M = 0.4
"""How far from the free-flyer a body reaches."""
_GRAVITY = 9.81
_RADIUS_M = 0.1
"""Of the sphere that stands for the load: any possible body would do."""


class BodyLoad:
    r"""Inertia of the free-flyer's body with a load that its rows show.

    A weight f with the moment n about the free-flyer's origin acts along the line of
    the points

    .. math:: c + s f, \qquad c = f \times n / |f|^2,

    and gravity does not tell which of them: c is taken, the one nearest the origin. It
    is right for the balance of a robot that stands, whatever the height.
    """

    def __init__(self, nominal: Any) -> None:
        """Start without a load.

        Args:
            nominal: (10,) parameters of the free-flyer's body.

        Raises:
            EkfError: If they are of no rigid body.
        """
        self._nominal = np.asarray(nominal, dtype=np.float64)
        self._limiter = ConsistentRateLimiter(
            self._nominal,
            max_mass_rate_kg_per_s=10.0,
            max_moment_rate_kgm_per_s=2.0,
            max_inertia_rate_kgm2_per_s=2.0,
        )

    def step(self, unexplained: Unexplained | None, base: Array, dt_s: float) -> Array:
        """Move towards what is left over now; (10,) to publish.

        Args:
            unexplained: What no estimated link explains.
            base: (3, 3) axes of the free-flyer in the world.
            dt_s: Time since the step before.
        """
        self._limiter.step(self._nominal + self._load(unexplained, base), dt_s)
        return self._limiter.published

    def _load(self, unexplained: Unexplained | None, base: Array) -> Array:
        """(10,) parameters of the load alone; zero for what is no weight."""
        nothing = np.zeros(10)
        if unexplained is None or unexplained.since_s < _LASTS_S:
            return nothing
        if unexplained.torque[6:].any():  # of a limb, where it would not help
            return nothing
        force, moment = unexplained.torque[:3], unexplained.torque[3:6]
        world = base @ force
        sideways = float(np.hypot(*world[:2]))
        if world[2] < _SMALLEST_KG * _GRAVITY or sideways > _LARGEST_SLOPE * world[2]:
            return nothing
        arm = np.cross(force, moment) / (force @ force)
        if np.linalg.norm(arm) > _LARGEST_ARM_M:
            return nothing
        return _sphere(world[2] / _GRAVITY, arm)


def _sphere(mass_kg: float, center_m: Array) -> Array:
    """(10,) of a solid sphere, about the joint's origin."""
    x, y, z = center_m
    own = 0.4 * _RADIUS_M**2
    shifted = np.array(
        [y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y]
    )
    shifted[[0, 2, 5]] += own
    parameters: Array = mass_kg * np.concatenate([[1.0], center_m, shifted])
    return parameters
