"""The sensors of the robot: encoders, motor currents, and an IMU in the pelvis."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from models.arrays import Array
from wbmpc.conventions import (
    BASE_NQ,
    BASE_NV,
    GRAVITY_WORLD_M_PER_S2,
    base_rotation,
)
from wbmpc.friction import effort_scale_Nm
from wbmpc.plant.imperfections import ImperfectionSettings
from wbmpc.plant.interface import Measurement, SensorReadings


class Encoders:
    r"""Joint angles with noise and steps; velocities from their differences.

    .. math::
        \hat q = \Delta\, \mathrm{round}((q + \eta) / \Delta), \qquad
        \hat v \leftarrow \hat v + (1 - e^{-2 \pi f \Delta t})
            ((\hat q_k - \hat q_{k-1}) / \Delta t - \hat v)
    """

    def __init__(
        self, settings: ImperfectionSettings, dt_s: float, seed: np.random.SeedSequence
    ) -> None:
        """Prepare; `reset` comes first."""
        self._noise_rad = settings.encoder_noise_rad
        self._quantum_rad = settings.encoder_quantum_rad
        self._cutoff_hz = settings.velocity_cutoff_hz
        self._gain = -math.expm1(-2.0 * math.pi * self._cutoff_hz * dt_s)
        self._dt_s, self._seed = dt_s, seed
        self._q = self._v = np.zeros(0)

    def reset(self, q: Array, v: Array) -> tuple[Array, Array]:
        """First reading: angles as they are read, velocity exact."""
        self._rng = np.random.default_rng(self._seed)
        self._q, self._v = self._angles(q), v
        return self._q, self._v

    def read(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Angles and velocities (n,) of one sample."""
        previous, self._q = self._q, self._angles(q)
        if self._cutoff_hz == 0.0:
            self._v = v
        else:
            difference = (self._q - previous) / self._dt_s
            self._v = self._v + self._gain * (difference - self._v)
        return self._q, self._v

    def _angles(self, q: Array) -> Array:
        if self._noise_rad > 0.0:
            q = q + self._noise_rad * self._rng.normal(size=len(q))
        return quantised(q, self._quantum_rad)


class TorqueSensor:
    """Motor current times the nominal torque constant, with noise and steps.

    Blind to the error of the constant and to friction behind the motor.
    """

    def __init__(
        self,
        settings: ImperfectionSettings,
        limits_Nm: Array,
        seed: np.random.SeedSequence,
    ) -> None:
        """Prepare; `reset` comes first."""
        scale = effort_scale_Nm(limits_Nm)
        self._noise_Nm = settings.torque_sensor_noise_share * scale
        self._quantum_Nm = settings.torque_quantum_share * scale
        self._seed = seed

    def reset(self) -> None:
        """Start the noise again from its seed."""
        self._rng = np.random.default_rng(self._seed)

    def read(self, current_Nm: Array) -> Array:
        """Measured torques (n,)."""
        if self._noise_Nm.any():
            noise = self._rng.normal(size=len(current_Nm))
            current_Nm = current_Nm + self._noise_Nm * noise
        return quantised(current_Nm, self._quantum_Nm)


class Imu:
    r"""Gyro and accelerometer at the root joint's origin, axes of the base.

    Both integrate over the step, as strap-down units do:

    .. math::
        \hat\omega = \omega + b_g + \eta_g, \qquad
        \hat f = R^T ((\dot p_k - \dot p_{k-1}) / \Delta t - g) + b_a + \eta_a

    with the velocity of the base origin in the world, R base to world, and noise of
    standard deviation density / sqrt(dt). At rest the accelerometer reads +9.81 upward.
    """

    def __init__(
        self, settings: ImperfectionSettings, dt_s: float, seed: np.random.SeedSequence
    ) -> None:
        """Draw the biases; `reset` comes before reading."""
        biases, self._noise_seed = seed.spawn(2)
        rng = np.random.default_rng(biases)
        self.gyro_bias_rad_per_s = settings.gyro_bias_rad_per_s * rng.normal(size=3)
        self.accelerometer_bias_m_per_s2 = (
            settings.accelerometer_bias_m_per_s2 * rng.normal(size=3)
        )
        self._gyro_noise = settings.gyro_noise_rad_per_s_sqrt_hz / math.sqrt(dt_s)
        self._accelerometer_noise = (
            settings.accelerometer_noise_m_per_s2_sqrt_hz / math.sqrt(dt_s)
        )
        self._dt_s = dt_s
        self._velocity = np.zeros(3)

    def reset(self) -> None:
        """At rest; start the noise again from its seed."""
        self._rng = np.random.default_rng(self._noise_seed)
        self._velocity = np.zeros(3)

    def read(self, truth: Measurement) -> tuple[Array, Array]:
        """Angular velocity [rad/s] and specific force [m/s^2] of the last step."""
        force, self._velocity = _specific_force(truth, self._velocity, self._dt_s)
        return self._corrupt(truth.v[3:BASE_NV], force)

    def _corrupt(self, rate: Array, force: Array) -> tuple[Array, Array]:
        rate = rate + self.gyro_bias_rad_per_s
        force = force + self.accelerometer_bias_m_per_s2
        if self._gyro_noise > 0.0 or self._accelerometer_noise > 0.0:
            noise = self._rng.normal(size=6)
            rate = rate + self._gyro_noise * noise[:3]
            force = force + self._accelerometer_noise * noise[3:]
        return rate, force


class SensorModel:
    """All sensors and the bus that makes them late."""

    def __init__(
        self,
        settings: ImperfectionSettings,
        limits_Nm: Array,
        dt_s: float,
        seed: np.random.SeedSequence,
    ) -> None:
        """Build the sensors, each with a random stream of its own."""
        encoders, torque, imu = seed.spawn(3)
        self._encoders = Encoders(settings, dt_s, encoders)
        self._torque = TorqueSensor(settings, limits_Nm, torque)
        self._imu = Imu(settings, dt_s, imu)
        self._late: deque[SensorReadings] = deque(
            maxlen=1 + int(settings.sensor_delay_steps)
        )

    def reset(self, truth: Measurement) -> SensorReadings:
        """First readings, of a robot at rest without torques."""
        self._torque.reset()
        self._imu.reset()
        q, v = self._encoders.reset(truth.q[BASE_NQ:], truth.v[BASE_NV:])
        self._late.clear()
        return self._send(self._readings(truth, q, v, np.zeros_like(q)))

    def read(self, truth: Measurement, current_Nm: Array) -> SensorReadings:
        """Readings that arrive at the time of `truth`."""
        q, v = self._encoders.read(truth.q[BASE_NQ:], truth.v[BASE_NV:])
        return self._send(self._readings(truth, q, v, current_Nm))

    def _readings(
        self, truth: Measurement, q: Array, v: Array, current_Nm: Array
    ) -> SensorReadings:
        rate, force = self._imu.read(truth)
        return SensorReadings(
            time_s=truth.time_s,
            q=q,
            v=v,
            tau_Nm=self._torque.read(current_Nm),
            gyro_rad_per_s=rate,
            accelerometer_m_per_s2=force,
        )

    def _send(self, newest: SensorReadings) -> SensorReadings:
        self._late.append(newest)
        return self._late[0].at(newest.time_s)


def perfect_readings(
    before: Measurement, now: Measurement, dt_s: float
) -> SensorReadings:
    """The readings of perfect sensors after a step.

    Args:
        before: State before the step; after a reset, `now`.
        now: State after it.
        dt_s: Length of the step.
    """
    velocity = base_rotation(before.q) @ before.v[:3]
    return SensorReadings(
        time_s=now.time_s,
        q=now.q[BASE_NQ:],
        v=now.v[BASE_NV:],
        tau_Nm=now.tau_Nm,
        gyro_rad_per_s=now.v[3:BASE_NV],
        accelerometer_m_per_s2=_specific_force(now, velocity, dt_s)[0],
    )


def _specific_force(
    now: Measurement, velocity_before: Array, dt_s: float
) -> tuple[Array, Array]:
    """Specific force in base axes over a step, and the base's velocity after it."""
    rotation = base_rotation(now.q)
    velocity = rotation @ now.v[:3]
    change = (velocity - velocity_before) / dt_s
    return rotation.T @ (change - GRAVITY_WORLD_M_PER_S2), velocity


def quantised(values: Array, quantum: Array | float) -> Array:
    """Round to multiples of a quantum; zero leaves values as they are."""
    if not np.any(quantum):
        return values
    step = np.where(np.asarray(quantum) > 0.0, quantum, 1.0)
    return np.where(np.asarray(quantum) > 0.0, step * np.round(values / step), values)
