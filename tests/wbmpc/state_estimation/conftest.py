"""Recorded motions shared by the state-estimation tests."""

from __future__ import annotations

import pytest
from squat_motion import Motion, record_squat

from wbmpc.plant.imperfections import CLEAN, HARDWARE_TWIN
from wbmpc.robot import Robot


@pytest.fixture(scope="session")
def clean_motion(robot: Robot) -> Motion:
    """Perfect sensors, hard soles."""
    return record_squat(robot, CLEAN, 1.0)


@pytest.fixture(scope="session")
def twin_motion(robot: Robot) -> Motion:
    """A robot's sensors, soft soles."""
    return record_squat(robot, HARDWARE_TWIN, 2.0)
