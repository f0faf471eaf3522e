"""The supervisor's noise and smallest loads go with a robot's size."""

from __future__ import annotations

import pytest

from ekf import SupervisorSettings
from scenarios.loop.supervision import supervisor_settings
from wbmpc.robot import Robot


def test_the_papers_robot_has_the_defaults() -> None:
    assert supervisor_settings(Robot.load("alexander")) == SupervisorSettings()


def test_a_robot_of_half_the_weight_has_half_the_forces() -> None:
    small, papers = supervisor_settings(Robot.load("g1")), SupervisorSettings()
    assert small.noise.force_N == pytest.approx(0.5 * papers.noise.force_N)
    assert small.events.smallest_kg == pytest.approx(0.5 * papers.events.smallest_kg)
    assert small.noise.joints_Nm < small.noise.force_N / papers.noise.force_N
