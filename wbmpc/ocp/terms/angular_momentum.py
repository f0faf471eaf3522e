"""The body does not start to spin."""

from __future__ import annotations

from models.dimensions import NEWTON_METRE
from wbmpc.ocp.cost import FirstOrderCost, Part
from wbmpc.ocp.scene import Scene


class AngularMomentum(FirstOrderCost, frozen=True, kw_only=True):
    """First-order response of the momentum about the centre of mass [Nm]."""

    table_row = 5
    why = "Residual [Nm], goes with mass times length."
    dimensions = FirstOrderCost.dimensions | {"weight": NEWTON_METRE**-2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual of three rows, world axes; the target is zero."""
        residual = scene.residuals.ResidualModelAngularMomentumResponse(
            scene.state, self.per_row("gain", 3), scene.nu, scene.literal
        )
        return [Part(residual=residual, activation=self.activation(3))]
