"""What became of the samples an estimator was given."""

from collections import Counter
from collections.abc import Mapping

from ekf.streaming import LearnStatus


class CountsSamples:
    """Base of the streaming estimators: counts by status, from the last reset on."""

    def _restart_counts(self) -> None:
        self._counts: Counter[LearnStatus] = Counter()

    def _count(self, status: LearnStatus) -> LearnStatus:
        self._counts[status] += 1
        return status

    @property
    def counts(self) -> Mapping[LearnStatus, int]:
        """What became of the samples."""
        return dict(self._counts)

    @property
    def n_missing(self) -> int:
        """Samples with a missing or non-finite channel."""
        return self._counts[LearnStatus.MISSING]
