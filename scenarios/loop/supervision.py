"""Settings of the supervised filter for a robot's size."""

from __future__ import annotations

import dataclasses

from ekf import EventSettings, NoiseSettings, SupervisorSettings
from scenarios.motions.body_scale import height_ratio, mass_ratio
from wbmpc.robot import Robot


def supervisor_settings(robot: Robot) -> SupervisorSettings:
    """The defaults, which are those of the paper's robot, scaled by weight and height.

    In similar motions forces go with mass, and torques with mass times length.
    """
    mass = mass_ratio(robot)
    torque = mass * height_ratio(robot)
    noise, events = NoiseSettings(), EventSettings()
    return SupervisorSettings(
        noise=dataclasses.replace(
            noise,
            joints_Nm=torque * noise.joints_Nm,
            force_N=mass * noise.force_N,
            moment_Nm=torque * noise.moment_Nm,
        ),
        events=dataclasses.replace(
            events,
            smallest_kg=mass * events.smallest_kg,
            faint_kg=mass * events.faint_kg,
        ),
        tick_s=robot.settings.mpc.tick_dt_s,
    )
