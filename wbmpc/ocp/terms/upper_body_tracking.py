"""Spine and arms follow the operator."""

from __future__ import annotations

from models.dimensions import SECOND
from wbmpc.ocp.cost import Part, SecondOrderCost
from wbmpc.ocp.scene import Scene


class UpperBodyTracking(SecondOrderCost, frozen=True, kw_only=True):
    """Second-order response of the joints of spine and arms [rad/s^2]."""

    table_row = 1
    why = "Spine and arms; residual [rad/s^2], goes with 1 / length."
    dimensions = SecondOrderCost.dimensions | {"weight": (SECOND**-2) ** -2}

    def build(self, scene: Scene) -> list[Part]:
        """One residual, in the order of `Robot.joints(*UPPER_BODY)`."""
        from wbmpc.reference import UPPER_BODY

        joints = scene.robot.joints(*UPPER_BODY)
        residual = scene.residuals.ResidualModelJointResponse(
            scene.state,
            joints,
            scene.target.q_upper,
            scene.target.v_upper,
            *self.gains(len(joints)),
            scene.nu,
            scene.literal,
        )
        return [
            Part(
                residual=residual,
                activation=self.activation(len(joints)),
                set_target=lambda to: residual.set_reference(to.q_upper, to.v_upper),
            )
        ]
