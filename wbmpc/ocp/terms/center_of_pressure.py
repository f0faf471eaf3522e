"""The centre of pressure stays near the middle of each sole."""

from __future__ import annotations

import numpy as np

from models.dimensions import NEWTON_METRE
from wbmpc.ocp.cost import Part, WeightedCost, weighted_quad
from wbmpc.ocp.scene import Scene


class CenterOfPressure(WeightedCost, frozen=True, kw_only=True):
    """The two moments that move the CoP off the sole's centre [Nm].

    n_x = p_y f_z and n_y = -p_x f_z, with p the CoP in the sole.
    """

    table_row = 10
    why = "Residual [Nm], goes with mass times length."
    dimensions = {"weight": NEWTON_METRE**-2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual per foot, of six rows, two of which have a weight."""
        import crocoddyl
        import pinocchio as pin

        rows = np.zeros(6)
        rows[3:5] = self.per_row("rows", 2)
        return [
            Part(
                residual=crocoddyl.ResidualModelContactForce(
                    scene.state,
                    scene.robot.frame_id(foot),
                    pin.Force.Zero(),
                    6,
                    scene.nu,
                ),
                activation=weighted_quad(rows),
                foot=foot,
                needs_forces=True,
            )
            for foot in scene.soles
        ]
