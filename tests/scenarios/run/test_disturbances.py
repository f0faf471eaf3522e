"""Loads and pushes reach the plant once, at their time."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.library.run_settings import run_settings
from scenarios.run.disturbances import Disturbances
from scenarios.run.settings import Push, RunSettings
from wbmpc import MockPlant
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


class _Plant(MockPlant):
    """Notes what is done to it."""

    def __init__(self, robot: Robot) -> None:
        self.done: list[tuple[object, ...]] = []
        super().__init__(robot)

    def set_payload(self, frame, payload, ramp_s) -> None:
        self.done.append((frame, payload.mass_kg if payload else 0.0, ramp_s))
        super().set_payload(frame, payload, ramp_s)

    def apply_push(self, frame, force_N, duration_s) -> None:
        self.done.append((frame, tuple(force_N), duration_s))
        super().apply_push(frame, force_N, duration_s)


def _play(settings: RunSettings, plant: _Plant, robot: Robot) -> list:
    disturbances = Disturbances(settings, robot)
    times = np.arange(0.0, settings.duration_s, 0.01)
    return [event for t in times for event in disturbances.apply(t, plant)]


def test_plates_go_on_one_by_one_and_come_off(robot: Robot) -> None:
    settings = run_settings("runtime_loading")
    plant = _Plant(robot)
    events = _play(settings, plant, robot)
    tip = robot.arms["right"].tip_frame
    assert {frame for frame, _, _ in plant.done} == {tip}
    assert [round(mass, 1) for _, mass, _ in plant.done] == [3.4, 4.5, 5.7, 6.8, 7.9, 0]
    assert events[0] == (6.0, "3.4 kg on the right forearm")
    assert events[-1] == (36.0, "load off the right forearm")


def test_both_forearms_are_loaded_together(robot: Robot) -> None:
    plant = _Plant(robot)
    _play(run_settings("balance"), plant, robot)
    assert {frame for frame, _, _ in plant.done} == {
        arm.tip_frame for arm in robot.arms.values()
    }
    assert [(mass, ramp) for _, mass, ramp in plant.done] == [(5.0, 2.0)] * 2


def test_push_comes_once_at_the_root(robot: Robot) -> None:
    push = Push(at_s=1.0, duration_s=0.2, forward_N=50.0, left_N=-20.0)
    settings = run_settings("balance", payload_kg=0.0, push=push)
    plant = _Plant(robot)
    events = _play(settings, plant, robot)
    assert plant.done == [(robot.settings.root_link, (50.0, -20.0, 0.0), 0.2)]
    assert events == [(1.0, push.describe())]
    assert "50 N forward" in push.describe()
