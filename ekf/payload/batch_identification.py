"""Offline identification of link inertias, physically consistent by construction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen, require_count, require_positive, row_variance
from ekf.errors import InvalidSettingError
from ekf.filter.torque_measurement import TorqueMeasurement
from ekf.inertia.deviation_stack import DeviationStack, chain
from ekf.model_lookup import frame_ids, link_joint_ids
from ekf.signals.samples import SampleReader

_TOLERANCE = 1e-15
_SMALLEST = 1e-12
_NO_WRENCHES = np.empty((0, 6))


@dataclass(frozen=True, kw_only=True)
class BatchIdentification:
    """Result of `identify`. Arrays are read-only; n is the number of links.

    Attributes:
        links: (n,) names, as given.
        theta: (n, 10) log-Cholesky deviation from nominal.
        parameters: (n, 10) inertial parameters, physically consistent.
        covariance: (10 n, 10 n) of theta; the data count as the residuals that are
            left say, directions they do not show are as wide as the prior.
        sigma_mass_kg: (n,) standard deviation of the masses.
        residual_rms: Root mean square of the weighted residuals; 1 means that the
            torque variance that was given fits.
        iterations: Steps tried.
        converged: Whether another step would change nothing any more.
        n_samples: Samples used.
        n_missing: Samples left out.
    """

    links: tuple[str, ...]
    theta: Array
    parameters: Array
    covariance: Array
    sigma_mass_kg: Array
    residual_rms: float
    iterations: int
    converged: bool
    n_samples: int
    n_missing: int


def identify(
    model: pin.Model,
    links: Sequence[str],
    samples: Iterable[Any],
    *,
    feet: Sequence[str] = (),
    torque_variance: Any = 1.0,
    prior_variance: float = 1e2,
    max_iterations: int = 100,
) -> BatchIdentification:
    r"""Least squares over a whole log in log-Cholesky coordinates.

    .. math::
        \min_\theta \sum_k \| y_k - Y_k\, \pi(\theta) \|^2_{R^{-1}}
        + \|\theta\|^2 / \sigma_0^2

    with :math:`\Gamma(\theta) = U(\theta) \Gamma^{nom} U(\theta)^T`, so that every
    iterate belongs to a rigid body. The data enter once, as the triangular factor of
    all regressors; a trust-region method on ten numbers per link does the rest. The
    weak prior holds directions the log does not show at nominal.

    Source: parametrisation of Rucker & Wensing 2022.

    Args:
        model: The unloaded robot.
        links: Links to identify, as for `InertialEKF`.
        samples: Anything `SampleReader` reads, with accelerations.
        feet: Frames at which the samples bring contact wrenches.
        torque_variance: Variance of a torque row: a number or (nv,).
        prior_variance: :math:`\sigma_0^2`.
        max_iterations: Steps to try at most.

    Raises:
        UnknownLinkError: If a name is not in the model.
        InvalidSettingError: If a value breaks its rule, or no sample is usable.
        InconsistentInertiaError: If a link has no consistent nominal inertia.
    """
    joint_ids = link_joint_ids(model, links)
    deviations = DeviationStack.of_joints(model, joint_ids)
    prior = require_positive("prior_variance", prior_variance)
    tries = require_count("max_iterations", max_iterations)
    torque = TorqueMeasurement(model, joint_ids, frame_ids(model, feet))
    scale = 1.0 / np.sqrt(row_variance("torque_variance", torque_variance, model.nv))
    reader = SampleReader(model, len(feet))
    factor, n_missing = _factorise(torque, reader, samples, scale)
    if factor.rows == 0:
        rule = "must hold at least one usable sample with an acceleration"
        raise InvalidSettingError("samples", f"{n_missing} unusable", rule)
    problem = _Problem(deviations, *factor.finish(), prior)
    theta, iterations, converged = _minimise(problem, tries)
    return _describe(
        problem,
        theta,
        links=tuple(links),
        rows=factor.rows,
        iterations=iterations,
        converged=converged,
        n_samples=factor.rows // model.nv,
        n_missing=n_missing,
    )


def _factorise(
    torque: TorqueMeasurement,
    reader: SampleReader,
    samples: Iterable[Any],
    scale: Array,
) -> tuple["_Factor", int]:
    """Take in every usable sample; also how many were not."""
    factor, n_missing = _Factor(), 0
    for raw in samples:
        sample = reader.read(raw)
        if sample is None or sample.a is None:
            n_missing += 1
            continue
        wrenches = _NO_WRENCHES if sample.wrenches is None else sample.wrenches
        y, regressor = torque.evaluate(
            sample.q, sample.v, sample.a, sample.tau, wrenches
        )
        factor.add(regressor * scale[:, None], y * scale)
    return factor, n_missing


class _Factor:
    """Triangular factor of all rows [Y, y], in bounded memory."""

    def __init__(self) -> None:
        self._factor: Array | None = None
        self._block: list[Array] = []
        self.rows = 0

    def add(self, regressor: Array, y: Array) -> None:
        self._block.append(np.column_stack((regressor, y)))
        self.rows += len(y)
        if len(self._block) >= 256:
            self._fold()

    def finish(self) -> tuple[Array, Array, float]:
        """Factor R (n, n), right-hand side (n,) and the squares out of reach."""
        self._fold()
        assert self._factor is not None
        size = self._factor.shape[1]
        full = np.zeros((size, size))
        full[: len(self._factor)] = self._factor
        return full[:-1, :-1], full[:-1, -1], float(full[-1, -1] ** 2)

    def _fold(self) -> None:
        if not self._block:
            return
        before = () if self._factor is None else (self._factor,)
        stacked = np.vstack((*before, *self._block))
        factor: Any = np.linalg.qr(stacked, mode="r")
        self._factor = factor
        self._block = []


class _Problem:
    """Residuals of the factorised data and the prior, and their Jacobian."""

    def __init__(
        self,
        deviations: DeviationStack,
        factor: Array,
        target: Array,
        unreachable: float,
        prior_variance: float,
    ) -> None:
        self._deviations, self.unreachable = deviations, unreachable
        self._factor, self._target = factor, target
        self.start = np.zeros(len(target))
        self._pull = 1.0 / np.sqrt(prior_variance)

    def parameters(self, theta: Array) -> Array:
        return self._linearise(theta)[0]

    def residuals(self, theta: Array) -> Array:
        fit = self._factor @ self.parameters(theta).ravel() - self._target
        return np.concatenate((fit, self._pull * theta))

    def jacobian(self, theta: Array) -> Array:
        data = chain(self._factor, self._linearise(theta)[1])
        return np.vstack((data, self._pull * np.eye(len(theta))))

    def _linearise(self, theta: Array) -> tuple[Array, Array]:
        return self._deviations.linearise(theta.reshape(-1, 10))


def _minimise(problem: _Problem, max_iterations: int) -> tuple[Array, int, bool]:
    """Trust-region least squares from nominal: where, after how many tries, and if."""
    # Slow to load, and most users of this package never come here.
    from scipy.optimize import least_squares

    with np.errstate(over="ignore", invalid="ignore"):
        result = least_squares(
            problem.residuals,
            problem.start,
            jac=problem.jacobian,
            # Neighbouring links share their mass along a valley so flat that a looser
            # tolerance stops on the way.
            ftol=_TOLERANCE,
            xtol=_TOLERANCE,
            gtol=_TOLERANCE,
            max_nfev=max_iterations,
        )
    return result.x, int(result.nfev), bool(result.success)


def _describe(
    problem: _Problem,
    theta: Array,
    *,
    links: tuple[str, ...],
    rows: int,
    iterations: int,
    converged: bool,
    n_samples: int,
    n_missing: int,
) -> BatchIdentification:
    residuals, jacobian = problem.residuals(theta), problem.jacobian(theta)
    size = len(theta)
    squares = float(residuals[:size] @ residuals[:size]) + problem.unreachable
    variance = squares / max(rows - size, 1)
    data, prior = jacobian[:size], jacobian[size:]
    # Residuals tell how good the data are, not how good the prior is.
    stacked = np.vstack((data / np.sqrt(max(variance, _SMALLEST)), prior))
    # From singular values: squared, they would drown the prior in rounding errors.
    _, sizes, right = np.linalg.svd(stacked, full_matrices=False)
    covariance = (right.T / sizes**2) @ right
    parameters = problem.parameters(theta)
    # d m / d alpha = 2 m; the other coordinates do not change the mass.
    sigma = 2.0 * parameters[:, 0] * np.sqrt(covariance.diagonal()[::10])
    return BatchIdentification(
        links=links,
        theta=frozen(theta.reshape(-1, 10)),
        parameters=frozen(parameters),
        covariance=frozen(covariance),
        sigma_mass_kg=frozen(sigma),
        residual_rms=float(np.sqrt(squares / rows)),
        iterations=iterations,
        converged=converged,
        n_samples=n_samples,
        n_missing=n_missing,
    )
