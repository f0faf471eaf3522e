"""One measurement update in information form, with channels that may be frozen."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array


@dataclass(frozen=True, kw_only=True)
class InformationCorrection:
    """Result of a measurement update.

    Attributes:
        change: (n,) change of the state.
        covariance: (n, n) covariance after the update, symmetric.
        explained: Squared innovation, in units of its noise, that the update explains.
    """

    change: Array
    covariance: Array
    explained: float


def information_correction(
    predicted: Array,
    information: Array,
    score: Array,
    learning: Array | None = None,
) -> InformationCorrection | None:
    r"""Joseph-form update from what the rows say together.

    With :math:`\Lambda = H^T R^{-1} H` and :math:`b = H^T R^{-1} r` of any number of
    independent rows, and D the diagonal of zeros and ones of `learning`,

    .. math::
        G = (I + P \Lambda)^{-1} P, \quad \Delta = D G b, \quad
        P^+ = (I - D G \Lambda) P (I - D G \Lambda)^T + D G \Lambda G D

    The Joseph form holds for any gain, so a frozen channel keeps exactly its value and
    its variance, and what the others learn from it stays honest (a consider state:
    Schmidt 1966). Cheaper than the usual form when there are more rows than states.

    Args:
        predicted: (n, n) P before the update; may be singular.
        information: (n, n) Lambda.
        score: (n,) b.
        learning: (n,) ones and zeros D; all ones if None.

    Returns:
        The correction, or None if I + P Lambda is singular or a result not finite.
    """
    system = predicted @ information
    system.flat[:: len(score) + 1] += 1.0
    # Not symmetric, and P may be singular: nothing to factorise with Cholesky. SciPy's
    # general solver takes 0.3 ms to choose a method, twice as long as a whole update.
    try:
        gain = np.linalg.solve(system, predicted)
    except np.linalg.LinAlgError:
        return None
    explained = float(score @ gain @ score)
    if learning is not None:
        gain = gain * learning[:, None]
    change = gain @ score
    weight = gain @ information
    keep = -weight
    keep.flat[:: len(score) + 1] += 1.0
    updated = keep @ predicted @ keep.T + weight @ gain.T
    updated = 0.5 * (updated + updated.T)
    if not (np.isfinite(change).all() and np.isfinite(updated).all()):
        return None
    return InformationCorrection(change=change, covariance=updated, explained=explained)
