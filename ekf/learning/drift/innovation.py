"""A cumulative sum on the normalised innovations of a converged filter."""

from typing import Any

import numpy as np

from ekf.arrays import require_count, require_positive
from ekf.errors import InvalidSettingError
from ekf.faults import to_array


class InnovationDetector:
    r"""Fires when a filter's innovations have become larger than it can explain.

    The innovation :math:`e_j` of a least-squares filter has the variance
    :math:`\sigma_j^2 s_j`, :math:`s_j = 1 + x_j^T P_j x_j`. While the filter converges
    :math:`s_j` is large and so are its errors, which is what makes rules on raw errors
    fire early; here such samples are left out (``s_j > max_factor``). Then

    .. math::
        z = \frac1n \sum_j \frac{e_j^2}{\sigma_j^2 s_j}, \qquad
        S \leftarrow \max(0, S + \min(z, z_{max}) - 1 - k), \qquad
        \text{fire if } S > h.

    z has mean 1 whatever the noise, and grows with any change, of the mean or of the
    spread. :math:`\sigma_j^2` is the mean over the first ``warmup`` converged samples
    and then follows with the given memory. The clip makes sure that a single outlier
    does not fire.

    On Gaussian errors the defaults fire falsely once in some 50 000 samples with one
    innovation, and not once in 200 000 with two.

    After firing it learns the noise anew, so that a change that leaves larger errors
    behind is one alarm and not a hundred.

    The price: it is blind until the filter has converged and for ``warmup`` samples
    more, and again after every alarm; it cannot see a change that raises the
    innovation variance by less than k; it does not say which parameter changed; and it
    needs the filter's covariance.
    """

    def __init__(
        self,
        n: int = 1,
        *,
        warmup: int = 100,
        memory: int = 200,
        slack: float = 1.0,
        threshold: float = 12.0,
        clip: float = 5.0,
        max_factor: float = 2.0,
        floor: float = 1e-6,
    ) -> None:
        """Start unaware of the noise.

        Args:
            n: Number of innovations per sample.
            warmup: Converged samples from which the noise is first estimated.
            memory: Samples over which the noise estimate forgets.
            slack: k, the growth of the innovation variance that is tolerated.
            threshold: h.
            clip: Largest z that counts; must leave more than one sample to fire.
            max_factor: Largest s of a converged filter.
            floor: Smallest standard deviation of the noise, in the innovations' unit;
                it keeps rounding errors of exact data from looking like changes.

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        self._n = require_count("n", n)
        self._warmup = require_count("warmup", warmup)
        self._rate = 1.0 / require_count("memory", memory)
        self._slack = require_positive("slack", slack)
        self._threshold = require_positive("threshold", threshold)
        self._clip = require_positive("clip", clip)
        if not self._clip - 1.0 - self._slack < self._threshold:
            rule = "must be below threshold + slack + 1: one sample may not fire"
            raise InvalidSettingError("clip", clip, rule)
        self._max_factor = require_positive("max_factor", max_factor)
        self._floor = require_positive("floor", floor) ** 2
        self.n_missing = 0
        self.reset()

    def reset(self) -> None:
        """Forget the noise and the sum."""
        self._variance = np.zeros(self._n)
        self._seen = 0
        self._sum = 0.0

    @property
    def level(self) -> float:
        """The sum S: how much has gathered for a change."""
        return self._sum

    @property
    def armed(self) -> bool:
        """Whether the noise is known, and a change would be seen."""
        return self._seen >= self._warmup

    def update(self, innovation: Any, factor: Any = 1.0) -> bool:
        """Judge one sample; after firing the noise is learned anew.

        Args:
            innovation: (n,) errors of the predictions, or a number.
            factor: (n,) :math:`s_j`, or a number.
        """
        e, s = np.atleast_1d(to_array(innovation)), np.atleast_1d(to_array(factor))
        finite = np.isfinite(e).all() and np.isfinite(s).all()
        if e.shape != (self._n,) or s.shape not in ((1,), (self._n,)) or not finite:
            self.n_missing += 1
            return False
        if s.max() > self._max_factor:
            return False
        squares = e * e / s
        if not self.armed:
            self._seen += 1
            self._variance += (squares - self._variance) / self._seen
            return False
        return self._judge(squares)

    def _judge(self, squares: Any) -> bool:
        z = float(np.mean(squares / np.maximum(self._variance, self._floor)))
        clipped = min(z, self._clip)
        # All samples count, clipped alike: to choose the small ones would shrink the
        # noise estimate without end.
        share = 1.0 if z <= self._clip else clipped / z
        self._variance += self._rate * (share * squares - self._variance)
        self._sum = max(0.0, self._sum + clipped - 1.0 - self._slack)
        if self._sum <= self._threshold:
            return False
        self.reset()
        return True
