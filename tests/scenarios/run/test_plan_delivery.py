"""When a plan reaches the low level: at once, a tick later, or for a later instant."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc.control.loop import ControlLoop
from wbmpc.control.plan import Plan
from wbmpc.plant.interface import Measurement
from wbmpc.reference import home_reference
from wbmpc.robot import Robot


def delivered(robot: Robot, ticks: int, **options: int) -> list[float]:
    """Times of the plans that reached the low level after some ticks."""
    plans: list[Plan] = []
    control = ControlLoop(robot, None, deliver=plans.append, **options)
    plans.clear()  # the plan for standing, before the first tick
    for k in range(ticks):
        measured = Measurement(
            time_s=0.01 * k,
            q=robot.home_q_full,
            v=np.zeros(robot.full_model.nv),
            tau_Nm=np.zeros(len(robot.joint_names)),
        )
        control.tick(measured, home_reference(robot))
    return [round(plan.time_s, 6) for plan in plans]


@pytest.mark.parametrize(
    ("overrides", "options", "times"),
    [
        ((), {}, [0.0, 0.01, 0.02]),
        (("mpc.delay_ticks=1",), {}, [0.0, 0.01]),
        ((), {"plan_delay_ticks": 1}, [0.0, 0.01]),
        (("mpc.delay_ticks=1",), {"plan_delay_ticks": 1}, [0.0]),
        (("mpc.realtime_iteration=true",), {}, [0.01, 0.02, 0.03]),
    ],
)
def test_delivery(
    overrides: tuple[str, ...], options: dict[str, int], times: list[float]
) -> None:
    robot = Robot.load("alexander", overrides)
    assert delivered(robot, 3, **options) == times


def test_every_stage_of_a_tick_is_timed() -> None:
    robot = Robot.load("alexander")
    control = ControlLoop(robot, None)
    measured = Measurement(
        time_s=0.0,
        q=robot.home_q_full,
        v=np.zeros(robot.full_model.nv),
        tau_Nm=np.zeros(len(robot.joint_names)),
    )
    timing = control.tick(measured, home_reference(robot)).timing_ms
    assert {"estimator", "mpc", "tick"} <= set(timing)
    assert timing["tick"] == pytest.approx(timing["estimator"] + timing["mpc"])
