"""The pelvis turns as the operator wants it."""

from __future__ import annotations

from models.dimensions import SECOND
from wbmpc.ocp.cost import Part, SecondOrderCost
from wbmpc.ocp.scene import Scene


class PelvisOrientation(SecondOrderCost, frozen=True, kw_only=True):
    """Second-order response of the root link's orientation [rad/s^2], its own axes."""

    table_row = 3
    why = "Residual [rad/s^2], goes with 1 / length."
    dimensions = SecondOrderCost.dimensions | {"weight": (SECOND**-2) ** -2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual of three rows."""
        residual = scene.residuals.ResidualModelFrameRotationResponse(
            scene.state,
            scene.robot.frame_id(scene.robot.settings.root_link),
            scene.target.rotation_pelvis_to_world,
            *self.gains(3),
            scene.nu,
            scene.literal,
        )
        return [
            Part(
                residual=residual,
                activation=self.activation(3),
                set_target=lambda to: residual.set_reference(
                    to.rotation_pelvis_to_world
                ),
            )
        ]
