"""The policy for missed deadlines, against a clock and a low level that are real."""

from __future__ import annotations

import numpy as np

from wbmpc.control.low_level import MAX_PLAN_AGE_S, LowLevelController, LowLevelMode
from wbmpc.control.plan import Plan
from wbmpc.realtime import (
    MAX_MISSES_IN_A_ROW,
    DeadlineClock,
    DeadlineMonitor,
    now_ns,
    sleep_until,
)
from wbmpc.robot import Robot


def test_misses_in_a_row_stop_and_one_kept_deadline_forgives() -> None:
    monitor = DeadlineMonitor()
    for _ in range(MAX_MISSES_IN_A_ROW - 1):
        monitor.add(1)
    assert not monitor.must_stop
    monitor.add(0)
    assert monitor.in_a_row == 0
    monitor.add(MAX_MISSES_IN_A_ROW - 1)
    assert not monitor.must_stop
    monitor.add(1)
    assert monitor.must_stop
    assert monitor.longest_row == MAX_MISSES_IN_A_ROW
    assert monitor.kept == 1
    assert monitor.missed == 2 * MAX_MISSES_IN_A_ROW - 1


def test_a_solver_that_is_always_late_is_given_up() -> None:
    """2.5 periods per solve: each costs its own deadline and those it runs over."""
    period_s, solves = 2e-3, 0
    clock, monitor = DeadlineClock(period_s, now_ns()), DeadlineMonitor()
    while not monitor.must_stop:
        clock.wait()
        sleep_until(now_ns() + round(2.5 * period_s * 1e9))
        monitor.add(clock.end_cycle())
        solves += 1
    assert solves <= 1 + MAX_MISSES_IN_A_ROW // 3
    assert monitor.kept == 0


def standing_plan(robot: Robot, time_s: float) -> Plan:
    nodes, model = 30, robot.model
    return Plan(
        time_s=time_s,
        node_dt_s=0.02,
        q=np.tile(robot.home_q, (nodes + 1, 1)),
        v=np.zeros((nodes + 1, model.nv)),
        tau_Nm=np.full((nodes, model.nv - 6), 1.0),
        cost=0.0,
    )


def mode_at(low_level: LowLevelController, robot: Robot, time_s: float) -> LowLevelMode:
    still = np.zeros(robot.full_model.nv)
    return low_level.command(time_s, robot.home_q_full, still).mode


def test_the_old_plan_serves_50_ms_then_the_joints_are_held(robot: Robot) -> None:
    low_level = LowLevelController(robot)
    low_level.follow(standing_plan(robot, 1.0))
    for age_s in (0.0, 0.011, MAX_PLAN_AGE_S - 1e-6):
        assert mode_at(low_level, robot, 1.0 + age_s) is LowLevelMode.TRACK
    assert mode_at(low_level, robot, 1.0 + MAX_PLAN_AGE_S + 1e-3) is LowLevelMode.HOLD
    low_level.follow(standing_plan(robot, 1.06))
    assert mode_at(low_level, robot, 1.06) is LowLevelMode.TRACK


def test_a_plan_for_later_does_not_replace_the_one_in_force(robot: Robot) -> None:
    low_level = LowLevelController(robot)
    first, later = standing_plan(robot, 0.0), standing_plan(robot, 0.01)
    still = np.zeros(robot.full_model.nv)
    low_level.follow(first)
    before = low_level.command(0.005, robot.home_q_full, still).tau_Nm
    later.tau_Nm[:] = 5.0
    low_level.follow(later)
    unchanged = low_level.command(0.009, robot.home_q_full, still).tau_Nm
    np.testing.assert_array_equal(unchanged, before)
    after = low_level.command(0.010, robot.home_q_full, still).tau_Nm
    assert np.abs(after - before).max() == 4.0
