"""The cost terms of a robot as a list of weighted residuals.

Every residual exists once and is shared by all nodes, because targets are uniform over
the horizon (arXiv:2610.22176, section III-C); changing a target is one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import crocoddyl
import msgspec

from wbmpc.errors import SettingError, UnknownNameError
from wbmpc.ocp.cost import Cost, Part
from wbmpc.ocp.scene import Scene


@dataclass(frozen=True, kw_only=True)
class CostItem(Part):
    """One weighted residual of the sum.

    Attributes:
        term: Cost term it belongs to.
        weight: Scalar weight.
    """

    term: str
    weight: float

    @property
    def name(self) -> str:
        """Unique name: `term`, or `term/foot` where there is one per foot."""
        return f"{self.term}/{self.foot}" if self.foot else self.term


def declare_costs(
    scene: Scene, more: Mapping[str, Cost] | None = None
) -> tuple[CostItem, ...]:
    """Build every term that is not disabled and has a weight.

    Args:
        scene: What the terms are built from; the robot has the settings of most.
        more: Further terms by name.

    Raises:
        UnknownNameError: `mpc.disabled` names a term that does not exist.
        SettingError: A term has the wrong number of rows.
    """
    mpc, source = scene.robot.settings.mpc, scene.robot.source
    costs: dict[str, Cost] = {**msgspec.structs.asdict(mpc.costs), **(more or {})}
    for name in mpc.disabled:
        if name not in costs:
            error = UnknownNameError("cost term", name, costs, "mpc.disabled")
            raise error.inside(source) if source else error
    return tuple(
        item
        for name, cost in costs.items()
        if name not in mpc.disabled and cost.weight > 0.0
        for item in _items(name, cost, scene)
    )


def _items(name: str, cost: Cost, scene: Scene) -> Iterator[CostItem]:
    try:
        parts = cost.build(scene)
    except SettingError as error:
        key = f"mpc.costs.{name}.{error.key}"
        source = scene.robot.source
        raise SettingError(key, error.value, error.rule, source) from None
    for part in parts:
        yield CostItem(term=name, weight=cost.weight, **vars(part))


def cost_sum(
    state: crocoddyl.StateMultibody, nu: int, items: Sequence[CostItem]
) -> crocoddyl.CostModelSum:
    """Weighted sum of the items, one Crocoddyl cost each."""
    total = crocoddyl.CostModelSum(state, nu)
    for item in items:
        cost = crocoddyl.CostModelResidual(state, item.activation, item.residual)
        total.addCost(item.name, cost, item.weight)
    return total
