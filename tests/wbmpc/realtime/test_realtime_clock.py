"""Deadlines are absolute: lateness does not add up, what is missed is counted."""

from __future__ import annotations

import time

import pytest

from wbmpc.realtime import clock as clock_module
from wbmpc.realtime.clock import NS, DeadlineClock, now_ns, sleep_until

PERIOD_S = 0.01


@pytest.fixture
def clock() -> DeadlineClock:
    return DeadlineClock(PERIOD_S, now_ns())


def test_sleep_ends_after_the_instant_never_before() -> None:
    for delay_ns in (0, 100_000, 2_000_000):
        deadline_ns = now_ns() + delay_ns
        sleep_until(deadline_ns)
        assert now_ns() >= deadline_ns


def test_without_the_system_call_the_sleep_is_still_absolute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock_module, "_clock_nanosleep", None)
    deadline_ns = now_ns() + 2_000_000
    sleep_until(deadline_ns)
    assert now_ns() >= deadline_ns


def test_work_in_a_cycle_does_not_move_the_next_one(clock: DeadlineClock) -> None:
    start_ns = clock.deadline_ns
    for k in range(4):
        assert clock.wait() >= 0.0
        assert clock.index == k
        time.sleep(0.3 * PERIOD_S)
        assert clock.deadline_ns == start_ns + (k + 1) * clock.period_ns


def test_a_late_cycle_loses_the_instants_it_ran_over(clock: DeadlineClock) -> None:
    start_ns = clock.deadline_ns
    clock.wait()
    sleep_until(start_ns + round(2.5 * PERIOD_S * NS))
    missed = clock.end_cycle()
    # Its own deadline, and those of the instants 1 and 2 (more on a loaded machine).
    assert missed >= 3
    assert clock.index == missed - 1
    clock.wait()
    assert clock.index == missed
    assert now_ns() >= start_ns + missed * clock.period_ns


def test_a_cycle_a_little_late_loses_no_instant() -> None:
    start_ns = now_ns()
    clock = DeadlineClock(1.0, start_ns - round(1.05 * NS))  # 50 ms over
    clock.wait()
    assert clock.end_cycle() == 1
    assert clock.index == 0
    assert clock.left_ns() < 0
    assert 0.04 < clock.wait() < 0.9


def test_a_cycle_in_time_misses_nothing() -> None:
    slow = DeadlineClock(10.0, now_ns())
    slow.wait()
    assert slow.end_cycle() == 0


def test_whoever_does_not_end_cycles_catches_up(clock: DeadlineClock) -> None:
    start_ns = clock.deadline_ns
    sleep_until(start_ns + round(3.5 * PERIOD_S * NS))
    lateness = [clock.wait() for _ in range(4)]
    assert [clock.index, len(lateness)] == [3, 4]
    assert lateness[0] >= 3.5 * PERIOD_S
    assert lateness[0] > lateness[-1]
