"""How well the last moments alone show each channel."""

import math

import numpy as np

from ekf.arrays import Array

CHANNELS = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
"""Names of the entries of theta, in order."""

_LOOK_EVERY = 10
"""Samples between two looks at a window that is much longer than that."""


class ObservabilityWindow:
    r"""Information of the torque rows on every channel of every link, lately.

    With :math:`\Lambda` the sum of :math:`H^T R^{-1} H` over the window and
    :math:`\sigma_0^2` the variance of an ignorant filter, the gain of channel i is

    .. math:: g_i = 1 - [(I / \sigma_0^2 + \Lambda)^{-1}]_{ii} / \sigma_0^2

    between 0 (the torques say nothing about it that another channel could not have
    said) and 1 (they determine it). The fictitious measurement does not count.

    Attributes:
        gains: (n, 10) gain of every channel, as of the last look.
    """

    def __init__(self, links: int, variance: float, span_s: float) -> None:
        """Start with nothing.

        Args:
            links: Number of links.
            variance: sigma_0^2.
            span_s: Span of the window.
        """
        self._variance, self._span_s = variance, span_s
        self._links = links
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._information = np.zeros((self._links, 10, 10))
        self._samples = 0
        self.gains = self._look()

    def add(self, information: Array, dt_s: float) -> None:
        """Take H^T R^-1 H (10 n, 10 n) of one sample."""
        count = self._links
        links = np.arange(count)
        own = information.reshape(count, 10, count, 10)[links, :, links, :]
        keep = math.exp(-dt_s / self._span_s)
        self._information = keep * self._information + own
        self._samples += 1
        if self._samples % _LOOK_EVERY == 0:
            self.gains = self._look()

    def _look(self) -> Array:
        system = np.eye(10) + self._variance * self._information
        inverse = np.linalg.inv(system)
        gains: Array = 1.0 - np.diagonal(inverse, axis1=1, axis2=2)
        return np.clip(gains, 0.0, 1.0)
