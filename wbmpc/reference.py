"""The references an operator gives to the MPC: the quantities of Table II."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One set of targets, held constant over the whole horizon (section III-C).

    Attributes:
        q_upper: (n,) spine and arm angles [rad], `Robot.joints(*UPPER_BODY)` order.
        v_upper: (n,) their velocities [rad/s].
        com_m: (3,) centre of mass in the mid-foot frame.
        rotation_pelvis_to_midfoot: (3, 3) pelvis orientation.
    """

    q_upper: Array
    v_upper: Array
    com_m: Array
    rotation_pelvis_to_midfoot: Array

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of all targets; the same for every reference of a robot."""
        rotation = self.rotation_pelvis_to_midfoot
        parts = (self.q_upper, self.v_upper, self.com_m, rotation)
        return tuple(np.shape(part) for part in parts)

    def is_finite(self) -> bool:
        """Whether every number is usable."""
        parts = (self.q_upper, self.v_upper, self.com_m)
        rotation = self.rotation_pelvis_to_midfoot
        return all(np.isfinite(part).all() for part in (*parts, rotation))


class ReferenceSource(Protocol):
    """Where references come from: a recording, a stream. It never waits."""

    def at(self, time_s: float) -> Reference:
        """Reference in force at a time that does not go back."""
        ...


UPPER_BODY = ("spine", "left_arm", "right_arm")
"""Joint groups of q_upper (section III-B)."""


def home_reference(robot: Robot) -> Reference:
    """Stand at home: the standard references of Table I."""
    data = robot.model.createData()
    com = pin.centerOfMass(robot.model, data, robot.home_q)
    pin.framesForwardKinematics(robot.model, data, robot.home_q)
    pelvis = data.oMf[robot.frame_id(robot.settings.root_link)]
    joints = robot.joints(*UPPER_BODY)
    return Reference(
        q_upper=robot.home_q[7 + joints],
        v_upper=np.zeros(len(joints)),
        com_m=np.array([0.0, 0.0, com[2]]),
        rotation_pelvis_to_midfoot=np.array(pelvis.rotation),
    )
