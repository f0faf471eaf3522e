"""The load at which the robot tips over, found by bisection."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    """One search, as in `find_tipping_loads`."""
    searches = {"": settings}

    def runs(asked: Mapping[str, RunSettings]) -> dict[str, RunRecord]:
        return {name: run(one) for name, one in asked.items()}

    return find_tipping_loads(searches, runs, tolerance_kg=tolerance_kg)[""]


def find_tipping_loads(
    searches: Mapping[str, RunSettings],
    runs: Callable[[Mapping[str, RunSettings]], Mapping[str, RunRecord]],
    *,
    tolerance_kg: float = 0.5,
) -> dict[str, TippingLoad]:
    """Bisect the total load between standing and falling, side by side.

    Standing means not having fallen by the end of the run. If a smaller load fell
    where a larger one stands, bisection can miss it: every trial is in the answer.

    Args:
        searches: A run by name; its load is what is searched.
        runs: Makes runs by name, the next of each search that is not over.
        tolerance_kg: Width of the interval left at the end.
    """
    found = {name: _Search(one, tolerance_kg) for name, one in searches.items()}
    while True:
        asked = {name: search.next() for name, search in found.items()}
        left = {name: one for name, one in asked.items() if one is not None}
        if not left:
            return {name: search.found() for name, search in found.items()}
        for name, record in runs(left).items():
            found[name].learn(record)


class _Search:
    """One bisection in progress."""

    def __init__(self, settings: RunSettings, tolerance_kg: float) -> None:
        self._settings, self._tolerance_kg = settings, tolerance_kg
        self._low_kg, self._high_kg = 0.0, MAX_TOTAL_KG
        self._trials: list[Trial] = []

    def next(self) -> RunSettings | None:
        """The run to try; None when the interval is narrow enough."""
        if not self._low_kg < self._middle_kg() < self._high_kg:
            return None
        if self._high_kg - self._low_kg <= self._tolerance_kg:
            return None
        each = self._middle_kg() / len(loaded_sides(self._settings))
        return msgspec.structs.replace(self._settings, payload_kg=each)

    def learn(self, record: RunRecord) -> None:
        """What came of the run that was tried."""
        middle = self._middle_kg()
        self._trials.append(
            Trial(
                load_total_kg=middle,
                stood=not record.fell,
                fell_at_s=float(record.time_s[-1]) if record.fell else None,
            )
        )
        if record.fell:
            self._high_kg = middle
        else:
            self._low_kg = middle

    def found(self) -> TippingLoad:
        stood = [t.load_total_kg for t in self._trials if t.stood]
        fell = [t.load_total_kg for t in self._trials if not t.stood]
        return TippingLoad(
            estimator=self._settings.has_estimator,
            stands_kg=max(stood, default=None),
            falls_kg=min(fell, default=None),
            trials=sorted(self._trials, key=lambda trial: trial.load_total_kg),
        )

    def _middle_kg(self) -> float:
        """A whole multiple of the tolerance, so that a search repeats its loads."""
        middle = (self._low_kg + self._high_kg) / 2
        return round(middle / self._tolerance_kg) * self._tolerance_kg
