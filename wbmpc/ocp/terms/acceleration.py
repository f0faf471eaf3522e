"""Small accelerations."""

from __future__ import annotations

import numpy as np

from models.dimensions import SECOND
from wbmpc.conventions import BASE_NV
from wbmpc.ocp.cost import GroupCost, Part, weighted_quad
from wbmpc.ocp.scene import Scene


class Acceleration(GroupCost, frozen=True, kw_only=True):
    """Accelerations of base and joints [m/s^2, rad/s^2]."""

    table_row = 7
    why = "Residual [rad/s^2], goes with 1 / length."
    dimensions = {"weight": (SECOND**-2) ** -2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual of nv rows."""
        import crocoddyl

        zero = np.zeros(scene.state.nv)
        rows = np.concatenate([np.full(BASE_NV, self.base), self.per_joint(scene)])
        return [
            Part(
                residual=crocoddyl.ResidualModelJointAcceleration(
                    scene.state, zero, scene.nu
                ),
                activation=weighted_quad(rows),
                needs_forces=True,
            )
        ]
