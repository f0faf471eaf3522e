"""What the guard says about a joint whose readings cannot be true."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc.plant.reading_guard import MAX_BRIDGED_STEPS, ReadingGuard


@pytest.mark.parametrize(
    ("q", "v", "told"),
    [
        (np.nan, 0.0, "ANKLE is no number"),
        (0.0, np.inf, "ANKLE is no number"),
        (0.01, 150.0, "ANKLE is faster than 100 rad/s"),
        (3.0, 0.0, "ANKLE jumps by more than 0.1 rad a step"),
    ],
)
def test_the_cause_is_that_of_the_reading(q: float, v: float, told: str) -> None:
    guard = ReadingGuard(("HIP", "ANKLE"))
    for _ in range(MAX_BRIDGED_STEPS + 1):
        assert guard.fault is None
        guard.check(np.array([0.0, q]), np.array([0.0, v]))
    assert guard.fault is not None
    assert told in guard.fault and "HIP" not in guard.fault
