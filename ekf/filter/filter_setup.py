"""Noise and initial covariance of a filter, checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, require_positive, row_variance
from ekf.errors import DimensionError, InvalidSettingError
from ekf.filter.regularisation import FictitiousPrior, PriorRegime
from ekf.filter.settings import ProcessNoise, torque_variance
from ekf.model_lookup import root_dofs


@dataclass(frozen=True, kw_only=True)
class FilterNoise:
    """Noise of n links, one 100 Hz tick.

    Attributes:
        process: (10 n,) variance of the random walk.
        torque: (nv,) variance of each torque row [N^2, (Nm)^2].
        pull: (10 n,) one over the variance of the fictitious measurement; zero where
            there is none.
    """

    process: Array
    torque: Array
    pull: Array


def filter_noise(
    model: pin.Model,
    links: int,
    process: ProcessNoise | None,
    torque: Any,
    prior: FictitiousPrior | None,
) -> FilterNoise:
    """Noise of a filter; what is None is that of the paper.

    The prior is `default_prior` of the model.

    Raises:
        DimensionError: If there are neither one nor nv torque variances.
        InvalidSettingError: If one of them is not finite and positive.
    """
    prior = default_prior(model) if prior is None else prior
    process = ProcessNoise() if process is None else process
    torque = torque_variance(model) if torque is None else torque
    pull = np.zeros(10)
    pull[list(prior.channels())] = 1.0 / prior.variances()
    return FilterNoise(
        process=np.tile(process.variances(), links),
        torque=row_variance("measurement_variance", torque, model.nv),
        pull=np.tile(pull, links),
    )


def default_prior(model: pin.Model) -> FictitiousPrior:
    """The paper's prior for a robot on a free-flyer, none for a fixed base.

    A payload does not scale the inertia of its link. An arm that moves enough to show
    it does without the prior, under which 2 kg would look like 1; a standing humanoid
    does not.
    """
    standing = root_dofs(model) > 0
    regime = PriorRegime.INERTIA_ONLY if standing else PriorRegime.NONE
    return FictitiousPrior(regime=regime)


def covariance_matrix(values: Any, size: int) -> Array:
    """A covariance given as a number times identity, a diagonal, or in full.

    Raises:
        DimensionError: If the shape is none of these.
        InvalidSettingError: If it is not finite, symmetric and positive semi-definite.
    """
    field = "initial_covariance"
    array = np.array(values, dtype=np.float64)
    if array.ndim == 0:
        return np.eye(size) * require_positive(field, float(array))
    if array.shape == (size,):
        array = np.diag(array)
    if array.shape != (size, size):
        raise DimensionError(field, array.shape, (size, size))
    rule = "must be finite, symmetric and positive semi-definite"
    if not np.isfinite(array).all() or not np.allclose(array, array.T):
        raise InvalidSettingError(field, values, rule)
    if np.linalg.eigvalsh(array)[0] < -1e-12 * np.abs(array).max():
        raise InvalidSettingError(field, values, rule)
    return array
