"""Electrical power of the joints, modelled: nothing in a simulation draws any."""

from __future__ import annotations

import msgspec
import numpy as np

from models.arrays import Array
from scenarios.records.record import RunRecord
from wbmpc.robot import BASE, Robot


class MotorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Motor and gear of one joint group: tau = k I, heat R I^2."""

    torque_per_ampere: float
    """k at the joint, gear included [Nm/A]."""
    resistance_ohm: float


class PowerModel(msgspec.Struct, frozen=True, kw_only=True):
    """P = sum |tau v| + sum R (tau / k)^2 over all joints.

    Nothing is regenerated, and computers and electronics are not in it. The values are
    assumptions, for none are published: frameless motors of 0.1 to 0.13 Nm/A and 0.1
    to 0.3 ohm behind gears of about 20:1.
    """

    legs: MotorSettings = MotorSettings(torque_per_ampere=2.8, resistance_ohm=0.12)
    spine: MotorSettings = MotorSettings(torque_per_ampere=2.8, resistance_ohm=0.12)
    arms: MotorSettings = MotorSettings(torque_per_ampere=2.0, resistance_ohm=0.2)
    neck: MotorSettings = MotorSettings(torque_per_ampere=1.0, resistance_ohm=0.3)

    def power_W(self, record: RunRecord, robot: Robot) -> Array:
        """(T,) power of all joints at each tick."""
        mechanical = np.abs(record.tau_Nm * record.v[:, BASE:]).sum(axis=1)
        heat = (self._heat_per_square(robot) * record.tau_Nm**2).sum(axis=1)
        power: Array = mechanical + heat
        return power

    def _heat_per_square(self, robot: Robot) -> Array:
        """(n,) R / k^2 by joint [W/Nm^2]."""
        groups = {
            ("left_leg", "right_leg"): self.legs,
            ("spine",): self.spine,
            ("left_arm", "right_arm"): self.arms,
            ("neck", "locked"): self.neck,
        }
        factors = np.zeros(len(robot.joint_names))
        for names, motor in groups.items():
            factor = motor.resistance_ohm / motor.torque_per_ampere**2
            factors[robot.joints_full(*names)] = factor
        return factors
