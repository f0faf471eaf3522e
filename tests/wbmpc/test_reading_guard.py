"""Joint readings that cannot be true: bridged for a while, then the end."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc.plant.reading_guard import MAX_BRIDGED_STEPS, ReadingGuard

NAMES = ("shoulder", "elbow")


@pytest.fixture
def guard() -> ReadingGuard:
    guard = ReadingGuard(NAMES)
    guard.reset(np.array([0.1, 0.2]))
    return guard


def test_good_readings_pass_as_they_are(guard: ReadingGuard) -> None:
    q, v = np.array([0.11, 0.19]), np.array([1.0, -1.0])
    seen = guard.check(q, v)
    assert seen[0] is q
    assert seen[1] is v
    assert guard.counts == {}


@pytest.mark.parametrize(
    ("q", "v"),
    [
        (np.nan, 1.0),
        (np.inf, 1.0),
        (0.2, np.nan),
        (0.2, -np.inf),
        (0.9, 1.0),  # a jump
        (0.2, 500.0),
    ],
)
def test_an_impossible_reading_is_bridged_for_its_joint_only(
    guard: ReadingGuard, q: float, v: float
) -> None:
    guard.check(np.array([0.11, 0.21]), np.array([0.5, 0.6]))
    seen_q, seen_v = guard.check(np.array([0.12, q]), np.array([0.4, v]))
    assert np.array_equal(seen_q, [0.12, 0.21])
    assert np.array_equal(seen_v, [0.4, 0.6])
    assert guard.counts == {"elbow": 1}
    assert guard.fault is None
    # Twice in a row: what is good again is used again.
    for _ in range(2):
        seen_q, _ = guard.check(np.array([0.12, 0.22]), np.zeros(2))
        assert np.array_equal(seen_q, [0.12, 0.22])


def test_twenty_steps_are_bridged_and_no_more(guard: ReadingGuard) -> None:
    lost = np.array([np.nan, 0.2])
    for _ in range(MAX_BRIDGED_STEPS):
        guard.check(lost, np.zeros(2))
    assert guard.fault is None
    q, v = guard.check(lost, np.zeros(2))
    assert guard.fault is not None
    assert "shoulder" in guard.fault
    assert "elbow" not in guard.fault
    assert np.isfinite(q).all()
    assert np.isfinite(v).all()
    guard.reset(np.zeros(2))
    assert guard.fault is None


@pytest.mark.parametrize("blind", ["position", "velocity"])
def test_a_joint_that_moved_on_unread_is_taken_up_again(
    guard: ReadingGuard, blind: str
) -> None:
    """At 8 rad/s it is 0.13 rad further after 16 steps, which is no jump."""
    for step in range(1, 100):
        lost = 40 < step < 56
        q = np.array([0.1 + 8e-3 * step, 0.2])
        v = np.array([8.0, 0.0])
        read = {"position": q.copy(), "velocity": v.copy()}
        if lost:
            read[blind][0] = np.nan
        seen, _ = guard.check(read["position"], read["velocity"])
        assert lost or np.array_equal(seen, q)
    assert guard.fault is None
    assert guard.counts == {"shoulder": 15}


def test_a_joint_that_jumped_stays_refused_however_long(guard: ReadingGuard) -> None:
    for _ in range(MAX_BRIDGED_STEPS + 1):
        seen, _ = guard.check(np.array([0.6, 0.2]), np.array([1.0, 0.0]))
        assert np.array_equal(seen, [0.1, 0.2])
    assert guard.fault is not None
