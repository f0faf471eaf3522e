"""One run of a sweep, made in a worker process, here or on another machine.

Where the worker sees the sweep's folder it writes what it made there itself, so that
nothing is lost with whoever asked; elsewhere everything goes back as bytes.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from models.errors import ModelsError, UnwrittenError
from scenarios.records.record import RunRecord
from scenarios.run.settings import RunSettings
from scenarios.sweep.row import Row, failed_row, finished_row, maker_columns
from scenarios.sweep.store import (
    Store,
    has_record,
    keep_record,
    pack_record,
    unpack_record,
)
from scenarios.workers.crew import report
from scenarios.workers.identity import this_identity

Runner = Callable[..., RunRecord]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is asked for."""

    run_id: str
    settings: RunSettings
    is_reference: bool = False
    """An unloaded run that others are compared with: only its record is wanted."""
    reference: str | None = None
    """Digest of the run to compare with."""
    reference_bytes: bytes | None = None
    """That run, for a worker that does not see the folder."""
    folder: str
    token: str
    """Name of a file in the folder, by which a worker knows it again."""
    keep_record: bool = True


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job."""

    row: Row | None = None
    """None for a reference that was made."""
    trace: str = ""
    record: bytes | None = None
    """The run, if the worker could not write it itself."""
    is_kept: bool = False
    """Whether the worker has written everything."""
    unwritten: str = ""
    """Why it could not."""
    needs_reference: bool = False
    """Nothing was made: the reference is a file that is not here."""


def do_job(job: Job) -> Answer:
    """Make one run. Whatever goes wrong with it is an answer."""
    store = Store(Path(job.folder))
    here = (store.folder / job.token).is_file()
    if job.reference is not None and not here and job.reference_bytes is None:
        return Answer(needs_reference=True)
    try:
        return _made(job, store if here else None)
    except UnwrittenError as error:
        return Answer(unwritten=str(error))


def _made(job: Job, store: Store | None) -> Answer:
    started_s, clock_s = time.time(), time.perf_counter()
    identity, record, trace = this_identity(), None, ""
    try:
        record = _record(job, store)
        row = None if job.is_reference else _measured(job, store, record)
    except UnwrittenError:
        raise
    except ModelsError as error:
        row = failed_row(job.run_id, job.settings, str(error))
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        reason = f"{type(error).__name__}: {error}"
        row = failed_row(job.run_id, job.settings, reason)
    if row is not None:
        wall_s = time.perf_counter() - clock_s
        row |= maker_columns(identity, started_s, wall_s)
    if store is None:
        wanted = record is not None and (job.is_reference or job.keep_record)
        packed = pack_record(record, identity.running) if wanted and record else None
        return Answer(row=row, trace=trace, record=packed)
    if row is not None and not job.is_reference:
        if trace:
            store.put_trace(job.run_id, trace)
        store.put_row(row)  # last: what has a row is complete
    return Answer(row=row, trace=trace, is_kept=True)


def _record(job: Job, store: Store | None) -> RunRecord:
    """The run: found where an earlier sweep left it, or made."""
    from scenarios.records.record_file import load_record
    from scenarios.run.runner import run

    identity = this_identity().running
    path = None
    if store is not None:
        path = (
            store.reference_path(job.run_id)
            if job.is_reference
            else store.record_path(job.run_id)
        )
        if has_record(path, identity):
            return load_record(path)
    record = run(job.settings, on_tick=report)
    if path is not None and (job.is_reference or job.keep_record):
        keep_record(path, record, identity)
    return record


def _measured(job: Job, store: Store | None, record: RunRecord) -> Row:
    from scenarios.records.record_file import load_record
    from scenarios.report.evaluation import evaluate
    from wbmpc.robot import Robot

    twin: Any = None
    if job.reference_bytes is not None:
        twin = unpack_record(job.reference_bytes)
    elif job.reference is not None and store is not None:
        twin = load_record(store.reference_path(job.reference))
    robot = Robot.load(job.settings.robot, job.settings.overrides)
    return finished_row(job.run_id, job.settings, evaluate(record, robot, twin))
