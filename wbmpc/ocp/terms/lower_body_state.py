"""The legs stay near the posture that goes with the commanded height and pelvis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.setting_types import Rows
from wbmpc.conventions import BASE_NV
from wbmpc.ocp.cost import Cost, Part, weighted_quad
from wbmpc.ocp.scene import Scene

if TYPE_CHECKING:
    from models.arrays import Array
    from wbmpc.ocp.target import Target


class LowerBodyState(Cost, frozen=True, kw_only=True):
    """Residual x (-) x_des on the legs [rad, rad/s]."""

    table_row = 6
    why = "Legs near home, most in roll; residual [rad, rad/s]."
    comments = Cost.comments | dict.fromkeys(
        ("position", "velocity"), "relative weights, hip to ankle"
    )
    # Hip and ankle roll hold the pelvis sideways.
    roll_rows = {"position": 3.0}

    position: Rows = (1.0,)
    """Relative weights of one leg's joint positions, root to tip; both legs alike."""
    velocity: Rows = (1.0,)

    def build(self, scene: Scene) -> list[Part]:
        """One residual; its target comes from `LegPosture`."""
        import crocoddyl

        from wbmpc.ocp.leg_posture import LegPosture

        nv, posture = scene.state.nv, LegPosture(scene.robot)
        home = np.concatenate([scene.robot.home_q, np.zeros(nv)])
        residual = crocoddyl.ResidualModelState(scene.state, home, scene.nu)

        def set_target(target: Target) -> None:
            q = posture.at(target.bare_com_m, target.rotation_pelvis_to_world)
            residual.reference = np.r_[q, np.zeros(nv)]

        return [
            Part(
                residual=residual,
                activation=weighted_quad(self._rows(scene)),
                set_target=set_target,
            )
        ]

    def _rows(self, scene: Scene) -> Array:
        """(2 nv,) weights; those of anything but legs are zero."""
        nv = scene.state.nv
        rows = np.zeros(2 * nv)
        for leg in ("left_leg", "right_leg"):
            joints = BASE_NV + scene.robot.joints(leg)
            rows[joints] = self.per_row("position", len(joints))
            rows[nv + joints] = self.per_row("velocity", len(joints))
        return rows
