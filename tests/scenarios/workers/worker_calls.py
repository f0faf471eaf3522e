"""Calls that tests hand to workers, which import them by name."""

from __future__ import annotations

import os
import time
from pathlib import Path

from scenarios.errors import ScenarioError
from scenarios.workers.crew import report


def square(number: int) -> int:
    return number * number


def refuse() -> None:
    raise ScenarioError("--payload 7: not today")


def stumble() -> None:
    raise ZeroDivisionError("a bug")


def die() -> None:
    os._exit(7)


def die_at_first(mark: str) -> int:
    """Ends its process the first time, returns its number the second time."""
    if not Path(mark).exists():
        Path(mark).touch()
        os._exit(9)
    return os.getpid()


def slow(seconds: float) -> float:
    started = time.monotonic()
    while (spent := time.monotonic() - started) < seconds:
        time.sleep(0.05)
        report(spent)
    return seconds


def threads() -> tuple[str | None, bool]:
    """OpenMP threads of a worker, and whether Ctrl-C is blocked in it."""
    import signal

    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return os.environ.get("OMP_NUM_THREADS"), signal.SIGINT in blocked
