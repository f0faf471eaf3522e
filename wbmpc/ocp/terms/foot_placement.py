"""The feet stay where they are."""

from __future__ import annotations

from wbmpc.ocp.cost import Part, SecondOrderCost
from wbmpc.ocp.scene import Scene


class FootPlacement(SecondOrderCost, frozen=True, kw_only=True):
    """Second-order response of each sole's placement [m/s^2, rad/s^2], its own axes."""

    table_row = 4
    why = "Residual [m/s^2 and rad/s^2], held by the contacts anyway."

    def build(self, scene: Scene) -> list[Part]:
        """One residual of six rows per foot."""
        return [
            Part(
                residual=scene.residuals.ResidualModelFramePlacementResponse(
                    scene.state,
                    scene.robot.frame_id(foot),
                    placement,
                    *self.gains(6),
                    scene.nu,
                    scene.literal,
                ),
                activation=self.activation(6),
                foot=foot,
            )
            for foot, placement in scene.soles.items()
        ]
