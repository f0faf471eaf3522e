"""A plant without imperfections measures its own state."""

from __future__ import annotations

import numpy as np
import pytest

from wbmpc import MockPlant, MujocoPlant, Robot, TwinPlant
from wbmpc.plant.imperfections import CLEAN
from wbmpc.plant.interface import Disturbable, Plant, PlantTruth

SIGNALS = ("q", "v", "tau_Nm", "gyro_rad_per_s", "accelerometer_m_per_s2")


def torques(robot: Robot) -> np.ndarray:
    return np.random.default_rng(4).uniform(-20.0, 20.0, len(robot.joint_names))


def test_the_simulator_reads_what_a_perfect_twin_reads(robot: Robot) -> None:
    """To the last bit, at rest as in motion."""
    plain, twin = MujocoPlant(robot), TwinPlant(robot, MujocoPlant(robot), CLEAN)
    for step in range(30):
        for name in ("time_s", *SIGNALS):
            ours, theirs = getattr(plain.readings, name), getattr(twin.readings, name)
            np.testing.assert_array_equal(ours, theirs, f"{name}, step {step}")
        for plant in (plain, twin):
            plant.step(torques(robot))
    assert np.abs(plain.readings.gyro_rad_per_s).max() > 1e-3


@pytest.mark.parametrize("kind", [MujocoPlant, MockPlant])
def test_readings_are_of_the_state(kind: type, robot: Robot) -> None:
    plant = kind(robot)
    at_rest = plant.readings
    np.testing.assert_allclose(at_rest.accelerometer_m_per_s2, [0.0, 0.0, 9.81])
    before = plant.state
    state = plant.step(torques(robot))
    assert plant.state is state and before is not state
    read = plant.readings
    np.testing.assert_array_equal(read.q, state.q[7:])
    np.testing.assert_array_equal(read.v, state.v[6:])
    np.testing.assert_array_equal(read.tau_Nm, state.tau_Nm)
    np.testing.assert_array_equal(read.gyro_rad_per_s, state.v[3:6])


def test_simulators_have_truth_and_hands(robot: Robot) -> None:
    """What the runner asks for, by protocol; a type checker sees the same."""
    twin = TwinPlant(robot, MujocoPlant(robot), CLEAN)
    for plant in (MujocoPlant(robot), MockPlant(robot), twin):
        as_plant: Plant = plant
        as_truth: PlantTruth = plant
        as_disturbable: Disturbable = plant
        assert as_plant is as_truth is as_disturbable
        assert as_truth.true_model.nv == robot.full_model.nv
