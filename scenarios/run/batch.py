"""Runs several scenarios, in this process or in a few worker processes.

Workers are spawned, never forked: a fork hangs after a solve. Each has one OpenMP
thread, makes one run after the other and sends its record back. A process that dies is
replaced, and its run made again, twice at most; what fails is told when all others are
done. Runs with equal settings are run once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import msgspec

from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from scenarios.workers.crew import Call, Crew, Finished, report

Progress = Callable[[str, float], None]
"""Called with the name of a run and its plant time in seconds."""


def run_all(
    runs: Mapping[str, RunSettings], *, jobs: int, progress: Progress
) -> dict[str, RunRecord]:
    """Run scenarios by name, at most `jobs` at a time.

    Raises:
        ModelsError: A run cannot be started as asked, or its process died.
    """
    done = dict(run_each(runs, jobs=jobs, progress=progress))
    return {name: done[name] for name in runs}


class Workers:
    """Worker processes that are started when they are first needed, and kept."""

    def __init__(self, jobs: int) -> None:
        """Start none yet.

        Args:
            jobs: How many there will be.
        """
        self._jobs = jobs
        self._opened = contextlib.ExitStack()
        self._crew: Crew | None = None

    def crew(self) -> Crew:
        """All of them.

        Raises:
            ProcessLostError: They cannot be started.
        """
        from scenarios.workers.cluster import local_crew

        if self._crew is None:
            self._crew = self._opened.enter_context(local_crew(self._jobs))
        return self._crew

    def close(self) -> None:
        """End them."""
        self._crew = None
        self._opened.close()


def run_each(
    runs: Mapping[str, RunSettings],
    *,
    jobs: int,
    progress: Progress,
    workers: Workers | None = None,
) -> Iterator[tuple[str, RunRecord]]:
    """Run scenarios by name, at most `jobs` at a time; yield each when it is done.

    Args:
        runs: By name.
        jobs: 1 for this process.
        progress: Told how far each is.
        workers: Who does it; by default new ones for these runs.

    Raises:
        ModelsError: After all others: a run cannot be started as asked, or its process
            died three times.
    """
    equal: dict[bytes, list[str]] = {}
    for name, settings in runs.items():
        equal.setdefault(msgspec.json.encode(settings), []).append(name)
    once = {names[0]: runs[names[0]] for names in equal.values()}
    names_of = {names[0]: names for names in equal.values()}
    failures: list[Exception] = []
    for done in _each_over(once, min(jobs, len(once)), progress, workers):
        failure = done.failure()
        if failure is not None:
            failures.append(failure)
            continue
        for name in names_of[done.name]:
            yield name, done.value
    if failures:
        raise failures[0]


def run_here(name: str, settings: RunSettings, progress: Progress) -> RunRecord:
    """Run one scenario in this process."""
    from scenarios.run.runner import run

    return run(settings, on_tick=lambda time_s: progress(name, time_s))


def _each_over(
    runs: Mapping[str, RunSettings],
    jobs: int,
    progress: Progress,
    workers: Workers | None,
) -> Iterator[Finished]:
    if jobs <= 1:
        for name, settings in runs.items():
            yield Finished.of(name, partial(run_here, name, settings, progress))
        return
    calls: dict[str, Call] = {name: (run_there, (s,)) for name, s in runs.items()}
    kept = workers or Workers(jobs)
    try:
        crew = kept.crew()
        crew.on_progress = progress
        try:
            yield from crew.each(calls)
        finally:
            crew.drop()
    finally:
        if workers is None:
            kept.close()


def run_there(settings: RunSettings) -> RunRecord:
    """Run one scenario in a worker."""
    from scenarios.run.runner import run

    return run(settings, on_tick=report)
