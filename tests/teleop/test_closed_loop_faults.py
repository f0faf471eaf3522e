"""What the simulated robot does (and does not do) when something fails.

Headset, operator's side and robot in one clock: the same code as in real time, without
sockets, so that every run is the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from teleop_bench import TICK_S, Bench

from scenarios.library.run_settings import run_settings
from scenarios.records.record import RunRecord
from scenarios.run.runner import run
from teleop.messages import Pose
from wbmpc.reference import Reference
from wbmpc.robot import Robot

ENGAGE_S = 0.7
MOVE_S = 1.0
FAULTS_S = (1.5, 3.5)
"""Twice in a row; the operator engages again in between."""
END_S = 5.0


class OperatedRobot:
    """References from a bench that runs along with the robot's time."""

    def __init__(self, bench: Bench, act: Callable[[float], None]) -> None:
        self._bench, self._act, self._ticks = bench, act, 0

    def at(self, time_s: float) -> Reference:
        while self._ticks * TICK_S <= time_s + 1e-9:
            self._act(self._ticks * TICK_S)
            self._bench.run(TICK_S)
            self._ticks += 1
        return self._bench.reference


def operate(fault: Callable[[Bench, bool], None]) -> tuple[RunRecord, Bench]:
    """Run with the left hand moving, and a fault switched on for 0.9 s, twice."""
    bench = Bench(Robot.load("alexander"))
    left = bench.headset.hands["left"]
    home = left.position_m.copy()

    def act(time_s: float) -> None:
        since = [time_s - at for at in FAULTS_S]
        broken = any(0.0 <= s < 0.9 for s in since)
        apart = any(0.9 <= s < 1.6 for s in since)
        bench.squeeze(float(time_s >= ENGAGE_S and not apart))
        lift = 0.08 * np.sin(2.0 * np.pi * max(0.0, time_s - MOVE_S))
        left.position_m = home + [0.0, 0.0, lift]
        fault(bench, broken)

    settings = run_settings("standing", duration_s=END_S, payload_kg=0.0, at_s=0.0)
    return run(settings, references=OperatedRobot(bench, act)), bench


def lose_hand(bench: Bench, broken: bool) -> None:
    bench.headset.hands["left"].present = not broken


def jump(bench: Bench, broken: bool) -> None:
    if broken:
        bench.headset.hands["left"].position_m += [0.0, 0.3, 0.4]


def not_a_number(bench: Bench, broken: bool) -> None:
    bad = Pose(p=(float("nan"), 1.0, 0.0), q=(0.0, 0.0, 0.0, 1.0))
    bench.headset.hands["left"].pose = bad if broken else None


def silence(bench: Bench, broken: bool) -> None:
    bench.filtered = (lambda frame: []) if broken else (lambda frame: [frame])  # noqa: ARG005


def cut_stream(bench: Bench, broken: bool) -> None:
    bench.wire.is_cut = broken


def stopped_s(record: RunRecord, at_s: float) -> float:
    """Time after which the left tip stays within 2 mm of where it comes to rest."""
    tip, time_s = record.tips["left"].torso_m, record.time_s
    rest = tip[(time_s >= at_s + 0.6) & (time_s < at_s + 0.9)].mean(axis=0)
    during = (time_s >= at_s) & (time_s < at_s + 0.9)
    away = np.linalg.norm(tip[during] - rest, axis=1) > 2e-3
    return float((time_s[during] - at_s)[away].max(initial=0.0))


@pytest.mark.slow
@pytest.mark.parametrize("fault", [lose_hand, jump, not_a_number, silence, cut_stream])
def test_the_robot_holds_still_and_stands(fault: Callable) -> None:
    record, bench = operate(fault)
    assert not record.fell and set(record.status) <= {"USABLE", "CONVERGED", "STALLED"}
    tip, time_s = record.tips["left"].torso_m, record.time_s
    for at_s in FAULTS_S:
        # Held after 0.2 s, and half a second to come to rest.
        still = (time_s >= at_s + 0.6) & (time_s < at_s + 0.9)
        drift_m = float(np.linalg.norm(np.ptp(tip[still], axis=0)))
        print(f"{fault.__name__}: stops in {stopped_s(record, at_s):.2f} s, ", end="")
        print(f"drifts {1e3 * drift_m:.1f} mm")
        assert drift_m < 2e-3 and stopped_s(record, at_s) < 0.5
        before = (time_s >= at_s - 0.4) & (time_s < at_s)
        assert np.ptp(tip[before], axis=0).max() > 0.02
    jumps = np.linalg.norm(np.diff(tip, axis=0), axis=1)
    assert jumps.max() < 0.02
    right = record.tips["right"].torso_m
    assert np.ptp(right[time_s > 1.0], axis=0).max() < 0.02
    assert all(reference.is_finite() for reference in bench.references)
