"""Settings of a robot of another size, from the dimensions of their numbers.

A weight is scaled so that its cost of similar motions is the same; a variance goes with
the square of what it is of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from models.dimensions import Dimension
from models.setting_types import Settings

SHIPPED = "alexander"
"""The robot whose tuned settings are scaled."""
SHIPPED_MASS_KG = 66.9
SHIPPED_COM_HEIGHT_M = 0.795

T = TypeVar("T", bound=Settings)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A robot's size relative to the shipped one.

    Attributes:
        length: Ratio of the heights of the centres of mass at home.
        mass: Ratio of the masses.
    """

    length: float
    mass: float

    @classmethod
    def of(cls, *, mass_kg: float, com_height_m: float) -> Scale:
        """Of a robot that stands at home."""
        return cls(
            length=com_height_m / SHIPPED_COM_HEIGHT_M, mass=mass_kg / SHIPPED_MASS_KG
        )

    def factor(self, dimension: Dimension) -> float:
        """Ratio of quantities of a dimension in similar motions."""
        return float(self.mass**dimension.mass * self.length**dimension.length)


def scaled(settings: T, scale: Scale) -> T:
    """Settings for a robot of another size."""

    def change(part: Settings) -> dict[str, Any]:
        return {
            key: _times(getattr(part, key), scale.factor(dimension))
            for key, dimension in part.dimensions.items()
        }

    return _changed(settings, change)


def with_leg_rows(settings: T, rolls: Sequence[bool]) -> T:
    """Settings whose rows per leg joint suit a leg.

    Args:
        settings: Of any kind.
        rolls: Which joints of a leg, root to tip, are roll joints.
    """

    def change(part: Settings) -> dict[str, Any]:
        return {
            key: tuple(value if roll else 1.0 for roll in rolls)
            for key, value in part.roll_rows.items()
        }

    return _changed(settings, change)


def rounded(value: float, digits: int = 3) -> float:
    """To a few significant digits: a proposal is not more exact."""
    return float(f"{value:.{digits}g}")


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(rounded(entry * factor) for entry in value)
    return rounded(value * factor)


def _changed(settings: T, change: Callable[[Settings], dict[str, Any]]) -> T:
    """Settings and all settings in them, each with the changes to its keys."""
    parts = msgspec.structs.asdict(settings)
    inside = {
        key: _changed(part, change)
        for key, part in parts.items()
        if isinstance(part, Settings)
    }
    return msgspec.structs.replace(settings, **inside, **change(settings))
