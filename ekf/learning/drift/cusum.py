"""Page's cumulative sum on robustly standardised values."""

from collections import deque

import numpy as np

from ekf.arrays import require_count, require_positive
from ekf.learning.drift.hampel import FEWEST, FLAT
from ekf.learning.drift.robust_scale import robust_scale


class CusumDetector:
    r"""Fires when the mean has moved.

    .. math::
        S^+ \leftarrow \max(0, S^+ + z - k), \quad
        S^- \leftarrow \min(0, S^- + z + k), \quad
        \text{fire if } S^+ > h \text{ or } S^- < -h

    with :math:`z = (x - \mathrm{med}) / (1.4826\, \mathrm{MAD})`. The reference is the
    window of the ``radius * ref_mult`` values before x, so that a lasting shift is
    absorbed by it, or (``adaptive=False``) the first full window, as in Page's scheme.
    The sum that fired starts again at zero. A change that only widens the errors, which
    is what a payload does to the residual of random motions, moves no mean.

    Source: Page 1954.
    """

    def __init__(
        self,
        radius: int = 10,
        ref_mult: int = 3,
        k: float = 0.5,
        h: float = 20.0,
        *,
        two_sided: bool = True,
        adaptive: bool = True,
    ) -> None:
        """Start with an empty window.

        Args:
            radius: With ``ref_mult``, the length of the reference window.
            ref_mult: See ``radius``.
            k: Slack in scaled MADs.
            h: Threshold in accumulated scaled MADs.
            two_sided: Whether downward shifts count too.
            adaptive: Whether the reference moves with the data.

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        self._span = require_count("radius", radius) * require_count(
            "ref_mult", ref_mult
        )
        self._k = require_positive("k", k, or_zero=True)
        self._h = require_positive("h", h)
        self._two_sided, self._adaptive = two_sided, adaptive
        self.n_missing = 0
        self.reset()

    def reset(self) -> None:
        """Empty the window and both sums."""
        self._window: deque[float] = deque(maxlen=self._span)
        self._fixed: tuple[float, float] | None = None
        self._up = self._down = 0.0

    def update(self, value: float) -> bool:
        """Judge a value; a non-finite one is ignored and counted."""
        if not np.isfinite(value):
            self.n_missing += 1
            return False
        value = float(value)
        reference = self._reference()
        if reference is None or self._adaptive:
            self._window.append(value)
        if reference is None:
            return False
        centre, scale = reference
        return self._accumulate((value - centre) / scale)

    def _reference(self) -> tuple[float, float] | None:
        """Centre and scale to judge the next value by; None while there are none."""
        if self._fixed is not None:
            return self._fixed
        if len(self._window) < (FEWEST if self._adaptive else self._span):
            return None
        centre, scale = robust_scale(np.array(self._window))
        if scale < FLAT:
            return None
        if not self._adaptive:
            self._fixed = centre, scale
        return centre, scale

    def _accumulate(self, z: float) -> bool:
        self._up = max(0.0, self._up + z - self._k)
        if self._two_sided:
            self._down = min(0.0, self._down + z + self._k)
        if self._up > self._h:
            self._up = 0.0
            return True
        if self._down < -self._h:
            self._down = 0.0
            return True
        return False
