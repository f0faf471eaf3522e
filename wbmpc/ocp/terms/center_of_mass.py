"""The centre of mass stays where the operator wants it, over the feet."""

from __future__ import annotations

from wbmpc.ocp.cost import Part, SecondOrderCost
from wbmpc.ocp.scene import Scene


class CenterOfMass(SecondOrderCost, frozen=True, kw_only=True):
    """Second-order response of the centre of mass [m/s^2], world axes."""

    table_row = 2
    why = "Residual [m/s^2], the same for every size."

    def build(self, scene: Scene) -> list[Part]:
        """One residual of three rows."""
        residual = scene.residuals.ResidualModelCoMResponse(
            scene.state, scene.target.com_m, *self.gains(3), scene.nu, scene.literal
        )
        return [
            Part(
                residual=residual,
                activation=self.activation(3),
                set_target=lambda to: residual.set_reference(to.com_m),
            )
        ]
