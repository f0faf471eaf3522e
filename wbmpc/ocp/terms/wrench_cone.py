"""No foot slips, tips or lifts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.dimensions import NEWTON
from models.setting_types import NonNegative, Positive
from wbmpc.ocp.cost import Cost, Part
from wbmpc.ocp.scene import Scene

if TYPE_CHECKING:
    from models.settings import SoleSettings


class WrenchCone(Cost, frozen=True, kw_only=True):
    """Quadratic barrier on the wrench cone of each foot [N]."""

    table_row = 11
    why = "Barrier; residual [N], goes with mass."
    comments = Cost.comments | {
        "friction": "the controller trusts, below the real one",
        "margin_N": "smallest normal force of a foot [N]",
    }
    dimensions = {"weight": NEWTON**-2, "margin_N": NEWTON}

    friction: Positive
    """Friction coefficient the controller trusts (below the real one)."""
    margin_N: NonNegative = 25.0
    """Smallest normal force of a foot."""
    support_scale: Positive = 1.0
    """Share of the sole's half sizes that the CoP may use."""

    def build(self, scene: Scene) -> list[Part]:
        """One residual per foot, of as many rows as its cone has faces."""
        return [self._part(scene, sole) for sole in scene.robot.soles]

    def _part(self, scene: Scene, sole: SoleSettings) -> Part:
        import crocoddyl

        half_sizes = np.array([sole.half_length_m, sole.half_width_m])
        cone = crocoddyl.WrenchCone(
            scene.soles[sole.frame].rotation,
            self.friction,
            2.0 * self.support_scale * half_sizes,
            4,
            True,
            self.margin_N,
        )
        residual = crocoddyl.ResidualModelContactWrenchCone(
            scene.state, scene.robot.frame_id(sole.frame), cone, scene.nu
        )
        bounds = crocoddyl.ActivationBounds(cone.lb, cone.ub)
        return Part(
            residual=residual,
            activation=crocoddyl.ActivationModelQuadraticBarrier(bounds),
            foot=sole.frame,
            needs_forces=True,
        )
