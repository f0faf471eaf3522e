"""The load at which the robot tips over, found by bisection."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scenarios.library.loads.schedule import loaded_sides
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings

MAX_TOTAL_KG = 48.0
"""Above the robot's own upper body; the arms' torque limits end it long before."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One load that was tried."""

    load_total_kg: float
    stood: bool
    fell_at_s: float | None


class TippingLoad(msgspec.Struct, frozen=True, kw_only=True):
    """Where standing ends. Loads are totals over both hands."""

    estimator: bool
    stands_kg: float | None
    """Largest load tried that it stood with."""
    falls_kg: float | None
    """Smallest load tried that it fell with."""
    trials: list[Trial]


def find_tipping_load(
    settings: RunSettings,
    run: Callable[[RunSettings], RunRecord],
    *,
    tolerance_kg: float = 0.5,
) -> TippingLoad:
    """Bisect the total load between standing and falling.

    Standing means not having fallen by the end of the run. If a smaller load fell
    where a larger one stands, bisection can miss it: every trial is in the answer.

    Args:
        settings: The run; its load is what is searched.
        run: Makes a run.
        tolerance_kg: Width of the interval left at the end.
    """
    trials: list[Trial] = []
    low_kg, high_kg = 0.0, MAX_TOTAL_KG
    while high_kg - low_kg > tolerance_kg:
        # Whole multiples of the tolerance, so that a search repeats its loads.
        middle = round((low_kg + high_kg) / 2 / tolerance_kg) * tolerance_kg
        if not low_kg < middle < high_kg:
            break
        trial = _try(settings, run, middle)
        trials.append(trial)
        low_kg, high_kg = (middle, high_kg) if trial.stood else (low_kg, middle)
    stood = [t.load_total_kg for t in trials if t.stood]
    fell = [t.load_total_kg for t in trials if not t.stood]
    return TippingLoad(
        estimator=settings.has_estimator,
        stands_kg=max(stood, default=None),
        falls_kg=min(fell, default=None),
        trials=sorted(trials, key=lambda trial: trial.load_total_kg),
    )


def _try(
    settings: RunSettings, run: Callable[[RunSettings], RunRecord], total_kg: float
) -> Trial:
    each = total_kg / len(loaded_sides(settings))
    record = run(msgspec.structs.replace(settings, payload_kg=each))
    return Trial(
        load_total_kg=total_kg,
        stood=not record.fell,
        fell_at_s=float(record.time_s[-1]) if record.fell else None,
    )
