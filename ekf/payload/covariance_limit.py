"""Bound on a covariance along directions that nothing excites."""

import numpy as np

from ekf.arrays import Array


def limit_covariance(covariance: Array, largest: Array) -> Array:
    r"""Scale rows and columns whose variance is above its limit down to it.

    :math:`D P D` with :math:`D_{ii} = \min(1, \sqrt{l_i / P_{ii}})` keeps P symmetric
    and positive and leaves it untouched while every variance is below its limit.
    Forgetting alone multiplies an unexcited variance by :math:`1/\lambda` every sample.

    Args:
        covariance: (n, n) symmetric P.
        largest: (n,) largest allowed variances.
    """
    diagonal = covariance.diagonal()
    if (diagonal <= largest).all():
        return covariance
    scale = np.sqrt(np.minimum(1.0, largest / diagonal))
    return scale[:, None] * covariance * scale
