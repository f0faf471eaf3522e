"""Settings of the supervised filter for a robot's size."""

from __future__ import annotations

from ekf import SupervisorSettings
from scenarios.library.motions.body_scale import height_ratio, mass_ratio
from wbmpc.robot import Robot


def supervisor_settings(robot: Robot) -> SupervisorSettings:
    """The defaults, which are those of the paper's robot, scaled by weight and height.

    In similar motions forces go with mass, and torques with mass times length.
    """
    mass = mass_ratio(robot)
    settings = SupervisorSettings(tick_s=robot.settings.mpc.tick_dt_s)
    return settings.scaled(force=mass, torque=mass * height_ratio(robot))
