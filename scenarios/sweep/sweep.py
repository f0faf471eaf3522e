"""Makes the runs of a plan that are missing, whatever happens to the workers.

What is on disk is all the state there is: a sweep that is started again looks there.
"""

from __future__ import annotations

import contextlib
import uuid
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from models.errors import UnwrittenError
from scenarios.run.settings import RunSettings
from scenarios.sweep.job import Answer, Job, do_job
from scenarios.sweep.plan import Plan, PlannedRun
from scenarios.sweep.row import FAILED, Row, failed_row, maker_columns
from scenarios.sweep.store import Store, has_record
from scenarios.workers.crew import Crew, Finished
from scenarios.workers.identity import this_identity

WAIT_S = 0.5


class Watcher(Protocol):
    """Who is told how a sweep goes on."""

    def at(self, name: str, time_s: float) -> None:
        """A run has reached a time."""
        ...

    def over(self, settings: RunSettings, row: Row | None) -> None:
        """A run is over; a reference has no row."""
        ...

    def waiting(self, workers: int, refused: int) -> None:
        """How many workers there are."""
        ...


@dataclass(kw_only=True)
class State:
    """How far a sweep is.

    Attributes:
        missing: Runs that have to be made.
        references: Unloaded runs that have to be made for them, by digest.
        found: Statuses of runs that were finished before, with their number.
        other_program: Rows of this plan that another program made, not counted.
    """

    missing: list[PlannedRun]
    references: dict[str, RunSettings]
    found: Counter[str]
    other_program: int = 0


def state_of(
    plan: Plan, store: Store, *, retry_failed: bool = False, keep_old: bool = False
) -> State:
    """What a plan lacks in a folder.

    Args:
        plan: What shall be there.
        store: What is there.
        retry_failed: Whether a run that failed counts as missing.
        keep_old: Whether a row of another program counts as finished.
    """
    identity = this_identity()
    missing, found, others = [], Counter[str](), 0
    for run in plan.runs:
        row = store.row(run.run_id)
        if row is not None and not (keep_old or row.get("identity") == identity.digest):
            others += 1
            row = None
        if row is None or (retry_failed and row["status"] == FAILED):
            missing.append(run)
        else:
            found[row["status"]] += 1
    needed = {run.reference for run in missing if run.reference is not None}
    references = {
        name: settings
        for name, settings in plan.references.items()
        if name in needed
        and not has_record(store.reference_path(name), identity.running)
    }
    return State(
        missing=missing, references=references, found=found, other_program=others
    )


@dataclass(kw_only=True)
class Sweep:
    """A sweep in progress.

    Attributes:
        plan: All of it.
        store: Where it is kept.
        state: What it lacks.
        watcher: Is told.
        keep_records: Whether the runs themselves are kept, not only their rows.
        most_failures: Failed runs after which no other is started; None for any.
        work: What a worker does with a job.
    """

    plan: Plan
    store: Store
    state: State
    watcher: Watcher
    keep_records: bool = True
    most_failures: int | None = None
    work: Callable[[Job], Answer] = do_job
    made: Counter[str] = field(default_factory=Counter)
    _inline: bool = False
    _token: str = ""

    def run(self, crew: Crew) -> None:
        """Make everything that is missing, or stop after too many failures.

        Raises:
            UnwrittenError: The disk is full, or was taken away.
            ProcessLostError: The cluster is gone.
        """
        crew.on_progress = self.watcher.at
        with self._known_by_token():
            try:
                self._run(crew)
            finally:
                crew.drop()

    def _run(self, crew: Crew) -> None:
        queue = _Queue(self.state)
        while not queue.is_done():
            workers = crew.workers()
            self.watcher.waiting(len(workers), crew.refused())
            for _ in range(crew.room()):
                job = None if self._has_enough() else queue.next()
                if job is None:
                    break
                crew.start(job[0], self.work, self._job(*job))
            if self._has_enough() and not crew.running:
                return
            done = crew.finished(WAIT_S)
            if done is not None:
                self._take(done, queue)

    def _has_enough(self) -> bool:
        most = self.most_failures
        return most is not None and self.made[FAILED] >= most

    def _job(self, name: str, settings: RunSettings, reference: str | None) -> Job:
        content = None
        if self._inline and reference is not None:
            content = self.store.reference_path(reference).read_bytes()
        return Job(
            run_id=name.removeprefix(REFERENCE),
            settings=settings,
            is_reference=name.startswith(REFERENCE),
            reference=reference,
            reference_bytes=content,
            folder=str(self.store.folder),
            token=self._token,
            keep_record=self.keep_records,
        )

    def _take(self, done: Finished, queue: _Queue) -> None:
        """Note what came of a job.

        Raises:
            UnwrittenError: It cannot be kept.
        """
        answer = self._answer(done, queue.settings(done.name))
        if answer.unwritten:
            raise UnwrittenError(answer.unwritten)
        if answer.needs_reference:
            self._inline = True
            queue.again(done.name)
            return
        if not answer.is_kept:
            self._keep(done.name, answer)
        settings = queue.settings(done.name)
        if done.name.startswith(REFERENCE):
            reason = "" if answer.row is None else answer.row["reason"]
            self.watcher.over(settings, None)
            for run in queue.reference_over(done.name, is_there=answer.row is None):
                told = f"the unloaded run it is compared with failed: {reason}"
                self._put(run.run_id, run.settings, told)
        elif answer.row is not None:
            queue.over(done.name)
            self.made[answer.row["status"]] += 1
            self.watcher.over(settings, answer.row)

    def _answer(self, done: Finished, settings: RunSettings) -> Answer:
        """What a job answered, or would have if its worker had not failed."""
        if isinstance(done.value, Answer):
            return done.value
        reason = str(done.error) if done.error else done.trace.strip().splitlines()[-1]
        run_id = done.name.removeprefix(REFERENCE)
        row = failed_row(run_id, settings, reason.removeprefix(f"{done.name}: "))
        row |= maker_columns(this_identity(), 0.0, 0.0)
        return Answer(row=row, trace=done.trace)

    def _keep(self, name: str, answer: Answer) -> None:
        run_id = name.removeprefix(REFERENCE)
        is_reference = name.startswith(REFERENCE)
        if answer.record is not None:
            folder = "references" if is_reference else "records"
            self.store.write(f"{folder}/{run_id}.npz", answer.record)
        if answer.trace:
            self.store.put_trace(run_id, answer.trace)
        if answer.row is not None and not is_reference:
            self.store.put_row(answer.row)

    def _put(self, run_id: str, settings: RunSettings, reason: str) -> None:
        row = failed_row(run_id, settings, reason)
        row |= maker_columns(this_identity(), 0.0, 0.0)
        self.store.put_row(row)
        self.made[FAILED] += 1
        self.watcher.over(settings, row)

    @contextlib.contextmanager
    def _known_by_token(self) -> Iterator[None]:
        """Within, a file by which workers find out whether they see the folder."""
        self._token = f".seen-{uuid.uuid4().hex}"
        self.store.write(self._token, b"")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                (self.store.folder / self._token).unlink()


REFERENCE = "reference-"
"""Begins the name of a job that makes one."""


class _Queue:
    """Jobs in the order of the plan; runs wait until their reference is there."""

    def __init__(self, state: State) -> None:
        self._pending = deque(state.missing)
        self._references = state.references
        self._ready: deque[tuple[str, RunSettings, str | None]] = deque()
        self._blocked: dict[str, list[PlannedRun]] = defaultdict(list)
        self._running: dict[str, tuple[RunSettings, str | None]] = {}
        self._begun: set[str] = set()
        self._left = len(state.missing)

    def is_done(self) -> bool:
        return self._left == 0

    def next(self) -> tuple[str, RunSettings, str | None] | None:
        """Name, settings and reference of a job; None if all wait for something."""
        job = self._ready.popleft() if self._ready else self._new()
        if job is not None:
            name, settings, reference = job
            self._running[name] = settings, reference
        return job

    def settings(self, name: str) -> RunSettings:
        return self._running[name][0]

    def again(self, name: str) -> None:
        """A job that was not made for a reason that is no more."""
        settings, reference = self._running.pop(name)
        self._ready.appendleft((name, settings, reference))

    def over(self, name: str) -> None:
        del self._running[name]
        self._left -= 1

    def reference_over(self, name: str, *, is_there: bool) -> list[PlannedRun]:
        """Let runs that waited for a reference go on; those that cannot be run."""
        del self._running[name]
        key = name.removeprefix(REFERENCE)
        runs = self._blocked.pop(key, [])
        if not is_there:
            runs += [run for run in self._pending if run.reference == key]
            self._pending = deque(r for r in self._pending if r.reference != key)
            self._left -= len(runs)
            return runs
        del self._references[key]
        self._ready.extend((r.run_id, r.settings, r.reference) for r in runs)
        return []

    def _new(self) -> tuple[str, RunSettings, str | None] | None:
        while self._pending:
            run = self._pending.popleft()
            key = run.reference
            if key is None or key not in self._references:
                return run.run_id, run.settings, key
            self._blocked[key].append(run)
            if key not in self._begun:
                self._begun.add(key)
                return REFERENCE + key, self._references[key], None
        return None


def is_mixed(rows: list[Row]) -> dict[str, list[str]]:
    """Programs that made the rows of a table, where it is more than one."""
    names = ("source", "measuring", "kernel", "versions")
    found = {n: sorted({str(r.get(n)) for r in rows}) for n in names}
    return {name: values for name, values in found.items() if len(values) > 1}
