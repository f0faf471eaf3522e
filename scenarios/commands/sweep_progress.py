"""How a sweep goes on: a bar on a terminal, else a line for each finished run."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from scenarios.commands.sweep import clock
from scenarios.interrupts import ending_at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from scenarios.run.settings import RunSettings
    from scenarios.sweep.row import Row
    from scenarios.sweep.sweep import State

SILENCE_S = 30.0
"""After which it is told that nobody works."""


class SweepProgress:
    """Tells what is done, failed and waiting, and how long it will take.

    Attributes:
        made: Runs that are over, references left out.
    """

    def __init__(self, state: State, say: Callable[[str], None]) -> None:
        """Count what has to be done.

        Args:
            state: What is missing.
            say: Says a sentence.
        """
        self._say, self._started_s = say, time.monotonic()
        runs = [*state.references.values(), *(run.settings for run in state.missing)]
        self._total = len(runs)
        self._simulated_s = sum(run.duration_s for run in runs)
        self._done_s, self._over = 0.0, 0
        self._statuses: Counter[str] = Counter()
        self._workers, self._idle_s = -1, time.monotonic()
        self.made = 0
        self._bar: Any = None

    def __enter__(self) -> SweepProgress:
        """Show the bar, if there is a terminal."""
        if sys.stderr.isatty():
            with ending_at_once():
                from tqdm import tqdm
            tqdm.monitor_interval = 0
            self._bar = tqdm(
                total=self._total,
                unit="run",
                file=sys.stderr,
                leave=False,
                bar_format="{desc} {percentage:3.0f}% |{bar}| {elapsed} elapsed",
            )
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def at(self, name: str, time_s: float) -> None:
        """A run has reached a time; too many of them to be told."""

    def waiting(self, workers: int, refused: int) -> None:
        """How many workers there are; told when it changes, or nobody works."""
        now = time.monotonic()
        if workers != self._workers:
            if self._bar is None:
                self._say(f"{workers} {'worker' if workers == 1 else 'workers'}")
            self._workers, self._idle_s = workers, now
        elif workers == 0 and now - self._idle_s > SILENCE_S:
            self._say(f"no worker yet that may work, {refused} refused; waiting")
            self._idle_s = now

    def over(self, settings: RunSettings, row: Row | None) -> None:
        """A run is over; a reference has no row."""
        self._over += 1
        self._done_s += settings.duration_s
        if row is not None:
            self.made += 1
            self._statuses[row["status"]] += 1
        line = f"{self._counts()}, {self._left()}"
        if self._bar is not None:
            self._bar.set_description_str(line, refresh=False)
            self._bar.update(1)
            if row is not None and row["status"] != "done":
                self._say(f"{_name(settings)}: {row['status']}: {row['reason']}")
            return
        what = "reference" if row is None else row["status"]
        why = f": {row['reason']}" if row is not None and row["reason"] else ""
        self._say(f"{line}: {_name(settings)} {what}{why}")

    def _counts(self) -> str:
        bad = self._statuses["failed"] + self._statuses["fell"]
        return (
            f"{self._over} of {self._total} over, {bad} failed or fell, "
            f"{self._total - self._over} waiting"
        )

    def _left(self) -> str:
        spent_s = time.monotonic() - self._started_s
        share = self._done_s / self._simulated_s
        return f"{clock(spent_s * (1.0 - share) / share)} left"


def _name(settings: RunSettings) -> str:
    changes = " ".join(("", *settings.overrides))
    return f"{settings.payload_kg:g} kg {settings.arm} seed {settings.seed}{changes}"
