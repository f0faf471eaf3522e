"""Support polygon and centre of pressure in the mid-foot frame."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.record import RunRecord
from wbmpc.robot import Robot

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
        from scipy.spatial import ConvexHull  # 0.3 s to import

        data = robot.full_model.createData()
        pin.framesForwardKinematics(robot.full_model, data, robot.home_q_full)
        frames = [frame_index(robot.full_model, sole.frame) for sole in robot.soles]
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
        hull = ConvexHull(self.soles_m.reshape(-1, 2))
        self.polygon_m = hull.points[hull.vertices]
        self._outward, self._offsets_m = hull.equations[:, :2], hull.equations[:, 2]

    def margin_m(self, points_m: Array) -> Array:
        """Distance (T,) of points (T, 2) inside the nearest edge, negative outside."""
        margin: Array = -np.max(points_m @ self._outward.T + self._offsets_m, axis=1)
        return margin

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
