"""The supervisor's noise and smallest loads go with a robot's size."""

from __future__ import annotations

import numpy as np
import pytest

from ekf import SupervisorSettings
from ekf.errors import InvalidSettingError
from ekf.signals.aligner import AlignedSample
from scenarios.run.adaptation import estimator_for
from scenarios.run.estimator_settings import supervisor_settings
from scenarios.studies.estimators.estimation import run_estimator
from scenarios.studies.estimators.streams.so101 import motors_stream
from wbmpc.robot import Robot


def test_the_papers_robot_has_the_defaults() -> None:
    assert supervisor_settings(Robot.load("alexander")) == SupervisorSettings()


def test_a_robot_of_half_the_weight_has_half_the_forces() -> None:
    small, papers = supervisor_settings(Robot.load("g1")), SupervisorSettings()
    assert small.noise.force_N == pytest.approx(0.5 * papers.noise.force_N)
    assert small.events.smallest_kg == pytest.approx(0.5 * papers.events.smallest_kg)
    assert small.noise.joints_Nm < small.noise.force_N / papers.noise.force_N


def test_a_joint_at_its_limit_is_told_to_the_filter() -> None:
    robot = Robot.load("alexander")
    adaptation = estimator_for(robot)
    nv = robot.model.nv
    tau_Nm = np.zeros(nv - 6)
    for k, share in enumerate((0.5, 0.97, 1.0)):
        tau_Nm[3] = share * robot.torque_limits_Nm[3]
        sample = AlignedSample(
            time_s=0.01 * k,
            q=robot.home_q,
            v=np.zeros(nv),
            a=np.zeros(nv),
            tau=tau_Nm.copy(),
        )
        adaptation.accept(sample)
        adaptation.tick()
        assert adaptation.faults().get("ekf_saturated", 0) == int(share == 1.0)


def test_a_small_arm_has_small_thresholds() -> None:
    """0.2 kg in the jaws of an SO-101 are a load; for a humanoid they are noise."""
    stream = motors_stream()
    track = run_estimator("ekf_supervised", stream)
    assert any("attach" in event for event in track.events)
    assert track.mass_kg[-1] == pytest.approx(0.2, abs=0.06)


def test_scaling_needs_a_positive_factor() -> None:
    with pytest.raises(InvalidSettingError, match="torque"):
        SupervisorSettings().scaled(force=1.0, torque=0.0)
