"""Recursive least squares on named features."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ekf.arrays import Array, frozen, require_positive
from ekf.covariance import is_covariance
from ekf.errors import InvalidSettingError
from ekf.faults import to_array, to_float
from ekf.payload.covariance_limit import limit_covariance
from ekf.payload.least_squares import require_forgetting
from ekf.streaming import LearnStatus

_GROWTH = 1e6
"""Directions never excited may grow to this many times ``delta``, not to infinity."""


class RecursiveLeastSquares:
    r"""Weights that minimise :math:`\sum_i \lambda^{n-i} (y_i - x_i^T w)^2`.

    .. math::
        K = \frac{P x}{\lambda + x^T P x}, \quad
        w \leftarrow w + K (y - x^T w), \quad
        P \leftarrow \frac{P - K x^T P}{\lambda}

    from :math:`P_0 = \delta I`, :math:`w_0 = 0`; P is symmetrised after every step.
    With :math:`\lambda = 1` and a large :math:`\delta` this is batch least squares.
    The covariance is computed in the equivalent Joseph form,
    :math:`(I - K x^T) P (I - K x^T)^T + \lambda K K^T`, which cannot lose its
    positivity to rounding, and bounded along directions that are never excited, where
    the recursion alone grows without end.

    The payload estimators have a recursion of their own, `ForgettingLeastSquares`, for
    several rows per sample. Here there is one, and features may be so nearly collinear
    that another order of the same operations gives visibly other weights.

    Source: Ljung & Soderstrom 1983, Theory and Practice of Recursive Identification.
    """

    _w: Array
    _p: Array
    _identity: Array
    _largest: Array

    def __init__(
        self,
        lam: float = 1.0,
        delta: float = 1e6,
        feature_keys: Sequence[str] | None = None,
    ) -> None:
        """Start without knowledge.

        Args:
            lam: Forgetting factor in (0, 1]; memory is about ``1 / (1 - lam)`` samples.
            delta: Initial covariance scale.
            feature_keys: Names and order of the features; by default the sorted keys of
                the first dictionary seen. Arrays need no names.

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        self.lam = lam
        self._delta = require_positive("delta", delta)
        keys = None if feature_keys is None else tuple(feature_keys)
        if keys is not None and len(set(keys)) != len(keys):
            raise InvalidSettingError("feature_keys", feature_keys, "must be distinct")
        self._given_keys = keys
        self.n_missing = 0
        self.reset()

    @property
    def lam(self) -> float:
        """Forgetting factor; may be changed between samples."""
        return self._lam

    @lam.setter
    def lam(self, value: float) -> None:
        self._lam = require_forgetting(value)

    @property
    def state(self) -> Array:
        """(n,) weights; empty before the first sample."""
        return frozen(self._w)

    @property
    def covariance(self) -> Array:
        """(n, n) matrix P, in units of the noise variance."""
        return frozen(self._p)

    @property
    def feature_keys(self) -> tuple[str, ...] | None:
        """Order of the named features; None while it is unknown."""
        return self._keys

    def reset(self) -> None:
        """Forget everything but the settings."""
        self._keys = self._given_keys
        self._start(0 if self._keys is None else len(self._keys))

    def learn_one(self, features: Any, target: Any) -> LearnStatus:
        """Update with one sample. Never raises on data.

        A sample with a missing or non-finite feature or target is counted in
        `n_missing` and changes nothing.

        Args:
            features: (n,) array, or a mapping of feature names to numbers.
            target: The number to be predicted.
        """
        x, y = self._vector(features, learning=True), to_float(target)
        if x is None or not np.isfinite(y):
            self.n_missing += 1
            return LearnStatus.MISSING
        with np.errstate(over="ignore", invalid="ignore"):
            return self._update(x, y)

    def predict_one(self, features: Any) -> float:
        """Prediction :math:`x^T w`; 0 before the first sample, NaN for bad features."""
        x = self._vector(features, learning=False)
        if x is None:
            return float("nan")
        return float(x @ self._w) if len(self._w) else 0.0

    def innovation_factor(self, features: Any) -> float:
        r"""Innovation variance over noise variance, :math:`1 + x^T P x`."""
        x = self._vector(features, learning=False)
        if x is None:
            return float("nan")
        if not len(self._w):
            return 1.0 + self._delta * float(x @ x)
        return 1.0 + float(x @ self._p @ x)

    def _update(self, x: Array, y: float) -> LearnStatus:
        if not len(self._w):
            self._start(len(x))
        if not is_covariance(self._p):
            self._reset_covariance()
            return LearnStatus.COVARIANCE
        px = self._p @ x
        gain = px / (self._lam + x @ px)
        w = self._w + gain * (y - x @ self._w)
        keep = self._identity - gain[:, None] * x
        p = (keep @ self._p @ keep.T) / self._lam + gain[:, None] * gain
        p = limit_covariance(0.5 * (p + p.T), self._largest)
        if not (np.isfinite(w).all() and np.isfinite(p).all()):
            return LearnStatus.NUMERICAL
        self._w, self._p = w, p
        return LearnStatus.USED

    def _start(self, size: int) -> None:
        self._w = np.zeros(size)
        self._identity = np.eye(size)
        self._reset_covariance()
        self._largest = np.full(size, _GROWTH * self._delta)

    def _reset_covariance(self) -> None:
        self._p = self._delta * self._identity

    def _vector(self, features: Any, *, learning: bool) -> Array | None:
        if isinstance(features, Mapping):
            keys = tuple(sorted(features)) if self._keys is None else self._keys
            try:
                x = to_array([features[key] for key in keys])
            except KeyError:
                return None
        else:
            keys, x = None, to_array(features)
        size = len(self._w)
        if x.ndim != 1 or not len(x) or (size and len(x) != size):
            return None
        if not np.isfinite(x).all():
            return None
        if learning and keys is not None:
            self._keys = keys
        return x
