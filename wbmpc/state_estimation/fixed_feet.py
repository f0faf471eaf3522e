"""Base state from feet that do not move, smoothed by the IMU."""

from __future__ import annotations

import math
from collections import Counter

import msgspec
import numpy as np

from models.arrays import Array
from wbmpc.conventions import GRAVITY_WORLD_M_PER_S2, rotation_from_xyzw
from wbmpc.plant.interface import SensorReadings
from wbmpc.robot import Robot
from wbmpc.state_estimation.contact_detection import ContactDetector
from wbmpc.state_estimation.interface import BaseEstimate, fault_of
from wbmpc.state_estimation.leg_kinematics import LegKinematics, SoleInBase
from wbmpc.state_estimation.rotations import (
    exp_rotation,
    log_rotation,
    orthonormal,
    skew,
    xyzw_from_rotation,
)


class FixedFeetSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Frequencies below which the legs are believed, and above which the IMU."""

    rotation_hz: float = 1.0
    position_hz: float = 20.0
    velocity_hz: float = 5.0
    gyro_bias_hz: float = 0.05
    """Crossover of the integral that learns the gyro's bias."""


class FixedFeetFilter:
    r"""Complementary filter between leg kinematics and IMU.

    A sole that stands stays at its anchor A_i (placement in the world), so with
    B_i the sole in the base frame the base is at :math:`A_i B_i^{-1}`, moving with

    .. math:: v_{kin} = -R (\omega \times s_i + J_i \dot q_i)

    each averaged over the standing feet. The IMU fills in what is faster,

    .. math::
        \dot R &= R [\omega - b + k_R \log(R^T R_{kin})]_\times, \quad
            \dot b = -k_b \log(R^T R_{kin}) \\
        \dot v &= R f + g + k_v (v_{kin} - v), \quad
            \dot p = v + k_p (p_{kin} - p)

    with k = 2 pi times the crossover. A foot that lifts drops out and gets a new anchor
    where it comes down; without feet the IMU alone goes on.

    Source: complementary filter on SO(3), Mahony et al. 2008 (IEEE TAC 53(5), eq. 32);
    the rest is textbook leg odometry.
    """

    def __init__(self, robot: Robot, settings: FixedFeetSettings | None = None) -> None:
        """Prepare; `reset` comes first."""
        self._settings = FixedFeetSettings() if settings is None else settings
        self._kinematics = LegKinematics(robot)
        self._detector = ContactDetector(self._kinematics)
        self._joints = len(robot.joint_names)
        self._rejections: Counter[str] = Counter()

    @property
    def rejections(self) -> dict[str, int]:
        """How many samples were refused since the reset, by reason."""
        return dict(self._rejections) | self._detector.rejections

    def reset(self, q: Array, readings: SensorReadings) -> BaseEstimate:
        """Start at rest in a known configuration, both feet down."""
        self._rejections.clear()
        self._detector.reset()
        self._time_s = readings.time_s
        self._position = q[:3].copy()
        self._rotation = rotation_from_xyzw(q[3:7])
        self._velocity, self._bias = np.zeros(3), np.zeros(3)
        self._rate = np.zeros(3)
        self._standing = np.ones(2, dtype=bool)
        self._anchors = [self._place(s) for s in self._kinematics.soles(q[7:])]
        return self._estimate()

    def update(self, readings: SensorReadings) -> BaseEstimate:
        """Use one sample; a faulty one leaves the state as it was."""
        dt_s = readings.time_s - self._time_s
        fault = fault_of(readings, dt_s, self._joints)
        if fault is not None:
            self._rejections[fault] += 1
            return self._estimate()
        self._time_s = readings.time_s
        soles = self._kinematics.soles(readings.q)
        self._integrate(readings, dt_s)
        self._find_contacts(readings, soles)
        if self._standing.any():
            self._correct(readings, soles, dt_s)
        return self._estimate()

    def _integrate(self, readings: SensorReadings, dt_s: float) -> None:
        self._rate = readings.gyro_rad_per_s - self._bias
        turned = self._rotation @ exp_rotation(dt_s * self._rate)
        self._rotation = orthonormal(turned)
        acceleration = self._rotation @ readings.accelerometer_m_per_s2
        self._velocity = self._velocity + dt_s * (acceleration + GRAVITY_WORLD_M_PER_S2)
        self._position = self._position + dt_s * self._velocity

    def _find_contacts(
        self, readings: SensorReadings, soles: tuple[SoleInBase, SoleInBase]
    ) -> None:
        before = self._standing
        self._standing = self._detector.update(readings, soles, self._rotation[2])
        for foot in np.flatnonzero(self._standing & ~before):
            self._anchors[foot] = self._place(soles[foot])

    def _correct(
        self,
        readings: SensorReadings,
        soles: tuple[SoleInBase, SoleInBase],
        dt_s: float,
    ) -> None:
        feet = np.flatnonzero(self._standing).tolist()
        settings = self._settings

        def gain(hz: float) -> float:
            return -math.expm1(-2.0 * math.pi * hz * dt_s)

        turn = _mean([self._turn(soles[i], self._anchors[i]) for i in feet])
        correction = exp_rotation(gain(settings.rotation_hz) * turn)
        self._rotation = self._rotation @ correction
        bias_gain = 2.0 * math.pi * settings.rotation_hz * gain(settings.gyro_bias_hz)
        self._bias = self._bias - bias_gain * turn
        position = _mean([self._leg_position(soles[i], i) for i in feet])
        velocity = _mean([self._leg_velocity(readings, soles[i], i) for i in feet])
        self._velocity = self._velocity + gain(settings.velocity_hz) * (
            velocity - self._velocity
        )
        self._position = self._position + gain(settings.position_hz) * (
            position - self._position
        )

    def _turn(self, sole: SoleInBase, anchor: tuple[Array, Array]) -> Array:
        """Rotation vector, base axes, from the estimate to what the foot says."""
        by_foot = anchor[1] @ sole.rotation.T
        return log_rotation(self._rotation.T @ by_foot)

    def _leg_position(self, sole: SoleInBase, foot: int) -> Array:
        """Position of the base in the world if this sole is at its anchor."""
        position: Array = self._anchors[foot][0] - self._rotation @ sole.position_m
        return position

    def _leg_velocity(
        self, readings: SensorReadings, sole: SoleInBase, foot: int
    ) -> Array:
        """Velocity of the base in the world if this sole stands still."""
        swing = sole.jacobian[:3] @ readings.v[self._kinematics.legs[foot]]
        return -self._rotation @ (skew(self._rate) @ sole.position_m + swing)

    def _place(self, sole: SoleInBase) -> tuple[Array, Array]:
        """Placement of a sole in the world by the present estimate."""
        position = self._position + self._rotation @ sole.position_m
        return position, self._rotation @ sole.rotation

    def _estimate(self) -> BaseEstimate:
        linear = self._rotation.T @ self._velocity
        return BaseEstimate(
            position_m=self._position,
            quaternion_xyzw=xyzw_from_rotation(self._rotation),
            twist=np.concatenate([linear, self._rate]),
            contacts=self._standing.copy(),
        )


def _mean(vectors: list[Array]) -> Array:
    """Mean of one or two vectors; far quicker than numpy's on so few."""
    total = vectors[0]
    for vector in vectors[1:]:
        total = total + vector
    return total / len(vectors)
