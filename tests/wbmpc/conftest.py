"""Fixtures shared by the controller's tests."""

from __future__ import annotations

import pytest

from wbmpc.robot import Robot


@pytest.fixture(scope="session")
def robot() -> Robot:
    return Robot.load("alexander")
