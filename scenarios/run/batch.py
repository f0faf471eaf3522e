"""Runs several scenarios, in this process or in a few spawned ones.

Spawned, never forked: a fork hangs after a solve. Each process runs one whole scenario
with one OpenMP thread and sends its record back. A process that dies is started again,
twice at most, and takes nothing else with it; what fails is told when all others are
done. Runs with equal settings are run once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

import msgspec

from models.errors import ModelsError
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from wbmpc.errors import ProcessLostError
from wbmpc.realtime.child_process import (
    end_process,
    error_to_send,
    raise_sent_error,
    start_process,
)

Progress = Callable[[str, float], None]
"""Called with the name of a run and its plant time in seconds."""

POLL_S = 0.2
MOST_TRIES = 3
"""Of a run whose process dies: of memory, or killed from outside."""


def run_all(
    runs: Mapping[str, RunSettings], *, jobs: int, progress: Progress
) -> dict[str, RunRecord]:
    """Run scenarios by name, at most `jobs` at a time.

    Raises:
        ModelsError: A run cannot be started as asked, or its process died.
    """
    done = dict(run_each(runs, jobs=jobs, progress=progress))
    return {name: done[name] for name in runs}


def run_each(
    runs: Mapping[str, RunSettings], *, jobs: int, progress: Progress
) -> Iterator[tuple[str, RunRecord]]:
    """Run scenarios by name, at most `jobs` at a time; yield each when it is done.

    Raises:
        ModelsError: After all others: a run cannot be started as asked, or its process
            died three times.
    """
    equal: dict[bytes, list[str]] = {}
    for name, settings in runs.items():
        equal.setdefault(msgspec.json.encode(settings), []).append(name)
    once = {names[0]: runs[names[0]] for names in equal.values()}
    names_of = {names[0]: names for names in equal.values()}
    failures: list[ModelsError] = []
    if jobs <= 1 or len(once) == 1:
        done = _run_in_turn(once, progress, failures)
    else:
        done = _run_spawned(once, jobs, progress, failures)
    for first, record in done:
        for name in names_of[first]:
            yield name, record
    if failures:
        raise failures[0]


def _run_in_turn(
    runs: Mapping[str, RunSettings], progress: Progress, failures: list[ModelsError]
) -> Iterator[tuple[str, RunRecord]]:
    for name, settings in runs.items():
        try:
            record = run_here(name, settings, progress)
        except ModelsError as error:
            failures.append(error)
        else:
            yield name, record


def run_here(name: str, settings: RunSettings, progress: Progress) -> RunRecord:
    """Run one scenario in this process."""
    from scenarios.run.runner import run

    return run(settings, on_tick=lambda time_s: progress(name, time_s))


@dataclass(frozen=True, kw_only=True)
class _Job:
    """A scenario in a process of its own."""

    name: str
    process: SpawnProcess
    results: Connection
    clock: Any
    """Shared double: the plant time reached."""

    @classmethod
    def start(cls, name: str, settings: RunSettings) -> _Job:
        context = multiprocessing.get_context("spawn")
        results, send = context.Pipe(duplex=False)
        clock = context.Value("d", 0.0, lock=False)
        process = context.Process(
            target=_work, args=(settings, send, clock, os.getpid()), daemon=True
        )
        start_process(process)
        send.close()
        return cls(name=name, process=process, results=results, clock=clock)

    def finish(self) -> RunRecord:
        """Receive the record.

        Raises:
            ModelsError: The run refused its settings, or its process died.
        """
        try:
            answer = self.results.recv()
        except EOFError:
            self.process.join()
            raise ProcessLostError(
                f"run {self.name}: its process died (exit code "
                f"{self.process.exitcode}); wbmpc doctor checks the installation"
            ) from None
        self.process.join()
        raise_sent_error(answer)
        assert isinstance(answer, RunRecord)
        return answer


def _run_spawned(
    runs: Mapping[str, RunSettings],
    jobs: int,
    progress: Progress,
    failures: list[ModelsError],
) -> Iterator[tuple[str, RunRecord]]:
    waiting, active = list(runs), list[_Job]()
    tries = dict.fromkeys(runs, 0)
    try:
        while waiting or active:
            while waiting and len(active) < jobs:
                name = waiting.pop(0)
                tries[name] += 1
                active.append(_Job.start(name, runs[name]))
            ready = wait([job.results for job in active], timeout=POLL_S)
            for job in tuple(active):
                progress(job.name, job.clock.value)
                if job.results not in ready:
                    continue
                active.remove(job)
                try:
                    record = job.finish()
                except ProcessLostError as error:
                    if tries[job.name] < MOST_TRIES:
                        waiting.append(job.name)
                    else:
                        failures.append(error)
                except ModelsError as error:
                    failures.append(error)
                else:
                    yield job.name, record
    finally:
        for job in active:
            end_process(job.process)


def _work(settings: RunSettings, results: Connection, clock: Any, parent: int) -> None:
    """Body of a spawned process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    os.environ["OMP_NUM_THREADS"] = "1"

    def on_tick(time_s: float) -> None:
        clock.value = time_s
        if os.getppid() != parent:
            os._exit(1)  # killed parents leave no orphan

    try:
        from scenarios.run.runner import run

        results.send(run(settings, on_tick=on_tick))
    except Exception as error:
        results.send(error_to_send(error))
    finally:
        results.close()
