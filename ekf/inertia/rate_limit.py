"""Rate limit on published inertial parameters that keeps them consistent."""

from typing import Any

import numpy as np

from ekf.arrays import Array, frozen, require_last_axis, require_positive
from ekf.errors import DimensionError, InconsistentInertiaError
from ekf.faults import find_time_step_fault, to_array, to_float
from ekf.inertia.pseudo_inertia import smallest_eigenvalue


class ConsistentRateLimiter:
    r"""Moves published parameters towards the estimate, along one scalar per link.

    .. math:: \pi \leftarrow \pi + s\,(\hat\pi - \pi), \qquad s \in [0, 1]

    with the largest s that keeps mass, first moment and rotational inertia within their
    rates. :math:`\pi` is linear in the pseudo-inertia, so each step is a convex
    combination of two positive matrices and stays physically consistent; ten separate
    limiters would not.

    Source: arXiv:2610.22176, Section III-D asks for the rate limit only.
    """

    def __init__(
        self,
        initial_parameters: Any,
        *,
        max_mass_rate_kg_per_s: float = 50.0,
        max_moment_rate_kgm_per_s: float = 20.0,
        max_inertia_rate_kgm2_per_s: float = 20.0,
    ) -> None:
        """Start at the parameters that are published now.

        The default rates let a 5 kg payload 0.4 m away in within a tenth of a second:
        they stop jumps, not the estimate.

        Args:
            initial_parameters: (n, 10) or (10,) consistent inertial parameters.
            max_mass_rate_kg_per_s: Limit on the mass.
            max_moment_rate_kgm_per_s: Limit on the norm of the first moment m c.
            max_inertia_rate_kgm2_per_s: Limit on the norm of the six entries of the
                rotational inertia about the joint frame.

        Raises:
            DimensionError: If ``initial_parameters`` has the wrong shape.
            InconsistentInertiaError: If no rigid body has these parameters.
            InvalidSettingError: If a rate is not finite and positive.
        """
        initial = require_last_axis("initial_parameters", initial_parameters, 10)
        if initial.ndim > 2:
            raise DimensionError("initial_parameters", initial.shape, ("n", 10))
        for index, pi in enumerate(initial.reshape(-1, 10)):
            if not smallest_eigenvalue(pi) > 0.0:
                owner = f"initial_parameters[{index}]"
                raise InconsistentInertiaError(owner, smallest_eigenvalue(pi))
        self._initial = frozen(initial)
        self._published = self._initial
        self._refused = 0
        self._limits = (
            (slice(0, 1), require_positive("max_mass_rate", max_mass_rate_kg_per_s)),
            (
                slice(1, 4),
                require_positive("max_moment_rate", max_moment_rate_kgm_per_s),
            ),
            (
                slice(4, 10),
                require_positive("max_inertia_rate", max_inertia_rate_kgm2_per_s),
            ),
        )

    @property
    def published(self) -> Array:
        """The parameters published now, in the shape given at construction."""
        return self._published

    @property
    def refused(self) -> int:
        """How many targets were refused: not finite, not consistent, or bad dt."""
        return self._refused

    def reset(self) -> Array:
        """Return to the initial parameters at once."""
        self._published = self._initial
        return self._published

    def step(self, parameters: Any, dt_s: float) -> Array:
        """Move towards ``parameters`` for ``dt_s`` and return what to publish.

        A target that is not finite, not physically consistent or of the wrong shape, or
        a time step that is not positive, leaves the published parameters as they are
        and adds one to `refused`.

        Args:
            parameters: Target, in the shape given at construction.
            dt_s: Time since the previous step.
        """
        target, dt_s = to_array(parameters), to_float(dt_s)
        if not self._usable(target) or find_time_step_fault(dt_s) is not None:
            self._refused += 1
            return self._published
        change = target - self._published
        progress = self._progress(change, dt_s)
        # s = 1 must land on the target exactly, not one rounding beside it.
        moved = np.where(progress >= 1.0, target, self._published + progress * change)
        self._published = frozen(moved)
        return self._published

    def _progress(self, change: Array, dt_s: float) -> Array:
        progress = np.ones((*change.shape[:-1], 1))
        for part, rate in self._limits:
            size = np.linalg.norm(change[..., part], axis=-1, keepdims=True)
            allowed = rate * dt_s
            progress = np.minimum(progress, allowed / np.maximum(size, allowed))
        return progress

    def _usable(self, target: Array) -> bool:
        if target.shape != self._published.shape:
            return False
        return all(smallest_eigenvalue(pi) > 0.0 for pi in target.reshape(-1, 10))
