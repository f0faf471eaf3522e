"""Sensors: exact when clean, and each error with its analytic size."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from wbmpc.plant.imperfections import CLEAN, ImperfectionSettings
from wbmpc.plant.interface import Measurement
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.plant.sensors import Encoders, Imu, SensorModel, TorqueSensor, quantised
from wbmpc.plant.twin_plant import TwinPlant
from wbmpc.robot import Robot

DT_S = 1e-3


def _seed() -> np.random.SeedSequence:
    return np.random.SeedSequence(7)


def _truth(
    time_s: float = 0.0, *, q: NDArray | None = None, v: NDArray | None = None
) -> Measurement:
    identity = np.array([0, 0, 1.0, 0, 0, 0, 1.0, 0.1, -0.2])
    return Measurement(
        time_s=time_s,
        q=identity if q is None else q,
        v=np.zeros(8) if v is None else v,
        tau_Nm=np.zeros(2),
    )


def test_at_rest_the_accelerometer_reads_up() -> None:
    """+9.81 along the world's z, whatever the base's attitude."""
    half = np.sqrt(0.5)
    imu = Imu(CLEAN, DT_S, _seed())
    imu.reset()
    rolled = np.array([0, 0, 1.0, half, 0, 0, half, 0.1, -0.2])
    rate, force = imu.read(_truth(q=rolled))
    np.testing.assert_allclose(force, [0, 9.81, 0], atol=1e-12)
    np.testing.assert_array_equal(rate, np.zeros(3))


def test_in_free_fall_the_accelerometer_reads_nothing(robot: Robot) -> None:
    twin = TwinPlant(robot, MujocoPlant(robot), CLEAN)
    q = robot.home_q_full.copy()
    q[2] += 1.0
    twin.reset(q)
    for _ in range(5):
        truth = twin.step(np.zeros(len(robot.joint_names)))
    got = twin.readings
    # The base is not the centre of mass, but the joints hardly move yet.
    np.testing.assert_allclose(got.accelerometer_m_per_s2, 0.0, atol=0.5)
    np.testing.assert_array_equal(got.gyro_rad_per_s, truth.v[3:6])


def test_strapdown_integration_of_perfect_readings_is_exact(
    robot: Robot, standing_tau_Nm: NDArray
) -> None:
    """Readings are means of the step: their sum is the motion."""
    twin = TwinPlant(robot, MujocoPlant(robot), CLEAN)
    truth = twin.reset(robot.home_q_full)
    from wbmpc.conventions import base_rotation

    velocity = np.zeros(3)
    for _ in range(60):
        truth = twin.step(1.2 * standing_tau_Nm)
        force = base_rotation(truth.q) @ twin.readings.accelerometer_m_per_s2
        velocity += DT_S * (force + np.array([0, 0, -9.81]))
    expected = base_rotation(truth.q) @ truth.v[:3]
    assert np.linalg.norm(expected) > 0.01
    np.testing.assert_allclose(velocity, expected, atol=1e-12)


def test_imu_noise_has_its_density_and_biases_their_size() -> None:
    settings = ImperfectionSettings(
        gyro_noise_rad_per_s_sqrt_hz=1e-4,
        accelerometer_noise_m_per_s2_sqrt_hz=1e-3,
        gyro_bias_rad_per_s=2e-3,
        accelerometer_bias_m_per_s2=0.05,
    )
    imu = Imu(settings, DT_S, _seed())
    imu.reset()
    rows = np.array([np.concatenate(imu.read(_truth())) for _ in range(4000)])
    np.testing.assert_allclose(rows[:, :3].std(axis=0), 1e-4 / np.sqrt(DT_S), rtol=0.05)
    np.testing.assert_allclose(rows[:, 3:].std(axis=0), 1e-3 / np.sqrt(DT_S), rtol=0.05)
    bias = rows.mean(axis=0) - [0, 0, 0, 0, 0, 9.81]
    np.testing.assert_allclose(bias[:3], imu.gyro_bias_rad_per_s, atol=2e-4)
    np.testing.assert_allclose(bias[3:], imu.accelerometer_bias_m_per_s2, atol=2e-3)
    assert np.abs(imu.gyro_bias_rad_per_s).max() > 5e-4


def test_encoder_steps_and_noise() -> None:
    step = 2 * np.pi / 2**12
    encoders = Encoders(ImperfectionSettings(encoder_quantum_rad=step), DT_S, _seed())
    q, _ = encoders.reset(np.array([0.1, -0.2]), np.zeros(2))
    np.testing.assert_allclose(q / step, np.round(q / step), atol=1e-9)
    assert 0 < np.abs(q - [0.1, -0.2]).max() <= step / 2


def test_encoder_velocity_follows_with_first_order_lag() -> None:
    """A ramp from rest: 63 % of the speed after one time constant."""
    settings = ImperfectionSettings(velocity_cutoff_hz=1e3 / (2e1 * np.pi))
    encoders = Encoders(settings, DT_S, _seed())
    encoders.reset(np.zeros(1), np.zeros(1))
    for step in range(1, 11):
        _, v = encoders.read(np.array([2e-3 * step]), np.array([99.0]))
    np.testing.assert_allclose(v, 2.0 * (1 - np.exp(-1)))


def test_torque_sensor_reads_current_in_steps() -> None:
    limits = np.array([100.0, np.inf])
    settings = ImperfectionSettings(torque_quantum_share=0.01)
    sensor = TorqueSensor(settings, limits, _seed())
    sensor.reset()
    np.testing.assert_allclose(sensor.read(np.array([3.4, 3.4])), [3.0, 3.4])


def test_torque_noise_is_a_share_of_the_limit() -> None:
    sensor = TorqueSensor(
        ImperfectionSettings(torque_sensor_noise_share=0.002),
        np.array([200.0, 50.0]),
        _seed(),
    )
    sensor.reset()
    rows = np.array([sensor.read(np.ones(2)) for _ in range(4000)])
    np.testing.assert_allclose(rows.std(axis=0), [0.4, 0.1], rtol=0.05)


def test_readings_are_late_by_the_bus() -> None:
    """They carry the time of arrival and the content of an earlier step."""
    settings = ImperfectionSettings(sensor_delay_steps=2)
    sensors = SensorModel(settings, np.array([10.0, 10.0]), DT_S, _seed())
    sensors.reset(_truth())
    for step in range(1, 6):
        q = _truth().q.copy()
        q[7] = 0.1 * step
        got = sensors.read(_truth(step * DT_S, q=q), np.full(2, float(step)))
    assert got.time_s == pytest.approx(5 * DT_S)
    assert got.q[0] == pytest.approx(0.3)
    assert got.tau_Nm[0] == 3.0


def test_quantum_zero_changes_nothing() -> None:
    values = np.array([0.123, -4.56])
    np.testing.assert_array_equal(quantised(values, 0.0), values)
    np.testing.assert_array_equal(quantised(values, np.array([0.0, 1.0])), [0.123, -5])
