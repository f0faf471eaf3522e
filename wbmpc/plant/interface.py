"""What the control side may ask of a plant, be it a simulator, a mock or a robot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """State of all joints (neck included) at one instant, Pinocchio conventions.

    Attributes:
        time_s: Plant time.
        q: Configuration of `Robot.full_model`, base quaternion xyzw.
        v: Velocity of `Robot.full_model`, base twist in the base frame.
        tau_Nm: Joint torques applied over the step that ended at `time_s`, in the
            order of `Robot.joint_names`.
    """

    time_s: float
    q: Array
    v: Array
    tau_Nm: Array


@dataclass(frozen=True, kw_only=True)
class SensorReadings:
    """What a robot measures: all a controller may see of it.

    Attributes:
        time_s: Time the readings arrived.
        q: (n,) joint angles in the order of `Robot.joint_names`.
        v: (n,) joint velocities.
        tau_Nm: (n,) joint torques over the step before the sample.
        gyro_rad_per_s: (3,) angular velocity of the base, base axes.
        accelerometer_m_per_s2: (3,) specific force R^T (p'' - g) at the base's origin,
            base axes; +9.81 upward at rest.
    """

    time_s: float
    q: Array
    v: Array
    tau_Nm: Array
    gyro_rad_per_s: Array
    accelerometer_m_per_s2: Array

    def at(self, time_s: float) -> SensorReadings:
        """The same readings, arrived at another time."""
        return replace(self, time_s=time_s)


@dataclass(frozen=True, kw_only=True)
class ContactTruth:
    """True wrench of the ground on each foot; for metrics only.

    Attributes:
        wrenches: (2, 6) left, right: [force N, moment Nm] at the sole frame's origin
            in world axes.
        body_on_floor: Whether anything but the soles touches the floor.
    """

    wrenches: Array
    body_on_floor: bool


@dataclass(frozen=True, kw_only=True)
class Payload:
    """A load rigidly held at a frame: a solid sphere.

    Attributes:
        mass_kg: Mass, not negative.
        radius_m: Radius, for its rotational inertia 2/5 m r^2 and its picture.
    """

    mass_kg: float
    radius_m: float = 0.06


class Plant(Protocol):
    """One step of torque in, one measurement out."""

    @property
    def dt_s(self) -> float:
        """Length of one step."""
        ...

    @property
    def fault(self) -> str | None:
        """Why the plant stopped; None while it runs."""
        ...

    def reset(self, q: Array) -> Measurement:
        """Start at rest in configuration `q` of `Robot.full_model`, time zero."""
        ...

    def step(self, tau_Nm: Array) -> Measurement:
        """Apply joint torques (`Robot.joint_names` order) for one step."""
        ...

    def contact_truth(self) -> ContactTruth:
        """Ground wrenches of the last step, for metrics."""
        ...

    def set_payload(self, frame: str, payload: Payload | None, ramp_s: float) -> None:
        """Attach, change or remove (None) the load at `frame`, linearly over `ramp_s`.

        Raises:
            PayloadError: Unknown frame, or a mass that is negative, not finite or
                beyond what the plant accepts.
        """
        ...

    def payload_mass_kg(self, frame: str) -> float:
        """Mass held at `frame` now."""
        ...

    def apply_push(self, frame: str, force_N: Array, duration_s: float) -> None:
        """Push at the origin of `frame` with a constant force in world axes, from now.

        A push at the same frame replaces the one under way.

        Raises:
            PushError: Unknown frame, or a force or duration that is not possible.
        """
        ...
