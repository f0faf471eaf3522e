"""Each foot carries its share of the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.dimensions import NEWTON
from wbmpc.conventions import GRAVITY_M_PER_S2
from wbmpc.ocp.cost import Part, WeightedCost
from wbmpc.ocp.scene import Scene

if TYPE_CHECKING:
    import pinocchio as pin


class Wrench(WeightedCost, frozen=True, kw_only=True):
    """Difference of each ground wrench to an equal share of the weight [N, Nm]."""

    table_row = 9
    why = "Ground forces near equal shares; residual [N], goes with mass."
    dimensions = {"weight": NEWTON**-2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual of six rows per foot."""
        import pinocchio as pin

        mass_kg = pin.computeTotalMass(scene.robot.model)
        return [self._part(scene, foot, mass_kg) for foot in scene.soles]

    def _part(self, scene: Scene, foot: str, mass_kg: float) -> Part:
        import crocoddyl

        feet = len(scene.soles)
        residual = crocoddyl.ResidualModelContactForce(
            scene.state,
            scene.robot.frame_id(foot),
            standing_wrench(mass_kg, feet),
            6,
            scene.nu,
        )

        def set_mass(mass_kg: float) -> None:
            residual.reference = standing_wrench(mass_kg, feet)

        return Part(
            residual=residual,
            activation=self.activation(6),
            foot=foot,
            needs_forces=True,
            set_mass=set_mass,
        )


def standing_wrench(mass_kg: float, feet: int) -> pin.Force:
    """Equal share of the weight, (0, 0, m g / feet, 0, 0, 0)."""
    import pinocchio as pin

    share_N = mass_kg * GRAVITY_M_PER_S2 / feet
    return pin.Force(np.array([0.0, 0.0, share_N, 0.0, 0.0, 0.0]))
