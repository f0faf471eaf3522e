"""A residual learner that forgets faster after a change."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

import pinocchio as pin

from ekf.arrays import Array
from ekf.errors import InvalidSettingError
from ekf.learning.drift.cusum import CusumDetector
from ekf.learning.drift.hampel import HampelDetector
from ekf.learning.drift.innovation import InnovationDetector
from ekf.learning.residual_learner import Innovations, ResidualDynamicsLearner
from ekf.payload.least_squares import require_forgetting
from ekf.streaming import LearnStatus


class Trigger(Protocol):
    """Decides from the errors of a sample whether the robot has changed."""

    def __call__(self, innovations: Innovations) -> bool:
        """Take the innovations of one sample; True on a change."""
        ...


class DriftAwareResidualDynamicsLearner(ResidualDynamicsLearner):
    """`ResidualDynamicsLearner` that lowers its forgetting factor when a trigger fires.

    The trigger sees every joint's prediction error before the sample is learned. When
    it fires, all joints forget with ``fast_lam`` for the ``warmup_steps`` samples that
    follow, then with ``lam`` again.

    ``trigger`` is one of `TRIGGERS` by name, or a function that makes one from the
    number of joints. ``"hampel"`` and ``"cusum"`` judge the raw errors of each joint,
    which a filter that is still converging, or whose features miss part of the
    dynamics, produces without any change; ``"innovation"`` judges normalised ones.
    Settings of a trigger that is not in use have no effect on the learner.
    """

    def __init__(
        self,
        model: pin.Model,
        lam: float = 0.99,
        delta: float = 1e6,
        fast_lam: float = 0.9,
        warmup_steps: int = 20,
        drift_radius: int = 10,
        drift_ref_mult: int = 3,
        drift_k: float = 0.5,
        drift_h: float = 20.0,
        drift_two_sided: bool = True,
        drift_reference: str = "adaptive",
        detector_warmup: int = 0,
        trigger: str | Callable[[int], Trigger] = "hampel",
        hampel_radius: int = 20,
        hampel_n_sigmas: float = 3.0,
    ) -> None:
        """Start with the nominal model alone.

        Args:
            model: Fixed-base robot; copied, never changed.
            lam: Forgetting factor in (0, 1].
            delta: Initial covariance scale.
            fast_lam: Forgetting factor after a change.
            warmup_steps: Samples during which ``fast_lam`` is used.
            drift_radius: With ``drift_ref_mult``, length of the window of
                `CusumDetector`.
            drift_ref_mult: Factor on ``drift_radius``.
            drift_k: Slack of `CusumDetector` in scaled MADs.
            drift_h: Threshold of `CusumDetector` in scaled MADs.
            drift_two_sided: Whether downward shifts count for `CusumDetector` too.
            drift_reference: ``"adaptive"`` or ``"fixed"`` reference window.
            detector_warmup: Initial samples that the trigger does not see.
            trigger: Name or maker of the trigger.
            hampel_radius: Half of the window of `HampelDetector`.
            hampel_n_sigmas: Threshold of `HampelDetector` in scaled MADs.

        Raises:
            InvalidSettingError: If a value breaks its rule.
        """
        super().__init__(model, lam, delta)
        self._slow, self._fast = lam, require_forgetting(fast_lam)
        if drift_reference not in ("adaptive", "fixed"):
            rule = "must be 'adaptive' or 'fixed'"
            raise InvalidSettingError("drift_reference", drift_reference, rule)
        self._warmup_steps, self._detector_warmup = warmup_steps, detector_warmup
        hampel = partial(HampelDetector, hampel_radius, hampel_n_sigmas)
        cusum = partial(
            CusumDetector,
            drift_radius,
            drift_ref_mult,
            drift_k,
            drift_h,
            two_sided=drift_two_sided,
            adaptive=drift_reference == "adaptive",
        )
        self._make = _maker(trigger, hampel, cusum)
        self.reset()

    def reset(self) -> None:
        """Forget what was learned and what the trigger saw."""
        super().reset()
        self._trigger = self._make(self._model.nv)
        self._seen = self._countdown = 0
        self._events: list[int] = []
        self._set_forgetting(self._slow)

    @property
    def events(self) -> tuple[int, ...]:
        """Indices of the learned samples, from 0, at which the trigger fired."""
        return tuple(self._events)

    def _learn(self, features: Array, residual: Array) -> LearnStatus:
        fired = False
        if self._seen >= self._detector_warmup:
            fired = self._trigger(self._innovations(features, residual))
        status = super()._learn(features, residual)
        if fired:
            self._events.append(self._seen)
            self._countdown = self._warmup_steps
        self._set_forgetting(self._fast if self._countdown > 0 else self._slow)
        self._countdown = max(0, self._countdown - 1)
        self._seen += 1
        return status


class _ScalarDetector(Protocol):
    def update(self, value: float) -> bool: ...


def _maker(
    trigger: str | Callable[[int], Trigger],
    hampel: Callable[[], _ScalarDetector],
    cusum: Callable[[], _ScalarDetector],
) -> Callable[[int], Trigger]:
    """Maker of a trigger by its name, or the one that was given."""
    makers: dict[str, Callable[[int], Trigger]] = {
        "hampel": _any_joint(hampel),
        "cusum": _any_joint(cusum),
        "innovation": InnovationTrigger,
    }
    if not isinstance(trigger, str):
        return trigger
    if trigger not in makers:
        rule = f"must be one of {', '.join(makers)} or a function"
        raise InvalidSettingError("trigger", trigger, rule)
    return makers[trigger]


def _any_joint(make: Callable[[], _ScalarDetector]) -> Callable[[int], Trigger]:
    """Maker of a trigger that fires when the detector of any joint does."""

    def trigger(n: int) -> Trigger:
        detectors = [make() for _ in range(n)]

        def fires(innovations: Innovations) -> bool:
            pairs = zip(detectors, innovations.errors, strict=True)
            # A list, not a generator: every detector must see its error.
            return any([detector.update(float(error)) for detector, error in pairs])

        return fires

    return trigger


class InnovationTrigger:
    """`InnovationDetector` on all joints together."""

    def __init__(self, n: int, **settings: float) -> None:
        """Make a detector of ``n`` innovations with the given settings."""
        self.detector = InnovationDetector(n, **settings)  # type: ignore[arg-type]

    def __call__(self, innovations: Innovations) -> bool:
        """Take the innovations of one sample; True on a change."""
        return self.detector.update(innovations.errors, innovations.factors)
