"""Privileges of a real-time process that the operating system grants or refuses."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_MCL_CURRENT_AND_FUTURE = 3


@dataclass(frozen=True, kw_only=True)
class Privileges:
    """The answers to what was asked for; nothing here is needed to run.

    Attributes:
        scheduler: `SCHED_FIFO 40`, or `normal`.
        memory_locked: Whether no page of the process can be swapped out.
        refused: One sentence for each thing that was refused.
    """

    scheduler: str = "normal"
    memory_locked: bool = False
    refused: tuple[str, ...] = ()


@contextmanager
def realtime_process(priority: int | None) -> Iterator[Privileges]:
    """Make this process as punctual as the system permits, for a while.

    SCHED_FIFO, locked memory, and no pauses of Python's cycle collector, which stops
    for milliseconds. What is refused is stated, never raised. Children start without
    the priority.

    Args:
        priority: Of SCHED_FIFO, 1 to 99; the larger one runs first. None: ask for
            nothing of the system.
    """
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    granted = Privileges() if priority is None else _ask(priority)
    try:
        yield granted
    finally:
        if granted.memory_locked:
            _libc().munlockall()
        if granted.scheduler != "normal":
            _schedule_threads(os.SCHED_OTHER, 0)
        if collects:
            gc.enable()


def _ask(priority: int) -> Privileges:
    no_fifo, no_lock = ask_fifo(priority), _lock_memory()
    return Privileges(
        scheduler="normal" if no_fifo else f"SCHED_FIFO {priority}",
        memory_locked=not no_lock,
        refused=tuple(filter(None, (no_fifo, no_lock))),
    )


def ask_fifo(priority: int) -> str:
    """Ask for SCHED_FIFO; why there is none, empty if there is.

    For processes that only have to be punctual; `realtime_process` does more.
    """
    if not (hasattr(os, "SCHED_FIFO") and hasattr(os, "sched_setscheduler")):
        return "SCHED_FIFO: this system does not have it"
    # Without the flag, which Linux alone has, children would inherit the priority.
    policy = os.SCHED_FIFO | getattr(os, "SCHED_RESET_ON_FORK", 0)
    try:
        _schedule_threads(policy, priority)
    except OSError as error:
        return f"SCHED_FIFO refused: {error.strerror}; needs an rtprio limit"
    return ""


def _schedule_threads(policy: int, priority: int) -> None:
    """Set the scheduler of every thread there is now.

    The solver's OpenMP workers are among them: a worker left behind at normal priority
    keeps the others waiting at every barrier.
    """
    tasks = Path("/proc/self/task")
    threads = [int(entry.name) for entry in tasks.iterdir()] if tasks.is_dir() else [0]
    for thread in threads:
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setscheduler(thread, policy, os.sched_param(priority))


def _lock_memory() -> str:
    """Why memory is not locked; empty if it is."""
    if not hasattr(_libc(), "mlockall"):
        return "mlockall: this system does not have it"
    if _libc().mlockall(_MCL_CURRENT_AND_FUTURE) != 0:
        reason = os.strerror(ctypes.get_errno())
        return f"mlockall refused: {reason}; needs a memlock limit"
    return ""


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
