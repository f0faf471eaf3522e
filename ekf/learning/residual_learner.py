"""Online learning of the torque a rigid-body model does not explain."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, frozen
from ekf.errors import InvalidSettingError
from ekf.faults import to_array
from ekf.learning.recursive_least_squares import RecursiveLeastSquares
from ekf.model_lookup import root_dofs
from ekf.signals.samples import JointSample
from ekf.streaming import LearnStatus

FEATURES = ("acceleration", "velocity", "velocity_sign", "gravity_torque", "constant")
"""Regressors of each joint's residual torque."""


@dataclass(frozen=True, kw_only=True)
class Innovations:
    """Errors of the predictions of one sample, before it was learned.

    Attributes:
        errors: (nv,) residual torque minus its prediction [Nm].
        factors: (nv,) innovation variance over noise variance.
    """

    errors: Array
    factors: Array


class ResidualDynamicsLearner:
    r"""One recursive least squares per joint on the residual of inverse dynamics.

    Target of joint j: :math:`\tau_j - (M \ddot q + C \dot q + g)_j`. Features:
    :math:`[\ddot q_j, \dot q_j, \mathrm{sign}\,\dot q_j, g_j, 1]`, with g the gravity
    torque of the nominal model: inertia seen by the joint itself, viscous and Coulomb
    friction, a constant payload, a bias. Coupling between joints is not in them, so a
    payload far from its own joint is learned in part only.
    """

    def __init__(self, model: pin.Model, lam: float = 1.0, delta: float = 1e6) -> None:
        """Start with the nominal model alone.

        Args:
            model: Fixed-base robot; copied, never changed.
            lam: Forgetting factor of every joint, in (0, 1].
            delta: Initial covariance scale of every joint.

        Raises:
            InvalidSettingError: If a value breaks its rule, or the base is floating:
                its six rows have no motor whose residual could be learned.
        """
        if root_dofs(model) or model.nq != model.nv:
            rule = "must have a fixed base and joints of one coordinate"
            raise InvalidSettingError("model", model.name, rule)
        self._model = model.copy()
        self._data = self._model.createData()
        self._joints = tuple(
            RecursiveLeastSquares(lam, delta, FEATURES) for _ in range(model.nv)
        )
        self.n_missing = 0

    @property
    def state(self) -> Array:
        """(nv, 5) weights, one row per joint, in the order of `FEATURES`."""
        return frozen([rls.state for rls in self._joints])

    @property
    def covariance(self) -> Array:
        """(nv, 5, 5) matrix P of every joint, in units of its noise variance."""
        return frozen([rls.covariance for rls in self._joints])

    def reset(self) -> None:
        """Forget what was learned. The count of missing samples is kept."""
        for rls in self._joints:
            rls.reset()

    def learn_one(
        self, q: Any, v: Any = None, a: Any = None, tau: Any = None
    ) -> LearnStatus:
        """Learn from one sample. Never raises on data.

        Args:
            q: (nv,) positions; or a `JointSample` with an acceleration, alone.
            v: (nv,) velocities.
            a: (nv,) accelerations.
            tau: (nv,) measured torques [Nm].
        """
        if isinstance(q, JointSample):
            q, v, a, tau = q.q, q.v, q.a, q.tau
        arrays = self._read(q, v, a, tau)
        if arrays is None:
            self.n_missing += 1
            return LearnStatus.MISSING
        features, nominal = self._features(*arrays[:3])
        return self._learn(features, arrays[3] - nominal)

    def predict_torque(self, q: Any, v: Any, a: Any) -> Array:
        """(nv,) nominal torque plus what was learned [Nm]; NaN for bad inputs."""
        arrays = self._read(q, v, a)
        if arrays is None:
            return frozen(np.full(self._model.nv, np.nan))
        features, nominal = self._features(*arrays)
        learned = [
            rls.predict_one(x) for rls, x in zip(self._joints, features, strict=True)
        ]
        return frozen(nominal + np.array(learned))

    def _learn(self, features: Array, residual: Array) -> LearnStatus:
        statuses = [
            rls.learn_one(x, y)
            for rls, x, y in zip(self._joints, features, residual, strict=True)
        ]
        bad = [status for status in statuses if status is not LearnStatus.USED]
        return bad[0] if bad else LearnStatus.USED

    def _innovations(self, features: Array, residual: Array) -> Innovations:
        pairs = list(zip(self._joints, features, strict=True))
        predicted = np.array([rls.predict_one(x) for rls, x in pairs])
        factors = np.array([rls.innovation_factor(x) for rls, x in pairs])
        return Innovations(errors=residual - predicted, factors=factors)

    def _set_forgetting(self, lam: float) -> None:
        for rls in self._joints:
            rls.lam = lam

    def _features(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """(nv, 5) features and (nv,) nominal torque."""
        nominal = pin.rnea(self._model, self._data, q, v, a)
        gravity = pin.computeGeneralizedGravity(self._model, self._data, q)
        features = np.column_stack((a, v, np.sign(v), gravity, np.ones(len(v))))
        return features, nominal

    def _read(self, *values: Any) -> list[Array] | None:
        arrays = [to_array(value) for value in values]
        return arrays if _usable(arrays, self._model.nv) else None


def _usable(arrays: Iterable[Array], size: int) -> bool:
    return all(x.shape == (size,) and np.isfinite(x).all() for x in arrays)
