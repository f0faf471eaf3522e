"""The scene that cost terms are built from; importing it is cheap."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import crocoddyl
    import pinocchio as pin

    from wbmpc.ocp.target import Target
    from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Everything a term may be built from.

    Attributes:
        robot: Robot description.
        state: Crocoddyl state.
        nu: Joint torques.
        target: Initial targets.
        soles: Sole placement in the world by frame name; feet do not move.
        literal: Leave the highest derivative out of the response residuals.
        residuals: Module of the response residuals, `wbmpc.residuals` or its twin.
    """

    robot: Robot
    state: crocoddyl.StateMultibody
    nu: int
    target: Target
    soles: dict[str, pin.SE3]
    literal: bool
    residuals: ModuleType

    @classmethod
    def at_home(
        cls,
        robot: Robot,
        state: crocoddyl.StateMultibody,
        nu: int,
        residuals: ModuleType,
    ) -> Scene:
        """A robot that is to stand at home."""
        from wbmpc.ocp.target import midfoot_to_world, on_stance, sole_placements
        from wbmpc.reference import home_reference

        return cls(
            robot=robot,
            state=state,
            nu=nu,
            target=on_stance(home_reference(robot), midfoot_to_world(robot)),
            soles=sole_placements(robot, robot.home_q),
            literal=robot.settings.mpc.literal_responses,
            residuals=residuals,
        )
