"""Rate limiter: consistency at every step, limits kept, target reached."""

import numpy as np
import pytest
from ekf_robots import random_consistent

from ekf import ConsistentRateLimiter
from ekf.errors import InconsistentInertiaError, InvalidSettingError
from ekf.inertia.pseudo_inertia import is_consistent

RATES = {
    "max_mass_rate_kg_per_s": 5.0,
    "max_moment_rate_kgm_per_s": 1.0,
    "max_inertia_rate_kgm2_per_s": 0.5,
}
PARTS = (slice(0, 1), slice(1, 4), slice(4, 10))


def test_every_step_between_consistent_ends_is_consistent_and_within_limits(rng):
    for _ in range(50):
        start, target = random_consistent(rng), random_consistent(rng)
        limiter = ConsistentRateLimiter(start, **RATES)
        before = start
        for _ in range(10):
            after = limiter.step(target, 0.02)
            assert is_consistent(after)
            for part, rate in zip(PARTS, RATES.values(), strict=True):
                change = np.linalg.norm((after - before)[part])
                assert change <= rate * 0.02 * (1 + 1e-9)
            before = after


def test_ten_separate_limiters_would_leave_the_consistent_set(rng):
    """The reason for the single scalar: the test above can fail."""
    broken = 0
    for _ in range(50):
        start, target = random_consistent(rng), random_consistent(rng)
        step = np.clip(target - start, -0.1, 0.1)
        broken += not is_consistent(start + step)
    assert broken > 0


def test_target_is_reached_exactly_and_kept(rng):
    start, target = random_consistent(rng), random_consistent(rng)
    limiter = ConsistentRateLimiter(start, **RATES)
    for _ in range(2000):
        limiter.step(target, 0.02)
    assert np.array_equal(limiter.published, target)


def test_moves_along_the_straight_line(rng):
    start, target = random_consistent(rng), random_consistent(rng)
    change = ConsistentRateLimiter(start, **RATES).step(target, 1e-3) - start
    progress = change / (target - start)
    assert np.allclose(progress, progress[0])
    assert 0.0 < progress[0] < 1.0


def test_links_move_independently(rng):
    start = np.stack([random_consistent(rng) for _ in range(2)])
    target = start.copy()
    target[0] = random_consistent(rng)
    after = ConsistentRateLimiter(start, **RATES).step(target, 1e-3)
    assert np.array_equal(after[1], start[1])
    alone = ConsistentRateLimiter(start[0], **RATES).step(target[0], 1e-3)
    assert np.array_equal(after[0], alone)


@pytest.mark.parametrize(
    ("index", "field"), list(enumerate(RATES)), ids=["mass", "moment", "inertia"]
)
def test_each_rate_limits_its_own_part(rng, index, field):
    start, target = random_consistent(rng), random_consistent(rng)
    rates = dict.fromkeys(RATES, 1e6) | {field: 1e-2}
    after = ConsistentRateLimiter(start, **rates).step(target, 0.01)
    moved = np.linalg.norm((after - start)[PARTS[index]])
    assert moved == pytest.approx(1e-4)


@pytest.mark.parametrize(
    ("target", "dt_s"),
    [
        (np.full(10, np.nan), 0.01),
        (np.zeros(10), 0.01),
        (np.ones(9), 0.01),
        ("no", 0.01),
        (None, -0.01),
        (None, np.nan),
    ],
)
def test_unusable_target_changes_nothing_and_is_counted(rng, target, dt_s):
    start = random_consistent(rng)
    limiter = ConsistentRateLimiter(start)
    good = random_consistent(rng)
    assert np.array_equal(limiter.step(good if target is None else target, dt_s), start)
    assert limiter.refused == 1


def test_reset(rng):
    start = random_consistent(rng)
    limiter = ConsistentRateLimiter(start)
    limiter.step(random_consistent(rng), 1.0)
    assert np.array_equal(limiter.reset(), start)


def test_construction_errors(rng):
    with pytest.raises(InconsistentInertiaError, match="initial_parameters"):
        ConsistentRateLimiter(np.zeros(10))
    for field in RATES:
        with pytest.raises(InvalidSettingError, match=field.split("_kg")[0]):
            ConsistentRateLimiter(random_consistent(rng), **{field: 0.0})
