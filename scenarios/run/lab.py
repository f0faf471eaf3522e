"""Runs experiments need, each made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from scenarios.errors import ScenarioError
from scenarios.records.record import RunRecord
from scenarios.records.run_cache import RunCache
from scenarios.run.batch import Workers, run_each
from scenarios.run.settings import RunSettings


class Bar(Protocol):
    """The interface of a progress bar."""

    def __enter__(self) -> Bar:
        """Start."""
        ...

    def __exit__(self, *_: object) -> None:
        """End."""
        ...

    def show(self, name: str, time_s: float) -> None:
        """A run has reached a time."""
        ...


class NoBar:
    """Shows nothing."""

    def __enter__(self) -> NoBar:
        """Start."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def show(self, name: str, time_s: float) -> None:
        """A run has reached a time."""


class Lab:
    """Makes runs, at most `jobs` at a time, and finds finished ones again.

    Every finished run is on disk before the next one starts, so that a lab that was
    stopped goes on where it was. As a context it keeps its workers until the end.

    Attributes:
        made: Runs simulated by this lab.
        found: Runs that were finished before.
    """

    def __init__(
        self,
        cache: RunCache,
        *,
        jobs: int = 1,
        bars: Callable[[Mapping[str, RunSettings]], Bar] = lambda _: NoBar(),
    ) -> None:
        """Use a cache.

        Args:
            cache: Where finished runs are.
            jobs: Runs at a time, each in a process of its own.
            bars: Makes a progress bar for runs by name.
        """
        self._cache, self._jobs, self._bars = cache, jobs, bars
        self.made = self.found = 0
        self._workers: Workers | None = None

    def __enter__(self) -> Lab:
        """Keep workers from the first runs on."""
        self._workers = Workers(self._jobs)
        return self

    def __exit__(self, *_: object) -> None:
        """Send them away."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def prepare(self, runs: Mapping[str, RunSettings]) -> None:
        """Make every run that is missing.

        Raises:
            ModelsError: A run cannot be started, or cannot be kept.
        """
        missing = {name: s for name, s in runs.items() if not self._cache.has(s)}
        self.found += len(runs) - len(missing)
        if not missing:
            return
        with self._bars(missing) as bar:
            for _, record in run_each(
                missing, jobs=self._jobs, progress=bar.show, workers=self._workers
            ):
                self._cache.put(record)
                self.made += 1

    def run(self, settings: RunSettings) -> RunRecord:
        """One run, made now if it is missing."""
        record = self._cache.get(settings)
        if record is None:
            self.prepare({settings.scenario: settings})
            record = self._cache.get(settings)
        if record is None:
            raise ScenarioError(f"the run in {self._cache.path(settings)} is unusable")
        return record

    def runs(self, names: Mapping[str, RunSettings]) -> dict[str, RunRecord]:
        """Several runs by name."""
        self.prepare(names)
        return {name: self.run(settings) for name, settings in names.items()}


def merged(parts: Iterable[Mapping[str, RunSettings]]) -> dict[str, RunSettings]:
    """All runs of several plans; equal settings only once, under their first name."""
    whole: dict[str, RunSettings] = {}
    seen: list[RunSettings] = []
    for part in parts:
        for name, settings in part.items():
            if settings not in seen:
                seen.append(settings)
                whole[name] = settings
    return whole
