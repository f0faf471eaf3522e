"""Hampel's outlier rule on a causal window."""

from collections import deque

import numpy as np

from ekf.arrays import require_count, require_positive
from ekf.learning.drift.robust_scale import robust_scale

FEWEST = 4
"""Values a window must hold before anything is judged."""
FLAT = 1e-9
"""Below this scale a window counts as constant."""


class HampelDetector:
    r"""Fires when a value is far from the median of those before it.

    .. math:: |x - \mathrm{med}| > n_\sigma \cdot 1.4826 \cdot \mathrm{MAD}

    over the ``2 * radius`` values strictly before x. On Gaussian data with the default
    3 sigmas it fires on 1 in 370 values at best, and on many more while the window is
    short: it is an outlier rule, not a test for a change.

    Source: Hampel 1974.
    """

    def __init__(self, radius: int = 20, n_sigmas: float = 3.0) -> None:
        """Start with an empty window.

        Args:
            radius: Half of the window's length.
            n_sigmas: Threshold in scaled MADs.

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        require_count("radius", radius)
        self._n_sigmas = require_positive("n_sigmas", n_sigmas)
        self._window: deque[float] = deque(maxlen=2 * radius)
        self.n_missing = 0

    def reset(self) -> None:
        """Empty the window."""
        self._window.clear()

    def score(self, value: float) -> float:
        """Distance of a value from the window's median in scaled MADs."""
        if len(self._window) < FEWEST:
            return 0.0
        centre, scale = robust_scale(np.array(self._window))
        distance = abs(value - centre)
        if scale < FLAT:
            return float("inf") if distance > FLAT else 0.0
        return distance / scale

    def update(self, value: float) -> bool:
        """Judge a value, then let it into the window; a non-finite one does neither."""
        if not np.isfinite(value):
            self.n_missing += 1
            return False
        fired = self.score(float(value)) > self._n_sigmas
        self._window.append(float(value))
        return fired
