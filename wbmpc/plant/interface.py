"""The interface of a plant to the control side, be it a simulator, a mock or a robot.

Joint torques in, readings out: that is `Plant`, and a robot on a wire offers no more.
What a simulator knows besides is `PlantTruth`, and what can be done to it is
`Disturbable`; whoever builds a plant knows whether it has them, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import pinocchio as pin

from models.arrays import Array


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
    """The measurements of a robot: all a controller may see of it.

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
        center_m: (3,) its centre from the frame's origin, in the axes of the joint
            that carries the frame.
    """

    mass_kg: float
    radius_m: float = 0.06
    center_m: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Plant(Protocol):
    """One step of torque in, one set of readings out.

    A simulator's `reset` and `step` return its state; a controller may count on
    `readings` only.
    """

    @property
    def dt_s(self) -> float:
        """Length of one step."""
        ...

    @property
    def fault(self) -> str | None:
        """Why the plant stopped; None while it runs."""
        ...

    @property
    def readings(self) -> SensorReadings:
        """The measurements that arrived after the last step."""
        ...

    def reset(self, q: Array) -> object:
        """Start at rest in configuration `q` of `Robot.full_model`, time zero."""
        ...

    def step(self, tau_Nm: Array) -> object:
        """Apply joint torques (`Robot.joint_names` order) for one step."""
        ...


class PlantTruth(Protocol):
    """The truth that a simulator knows; for metrics, for control only if asked for."""

    @property
    def state(self) -> Measurement:
        """State after the last step, with the torques at the joints."""
        ...

    @property
    def true_model(self) -> pin.Model:
        """`Robot.full_model` with the inertias that the plant really has, no loads."""
        ...

    def contact_truth(self) -> ContactTruth:
        """Ground wrenches of the last step."""
        ...

    def payload_mass_kg(self, frame: str) -> float:
        """Mass held at `frame` now."""
        ...


class Disturbable(Protocol):
    """A plant whose robot can be loaded and pushed by a program."""

    def set_payload(self, frame: str, payload: Payload | None, ramp_s: float) -> None:
        """Attach, change or remove (None) the load at `frame`, linearly over `ramp_s`.

        Raises:
            PayloadError: Unknown frame, or a mass that is negative, not finite or
                beyond what the plant accepts.
        """
        ...

    def apply_push(self, frame: str, force_N: Array, duration_s: float) -> None:
        """Push at the origin of `frame` with a constant force in world axes, from now.

        A push at the same frame replaces the one under way.

        Raises:
            PushError: Unknown frame, or a force or duration that is not possible.
        """
        ...
