"""The one interface of the streaming estimators, and running one over a log."""

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from ekf.arrays import Array


class LearnStatus(Enum):
    """Outcome of a sample. A sample that was not used changes no estimate."""

    USED = "used"
    """The state was updated."""
    FIRST = "first"
    """The first sample: there is no difference of velocities yet."""
    TIME_STEP = "time_step"
    """Time did not advance."""
    MISSING = "missing"
    """A channel is missing, misshapen, NaN or infinite. Counted in ``n_missing``."""
    GAP = "gap"
    """The gap before it was too long: differences start again from this sample."""
    UNEXCITED = "unexcited"
    """The regressor is too small to tell anything."""
    NUMERICAL = "numerical"
    """The update would not have been finite."""
    COVARIANCE = "covariance"
    """The covariance was not positive any more; it returned to that of the start."""


@runtime_checkable
class PayloadEstimator(Protocol):
    """A streaming estimate of what a link carries beyond its nominal inertia.

    ``payload_parameters`` are (10,) in Pinocchio's order about the joint frame of the
    link, so that nominal plus payload is what a controller may write into its model;
    ``state`` and ``covariance`` are the estimator's own coordinates.
    """

    @property
    def state(self) -> Array:
        """(n,) estimated coordinates."""
        ...

    @property
    def covariance(self) -> Array:
        """(n, n) covariance of the state."""
        ...

    @property
    def payload_parameters(self) -> Array:
        """(10,) payload in Pinocchio's order, about the link's joint frame."""
        ...

    @property
    def sigma_mass_kg(self) -> float:
        """Standard deviation of the payload mass."""
        ...

    @property
    def counts(self) -> Mapping[LearnStatus, int]:
        """Number of samples by outcome, since construction or `reset`."""
        ...

    def learn_one(self, sample: Any) -> LearnStatus:
        """Take one sample in any form `SampleReader` reads."""
        ...

    def predict_one(self) -> float:
        """Payload mass [kg], never negative."""
        ...

    def reset(self) -> None:
        """Return to the start."""
        ...


class CountsSamples:
    """Base of the streaming estimators: counts by status, from the last reset on."""

    def _restart_counts(self) -> None:
        self._counts: Counter[LearnStatus] = Counter()

    def _count(self, status: LearnStatus) -> LearnStatus:
        self._counts[status] += 1
        return status

    @property
    def counts(self) -> Mapping[LearnStatus, int]:
        """Number of samples by outcome, since construction or `reset`."""
        return dict(self._counts)

    @property
    def n_missing(self) -> int:
        """Samples with a missing or non-finite channel."""
        return self._counts[LearnStatus.MISSING]


class Learner(Protocol):
    """Anything that learns from one sample at a time."""

    def learn_one(self, sample: Any, /) -> LearnStatus:
        """Take one sample."""
        ...


def learn_many(estimator: Learner, samples: Iterable[Any]) -> dict[LearnStatus, int]:
    """Feed a log (or any iterable of samples) and count the outcomes."""
    counts: dict[LearnStatus, int] = {}
    for sample in samples:
        status = estimator.learn_one(sample)
        counts[status] = counts.get(status, 0) + 1
    return counts
