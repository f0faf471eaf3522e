"""When which forearm holds how much: load schedules as data."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.records.record import SIDES
from scenarios.run.settings import RunSettings

PLATES_LB = (7.5, 2.5, 2.5, 2.5, 2.5)
"""Plates of the runtime-loading test (arXiv:2610.22176, section IV-B1)."""


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
    return SIDES if settings.arm == "both" else (settings.arm,)


def single_load(settings: RunSettings) -> tuple[LoadEvent, ...]:
    """All at once, and off again if asked."""
    return _schedule(settings, [(settings.at_s, settings.payload_kg)])


def staircase(settings: RunSettings) -> tuple[LoadEvent, ...]:
    """Plate by plate, evenly from loading to removal (or the end), then all off.

    The plates are the paper's, scaled so that together they are the asked load. Taking
    them all off takes as long as putting them on did.
    """
    end_s = settings.duration_s
    if settings.remove_at_s is not None:
        end_s = settings.remove_at_s
    interval_s = (end_s - settings.at_s) / len(PLATES_LB)
    steps = []
    for index in range(len(PLATES_LB)):
        share = sum(PLATES_LB[: index + 1]) / sum(PLATES_LB)
        mass = settings.payload_kg * share
        steps.append((settings.at_s + index * interval_s, mass))
    return _schedule(settings, steps, removal_ramps=len(PLATES_LB))


def _schedule(
    settings: RunSettings,
    steps: list[tuple[float, float]],
    *,
    removal_ramps: int = 1,
) -> tuple[LoadEvent, ...]:
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
