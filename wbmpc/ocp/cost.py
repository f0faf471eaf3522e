"""The common part of all cost terms: settings with their defaults, and how they build.

Importing crocoddyl takes 0.65 s and settings do not need it, so it is imported where
something is built; the same holds for every file of `wbmpc.ocp.terms`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from models.arrays import Array
from models.dimensions import SECOND
from models.setting_types import NonNegative, Rows, Settings
from wbmpc.errors import SettingError
from wbmpc.ocp.scene import Scene

if TYPE_CHECKING:
    import crocoddyl

    from wbmpc.ocp.target import Target


def _ignore(_: object) -> None:
    """Do nothing: for a residual that follows no target."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One residual of a term.

    Attributes:
        residual: Crocoddyl residual, shared by all nodes.
        activation: Crocoddyl activation.
        foot: Frame of the sole it belongs to, where there is one part per foot.
        needs_forces: Contact forces are undefined at the terminal node, where
            Crocoddyl would evaluate them as zero; such a part is left out there.
        set_target: Called with every new target.
        set_mass: Called with the mass of the whole robot [kg] when it changes.
    """

    residual: crocoddyl.ResidualModelAbstract
    activation: crocoddyl.ActivationModelAbstract
    foot: str = ""
    needs_forces: bool = False
    set_target: Callable[[Target], None] = _ignore
    set_mass: Callable[[float], None] = _ignore


class Cost(Settings, frozen=True, kw_only=True):
    """Settings of a cost term, which know how to build it.

    A subclass in a file of its own in `wbmpc.ocp.terms` is a term of the name of that
    file. Where all of its keys have defaults, robots need not mention it; a term of
    weight zero is not built. `dimensions["weight"]` is that of 1 / residual^2, so that
    similar motions of a robot of another size have the same cost.
    """

    table_row: ClassVar[int] = 1000
    """Row of Table I, which orders the terms; those of no row come last, by name."""
    comments = {"weight": "of the squared residual, per its unit squared"}
    always_written = ("weight",)

    weight: NonNegative

    def build(self, scene: Scene) -> list[Part]:
        """Residuals of the term for a robot standing at home.

        Raises:
            SettingError: A key has the wrong number of rows.
        """
        raise NotImplementedError

    def per_row(self, key: str, size: int) -> Array:
        """Values (size,) of a key that has one value, or one per row.

        Raises:
            SettingError: It has neither.
        """
        values = getattr(self, key)
        if len(values) not in (1, size):
            rule = f"has {len(values)} values where 1 or {size} are needed"
            raise SettingError(key, list(values), rule)
        return np.array(np.broadcast_to(np.asarray(values, dtype=float), (size,)))


class WeightedCost(Cost, frozen=True, kw_only=True):
    """Plain residual r = e with a relative weight per row."""

    comments = Cost.comments | {"rows": "relative weight of each row"}

    rows: Rows = (1.0,)
    """Relative weight of each residual row."""

    def activation(self, size: int) -> crocoddyl.ActivationModelWeightedQuad:
        """1/2 r^T diag(rows) r, Crocoddyl's convention."""
        return weighted_quad(self.per_row("rows", size))


class FirstOrderCost(WeightedCost, frozen=True, kw_only=True):
    """Response residual r = e' + A e."""

    comments = WeightedCost.comments | {"gain": "[1/s], per root of length"}
    dimensions = {"gain": SECOND**-1}

    gain: Rows
    """Diagonal of A [1/s]."""


class SecondOrderCost(WeightedCost, frozen=True, kw_only=True):
    """Response residual r = e'' + Kd e' + Kp e."""

    comments = WeightedCost.comments | {
        "kp": "[1/s^2], per length",
        "kd": "[1/s], per root of length",
    }
    dimensions = {"kp": SECOND**-2, "kd": SECOND**-1}

    kp: Rows
    """[1/s^2]"""
    kd: Rows
    """[1/s]"""

    def gains(self, size: int) -> tuple[Array, Array]:
        """Kp and Kd, (size,) each."""
        return self.per_row("kp", size), self.per_row("kd", size)


class GroupCost(Cost, frozen=True, kw_only=True):
    """Plain residual with one relative weight per joint group."""

    base: NonNegative = 1.0
    legs: NonNegative = 1.0
    spine: NonNegative = 1.0
    arms: NonNegative = 1.0

    def per_joint(self, scene: Scene) -> Array:
        """Relative weights in the order of `Robot.controlled_joints`."""
        robot = scene.robot
        rows = np.zeros(len(robot.controlled_joints))
        rows[robot.joints("left_leg", "right_leg")] = self.legs
        rows[robot.joints("spine")] = self.spine
        rows[robot.joints("left_arm", "right_arm")] = self.arms
        return rows


def weighted_quad(rows: Array) -> crocoddyl.ActivationModelWeightedQuad:
    """Crocoddyl's 1/2 r^T diag(rows) r."""
    import crocoddyl

    return crocoddyl.ActivationModelWeightedQuad(rows)
