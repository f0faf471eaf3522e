"""Small torques."""

from __future__ import annotations

from models.dimensions import NEWTON_METRE
from wbmpc.ocp.cost import GroupCost, Part, weighted_quad
from wbmpc.ocp.scene import Scene


class Torque(GroupCost, frozen=True, kw_only=True):
    """Joint torques [Nm]."""

    table_row = 8
    why = "Residual [Nm], goes with mass times length."
    dimensions = {"weight": NEWTON_METRE**-2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual of nu rows."""
        import crocoddyl

        return [
            Part(
                residual=crocoddyl.ResidualModelControl(scene.state, scene.nu),
                activation=weighted_quad(self.per_joint(scene)),
                needs_forces=True,
            )
        ]
