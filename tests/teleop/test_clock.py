"""The headset's clock is not trusted."""

from __future__ import annotations

import numpy as np
import pytest

from teleop.clock import JUMP_PERSISTS_S, ClockEstimator

RATE_HZ = 72.0


def stream(
    clock: ClockEstimator,
    rng: np.random.Generator,
    times_s: np.ndarray,
    *,
    ahead_s: float,
    drift_ppm: float = 0.0,
    jitter_s: float = 0.02,
    delay_s: float = 0.002,
) -> np.ndarray:
    """Errors of the stamps of frames measured at times of the server's clock."""
    errors = []
    for time_s in times_s:
        client_s = time_s * (1.0 + 1e-6 * drift_ppm) + ahead_s
        received_s = time_s + delay_s + jitter_s * rng.random()
        errors.append(clock.stamp(client_s, received_s) - time_s)
    return np.array(errors)


@pytest.mark.parametrize("ahead_s", [5.0, -5.0, 1e6])
@pytest.mark.parametrize("drift_ppm", [75.0, -75.0])
def test_offset_drift_and_jitter_for_twenty_minutes(
    ahead_s: float, drift_ppm: float
) -> None:
    rng, clock = np.random.default_rng(1), ClockEstimator()
    times = 50.0 + np.arange(0.0, 1200.0, 1.0 / 20.0)
    errors = stream(clock, rng, times, ahead_s=ahead_s, drift_ppm=drift_ppm)
    assert np.abs(errors[times > 55.0]).max() <= 0.010
    assert clock.jumps == 0
    assert clock.drift_ppm == pytest.approx(-drift_ppm, abs=25.0)


def test_stamps_are_never_in_the_future() -> None:
    rng, clock = np.random.default_rng(2), ClockEstimator()
    for time_s in np.arange(0.0, 5.0, 1.0 / RATE_HZ):
        received_s = time_s + 0.05 * rng.random()
        assert clock.stamp(time_s + 7.0, received_s) <= received_s


@pytest.mark.parametrize("set_by_s", [1.0, -1.0])
def test_a_clock_that_is_set_is_noticed_and_estimated_anew(set_by_s: float) -> None:
    rng, clock = np.random.default_rng(3), ClockEstimator()
    before, after = (
        np.arange(0.0, 10.0, 1 / RATE_HZ),
        np.arange(10.0, 20.0, 1 / RATE_HZ),
    )
    stream(clock, rng, before, ahead_s=5.0)
    errors = stream(clock, rng, after, ahead_s=5.0 + set_by_s)
    assert clock.jumps == 1
    assert np.abs(errors[after > 10.0 + JUMP_PERSISTS_S + 5.0]).max() <= 0.010


def test_until_then_frames_of_a_clock_set_back_count_as_old_ones() -> None:
    """The safe mistake: what is old is not acted on."""
    rng, clock = np.random.default_rng(4), ClockEstimator()
    stream(clock, rng, np.arange(0.0, 5.0, 1 / RATE_HZ), ahead_s=0.0)
    soon = np.arange(5.0, 5.5, 1 / RATE_HZ)
    errors = stream(clock, rng, soon, ahead_s=-1.0)
    assert (errors < -0.9).all()


def test_one_frame_that_was_stuck_in_the_network_changes_nothing() -> None:
    rng, clock = np.random.default_rng(5), ClockEstimator()
    times = np.arange(0.0, 5.0, 1 / RATE_HZ)
    stream(clock, rng, times, ahead_s=2.0)
    late = clock.stamp(5.0 + 2.0, 6.5)
    assert late == pytest.approx(5.0, abs=0.01)
    assert clock.jumps == 0
