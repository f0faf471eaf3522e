"""The robot as lines and circles, for pictures that need no renderer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.record import SIDES
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PLATE_RADIUS_OF_1_KG_M = 0.03
LIMB_WIDTH = 5.0


class StickFigure:
    """Draws a configuration from the side: x to the right, z up."""

    def __init__(self, robot: Robot) -> None:
        """Read the chains of joints that make the limbs."""
        self._robot, self._model = robot, robot.full_model
        self._data = robot.full_model.createData()
        groups = robot.settings.groups
        limbs = (groups.left_leg, groups.right_leg, groups.left_arm, groups.right_arm)
        self._limbs = [
            [self._model.getJointId(name) for name in limb] for limb in limbs
        ]
        self._spine = [self._model.getJointId(name) for name in groups.spine]
        self._neck = [self._model.getJointId(name) for name in groups.neck]

    def draw(
        self,
        axis: Axes,
        q: Array,
        payload_kg: Array,
        *,
        offset_m: float = 0.0,
        color: str = "0.25",
    ) -> None:
        """Draw one configuration.

        Args:
            axis: Where.
            q: Configuration of `Robot.full_model`.
            payload_kg: (2,) loads left and right, as discs.
            offset_m: Shift to the right.
            color: Of the near side; the far side is lighter.
        """
        pin.framesForwardKinematics(self._model, self._data, q)
        for index, limb in enumerate(self._limbs):
            points = [self._joint(j) for j in limb] + self._ends(index)
            if index < len(SIDES):
                # From the pelvis's centre: hip roll and yaw axes lie behind it.
                points = [self._joint(1), *points[2:]]
            far = index % 2 == 0  # seen from the right: left is behind
            self._line(axis, points, offset_m, color, 0.4 if far else 1.0)
        trunk = [self._joint(1), *map(self._joint, self._spine)]
        shoulders = np.mean([self._joint(limb[0]) for limb in self._limbs[2:]], axis=0)
        trunk += [shoulders, *map(self._joint, self._neck)]
        self._line(axis, trunk, offset_m, color, 1.0)
        axis.plot(
            trunk[-1][0] + offset_m + 0.03, trunk[-1][2] + 0.1, "o", color=color, ms=14
        )
        for side, load in zip(SIDES, payload_kg, strict=True):
            if load > 0.0:
                self._plate(axis, side, float(load), offset_m)

    def _joint(self, joint: int) -> Array:
        position: Array = self._data.oMi[joint].translation.copy()
        return position

    def _ends(self, limb: int) -> list[Array]:
        """Points beyond the last joint: toe and heel, or the forearm's tip."""
        side = SIDES[limb % 2]
        if limb >= len(SIDES):
            return [self._frame(self._robot.arms[side].tip_frame)]
        sole = self._robot.soles[limb % 2]
        placement = self._data.oMf[frame_index(self._model, sole.frame)]
        reach = np.array([sole.half_length_m, 0.0, 0.0])
        return [placement.act(-reach), placement.act(reach)]

    def _frame(self, name: str) -> Array:
        position: Array = self._data.oMf[
            frame_index(self._model, name)
        ].translation.copy()
        return position

    def _line(
        self,
        axis: Axes,
        points: list[Array],
        offset_m: float,
        color: str,
        alpha: float,
    ) -> None:
        path = np.array(points)
        axis.plot(
            path[:, 0] + offset_m,
            path[:, 2],
            color=color,
            alpha=alpha,
            linewidth=LIMB_WIDTH,
            solid_capstyle="round",
            solid_joinstyle="round",
        )

    def _plate(self, axis: Axes, side: str, load_kg: float, offset_m: float) -> None:
        from matplotlib.patches import Circle

        tip = self._frame(self._robot.arms[side].tip_frame)
        radius = PLATE_RADIUS_OF_1_KG_M * float(np.cbrt(load_kg))
        centre = (tip[0] + offset_m, tip[2])
        axis.add_patch(Circle(centre, radius, color="#D55E00", zorder=5))
