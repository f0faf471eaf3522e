"""Bisection of the tip-over load."""

from __future__ import annotations

import pytest
from sample_records import make_record

from scenarios.library.run_settings import run_settings
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from scenarios.studies.paper.tipping import MAX_TOTAL_KG, find_tipping_load
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _world(robot: Robot, tips_at_kg: float, tried: list[float]):
    def run(settings: RunSettings) -> RunRecord:
        total = settings.payload_kg * (2 if settings.arm == "both" else 1)
        tried.append(total)
        return make_record(
            robot,
            duration_s=4.0,
            payload_kg=settings.payload_kg,
            fell=total >= tips_at_kg,
        )

    return run


@pytest.mark.parametrize("tips_at_kg", [9.3, 22.0, 0.6])
def test_interval_around_the_true_load(robot: Robot, tips_at_kg: float) -> None:
    tried: list[float] = []
    found = find_tipping_load(
        run_settings("balance"), _world(robot, tips_at_kg, tried), tolerance_kg=0.5
    )
    assert found.falls_kg is not None
    assert found.falls_kg - 0.5 <= tips_at_kg <= found.falls_kg
    assert (found.stands_kg or 0.0) == pytest.approx(found.falls_kg - 0.5)
    assert len(tried) == len(set(tried)) <= 8
    assert [t.load_total_kg for t in found.trials] == sorted(tried)


def test_robot_that_never_or_always_falls(robot: Robot) -> None:
    never = find_tipping_load(run_settings("balance"), _world(robot, 1e3, []))
    assert never.falls_kg is None
    assert never.stands_kg == pytest.approx(MAX_TOTAL_KG - 0.5)
    always = find_tipping_load(run_settings("balance"), _world(robot, 0.0, []))
    assert always.stands_kg is None
    assert always.falls_kg == pytest.approx(0.5)


def test_one_arm_carries_the_whole_load(robot: Robot) -> None:
    tried: list[float] = []
    settings = run_settings("balance", arm="right")
    found = find_tipping_load(settings, _world(robot, 9.3, tried), tolerance_kg=1.0)
    assert found.stands_kg == 9.0
