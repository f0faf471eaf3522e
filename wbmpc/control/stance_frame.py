"""Where the robot stands: targets are given as if it stood at home.

A robot on a floor may stand anywhere and face anywhere: shifted and turned about the
vertical, its dynamics are the same. So the controller takes the measured base into the
frame in which the home stance lies, and what it plans back out of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.conventions import BASE_NQ
from wbmpc.ocp.target import sole_placements
from wbmpc.robot import Robot

NEAR_M = 5e-3
NEAR_RAD = math.radians(0.5)
"""A robot no further from home than this stands at home: estimates are no better."""


@dataclass(frozen=True, kw_only=True)
class StanceFrame:
    """The home frame, shifted and turned about the vertical, in the world.

    Attributes:
        position_m: (3,) its origin.
        yaw_rad: Its turn about the vertical.
    """

    position_m: Array
    yaw_rad: float

    @classmethod
    def at_home(cls) -> StanceFrame:
        """The robot stands where its settings put it."""
        return cls(position_m=np.zeros(3), yaw_rad=0.0)

    @classmethod
    def measured(cls, robot: Robot, q: Array) -> StanceFrame:
        """The frame in which a robot stands at home.

        Found from the middle of its soles, which takes up half of any difference
        between its stance and that of home.

        Args:
            robot: The robot.
            q: (nq,) finite configuration of `Robot.model` with a unit quaternion.
        """
        home, now = _middle(robot, robot.home_q), _middle(robot, q)
        yaw = _yaw(now.rotation @ home.rotation.T)
        position = now.translation - _turn(yaw) @ home.translation
        near = np.linalg.norm(now.translation - home.translation) < NEAR_M
        if near and abs(yaw) < NEAR_RAD:
            return cls.at_home()
        return cls(position_m=position, yaw_rad=yaw)

    @property
    def is_home(self) -> bool:
        """Whether the frame is that of the world."""
        return self.yaw_rad == 0.0 and not self.position_m.any()

    def from_world(self, q: Array) -> Array:
        """Configurations (..., nq) of the world in this frame."""
        if self.is_home:
            return q
        out = np.array(q)
        out[..., :3] = (out[..., :3] - self.position_m) @ _turn(self.yaw_rad)
        out[..., 3:BASE_NQ] = _turned(out[..., 3:BASE_NQ], -self.yaw_rad)
        return out

    def to_world(self, q: Array) -> Array:
        """Configurations (..., nq) of this frame in the world."""
        if self.is_home:
            return q
        out = np.array(q)
        out[..., :3] = out[..., :3] @ _turn(self.yaw_rad).T + self.position_m
        out[..., 3:BASE_NQ] = _turned(out[..., 3:BASE_NQ], self.yaw_rad)
        return out

    def vectors_from_world(self, vectors: Array) -> Array:
        """Vectors (..., 3) of the world in the axes of this frame."""
        return vectors if self.is_home else vectors @ _turn(self.yaw_rad)

    def vectors_to_world(self, vectors: Array) -> Array:
        """Vectors (..., 3) of this frame in the axes of the world."""
        return vectors if self.is_home else vectors @ _turn(self.yaw_rad).T


def _middle(robot: Robot, q: Array) -> pin.SE3:
    left, right = sole_placements(robot, q).values()
    return pin.SE3(pin.SE3.Interpolate(left, right, 0.5))


def _yaw(rotation: Array) -> float:
    return math.atan2(rotation[1, 0], rotation[0, 0])


def _turn(yaw_rad: float) -> Array:
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def _turned(quaternions_xyzw: Array, yaw_rad: float) -> Array:
    """Quaternions (..., 4), each after a turn about the vertical."""
    x, y, z, w = np.moveaxis(quaternions_xyzw, -1, 0)
    c, s = math.cos(0.5 * yaw_rad), math.sin(0.5 * yaw_rad)
    turned = (c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z)
    return np.stack(turned, axis=-1)
