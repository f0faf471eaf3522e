"""The interface of a base estimator, and the state the controller plans from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from wbmpc.plant.interface import Measurement, SensorReadings


@dataclass(frozen=True, kw_only=True)
class BaseEstimate:
    """Pose and twist of the base, Pinocchio conventions.

    Attributes:
        position_m: (3,) in the world.
        quaternion_xyzw: (4,) base to world.
        twist: (6,) [linear m/s, angular rad/s] in the base frame.
        contacts: (2,) whether left and right foot were taken for standing.
    """

    position_m: Array
    quaternion_xyzw: Array
    twist: Array
    contacts: NDArray[np.bool_]


class BaseEstimator(Protocol):
    """One sample of all sensors in, one estimate of the base out."""

    def reset(self, q: Array, readings: SensorReadings) -> BaseEstimate:
        """Start at rest in a known configuration of `Robot.full_model`, feet down."""
        ...

    def update(self, readings: SensorReadings) -> BaseEstimate:
        """Use one sample. Never raises on data; a faulty sample is counted."""
        ...

    @property
    def rejections(self) -> dict[str, int]:
        """How many samples were refused since the reset, by reason."""
        ...


def measurement_from(readings: SensorReadings, base: BaseEstimate) -> Measurement:
    """State of all joints and the base as the controller believes it."""
    return Measurement(
        time_s=readings.time_s,
        q=np.concatenate([base.position_m, base.quaternion_xyzw, readings.q]),
        v=np.concatenate([base.twist, readings.v]),
        tau_Nm=readings.tau_Nm,
    )


def fault_of(readings: SensorReadings, dt_s: float, joints: int) -> str | None:
    """Why a sample cannot be used, by name; None for a good one.

    Torques may be missing (not finite): they only tell which feet stand, and a leg
    without them keeps what it was last known to do (`ContactDetector`).
    """
    if not (np.isfinite(dt_s) and dt_s > 0.0):
        return "time_step"
    integrated = (
        readings.q,
        readings.v,
        readings.gyro_rad_per_s,
        readings.accelerometer_m_per_s2,
    )
    shapes = ((joints,), (joints,), (3,), (3,))
    fits = all(a.shape == s for a, s in zip(integrated, shapes, strict=True))
    if not fits or readings.tau_Nm.shape != (joints,):
        return "dimension"
    if not np.isfinite(np.concatenate(integrated)).all():
        return "non_finite"
    return None
