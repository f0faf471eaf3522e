"""When which forearm holds how much: load schedules as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarios.run.settings import RunSettings

POUND_KG = 0.45359237
"""The paper's plates are in pounds; its kilograms are rounded."""


@dataclass(frozen=True, kw_only=True)
class LoadEvent:
    """A change of load.

    Attributes:
        time_s: When it starts.
        sides: Forearms it happens to.
        mass_kg: What each of them holds afterwards; 0 takes everything off.
        ramp_s: Time the change takes, linearly.
    """

    time_s: float
    sides: tuple[str, ...]
    mass_kg: float
    ramp_s: float


def loaded_sides(settings: RunSettings) -> tuple[str, ...]:
    """Forearms a run loads."""
    return ("left", "right") if settings.arm == "both" else (settings.arm,)


def single_load(settings: RunSettings) -> tuple[LoadEvent, ...]:
    """All at once, and off again if asked."""
    return load_steps(settings, [(settings.at_s, settings.payload_kg)])


def load_steps(
    settings: RunSettings,
    steps: Iterable[tuple[float, float]],
    *,
    removal_ramps: int = 1,
) -> tuple[LoadEvent, ...]:
    """Step by step, and all off again if asked.

    Args:
        settings: Of the run; without a payload there are no steps.
        steps: Time [s] and mass from then on [kg].
        removal_ramps: How many ramps taking everything off takes.
    """
    if settings.payload_kg == 0.0:
        return ()
    ramps = [(time_s, mass, settings.ramp_s) for time_s, mass in steps]
    if settings.remove_at_s is not None:
        ramps.append((settings.remove_at_s, 0.0, removal_ramps * settings.ramp_s))
    sides = loaded_sides(settings)
    return tuple(
        LoadEvent(time_s=time_s, sides=sides, mass_kg=mass, ramp_s=ramp_s)
        for time_s, mass, ramp_s in ramps
    )
