"""Fixtures shared by the tests of teleoperation."""

from __future__ import annotations

import pytest
from teleop_bench import Bench

from wbmpc.robot import Robot


@pytest.fixture(scope="session")
def robot() -> Robot:
    return Robot.load("alexander")


@pytest.fixture
def bench(robot: Robot) -> Bench:
    return Bench(robot)
