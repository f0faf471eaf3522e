"""Frames of a run for viewers: the robot's links, its tips, and the soles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.record import SIDES
from wbmpc.robot import Robot

WORLD = "world"


class Transform(NamedTuple):
    """A frame in its parent."""

    parent: str
    child: str
    placement: pin.SE3


def sole_frame(side: str) -> str:
    """The sole's place with the axes of the world: what wrenches are given in."""
    return f"{side}_sole_in_world_axes"


class FrameTree:
    """Every link in the link it hangs on, the root in the world."""

    def __init__(self, robot: Robot) -> None:
        """Sort the frames into those that move and those that do not.

        Args:
            robot: The robot, with all its joints.
        """
        self._model, self._data = robot.full_model, robot.full_model.createData()
        tips = {arm.tip_frame for arm in robot.arms.values()}
        self._moving: list[tuple[int, int | None]] = []
        self._fixed: list[tuple[int, int]] = []
        for index, frame in enumerate(self._model.frames):
            if frame.type is not pin.BODY and frame.name not in tips:
                continue
            parent = self._body_above(index)
            if parent is None:
                self._moving.append((index, None))
            elif self._model.frames[parent].parentJoint == frame.parentJoint:
                self._fixed.append((index, parent))
            else:
                self._moving.append((index, parent))
        self._soles = [frame_index(self._model, sole.frame) for sole in robot.soles]

    def fixed(self) -> Iterator[Transform]:
        """Frames that never move in their parents."""
        frames = self._model.frames
        for index, parent in self._fixed:
            placement = frames[parent].placement.actInv(frames[index].placement)
            yield Transform(frames[parent].name, frames[index].name, placement)

    def moving(self, q: Array) -> Iterator[Transform]:
        """The others at a configuration (nq,) of `Robot.full_model`."""
        pin.framesForwardKinematics(self._model, self._data, q)
        places, frames = self._data.oMf, self._model.frames
        for index, parent in self._moving:
            if parent is None:
                yield Transform(WORLD, frames[index].name, places[index])
            else:
                placement = places[parent].actInv(places[index])
                yield Transform(frames[parent].name, frames[index].name, placement)
        for side, sole in zip(SIDES, self._soles, strict=True):
            level = pin.SE3(pin.SE3.Identity().rotation, places[sole].translation)
            yield Transform(WORLD, sole_frame(side), level)

    def _body_above(self, index: int) -> int | None:
        """The link that a frame hangs on; None for the root."""
        frames = self._model.frames
        above = frames[index].parentFrame
        while above > 0:
            if frames[above].type is pin.BODY:
                return int(above)
            above = frames[above].parentFrame
        return None
