"""Support polygon and centre of pressure in the mid-foot frame."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from scenarios.records.record import RunRecord
from wbmpc.robot import Robot

Array = NDArray[np.float64]

MIN_NORMAL_FORCE_N = 5.0
"""Below this a centre of pressure means nothing."""


class Stance:
    """Both soles flat on the floor where the home pose puts them.

    Attributes:
        soles_m: (2, 4, 2) corners of the left and right sole in the mid-foot frame.
        polygon_m: (n, 2) corners of their convex hull, counter-clockwise.
    """

    def __init__(self, robot: Robot) -> None:
        """Place the soles as in `robot.home_q_full`."""
        data = robot.full_model.createData()
        pin.framesForwardKinematics(robot.full_model, data, robot.home_q_full)
        frames = [robot.full_model.getFrameId(sole.frame) for sole in robot.soles]
        feet = [data.oMf[frame].copy() for frame in frames]
        midfoot = pin.SE3.Interpolate(feet[0], feet[1], 0.5)
        self._midfoot_to_world_rotation = midfoot.rotation
        self._feet = [midfoot.actInv(foot) for foot in feet]
        self.soles_m = np.array(
            [
                _corners(foot, sole.half_length_m, sole.half_width_m)
                for foot, sole in zip(self._feet, robot.soles, strict=True)
            ]
        )
        self.polygon_m = convex_hull(self.soles_m.reshape(-1, 2))

    def margin_m(self, points_m: Array) -> Array:
        """Distance (T,) of points (T, 2) inside the nearest edge, negative outside."""
        edges = np.roll(self.polygon_m, -1, axis=0) - self.polygon_m
        inward = np.column_stack([-edges[:, 1], edges[:, 0]])
        inward /= np.linalg.norm(inward, axis=1, keepdims=True)
        offsets = points_m[:, None] - self.polygon_m[None]
        return np.min(np.sum(offsets * inward, axis=2), axis=1)

    def cop_m(self, record: RunRecord) -> Array:
        """True centre of pressure (T, 2) of both feet; NaN without ground contact.

        For a sole at p with force f and moment m, the moment about the mid-foot is
        m + p x f; then c = (-M_y, M_x) / F_z.
        """
        rotated = record.wrench_true.reshape(-1, 2, 2, 3)
        rotated = rotated @ self._midfoot_to_world_rotation
        force, moment = rotated[:, :, 0], rotated[:, :, 1]
        arms = np.array([foot.translation for foot in self._feet])
        total = (moment + np.cross(arms, force)).sum(axis=1)
        normal = force[:, :, 2].sum(axis=1)
        normal = np.where(normal > MIN_NORMAL_FORCE_N, normal, np.nan)
        return np.column_stack([-total[:, 1], total[:, 0]]) / normal[:, None]


def _corners(foot: pin.SE3, half_length_m: float, half_width_m: float) -> Array:
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    local = [np.array([a * half_length_m, b * half_width_m, 0.0]) for a, b in signs]
    return np.array([foot.act(corner)[:2] for corner in local])


def convex_hull(points_m: Array) -> Array:
    """Corners (n, 2) of the convex hull, counter-clockwise (monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points_m})
    return np.array(_chain(ordered)[:-1] + _chain(ordered[::-1])[:-1])


def _chain(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for x, y in ordered:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2:]
            if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0.0:
                break
            chain.pop()
        chain.append((x, y))
    return chain
