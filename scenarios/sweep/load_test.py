"""What the engine of sweeps costs by itself: a plan of empty runs.

    python -m scenarios.sweep.load_test 10000

prints seconds to plan, to hand out, to make the table and to find everything finished,
and the memory of this process, which is client and scheduler in one.
"""

from __future__ import annotations

import importlib
import resource
import sys
import tempfile
import time
from pathlib import Path

from scenarios.run.settings import RunSettings
from scenarios.sweep.job import Answer, Job
from scenarios.sweep.plan import make_plan
from scenarios.sweep.row import DONE, Row, maker_columns, setting_columns
from scenarios.sweep.store import Store
from scenarios.sweep.sweep import Sweep, state_of
from scenarios.sweep.table import write_tables
from scenarios.workers.cores import usable_cores
from scenarios.workers.identity import this_identity

FIGURES = 200
"""Numbers in a row, about as many as a run has."""


def empty_run(job: Job) -> Answer:
    """A row without a run."""
    if job.is_reference:
        return Answer(is_kept=True)
    row = {
        "run_id": job.run_id,
        "status": DONE,
        "reason": "",
        **setting_columns(job.settings),
        **{f"figure_{k}": 1.0 / (k + job.settings.seed + 1) for k in range(FIGURES)},
        **maker_columns(this_identity(), time.time(), 0.0),
    }
    Store(Path(job.folder)).put_row(row)
    return Answer(row=row, is_kept=True)


class Silent:
    """Watches and says nothing."""

    def at(self, name: str, time_s: float) -> None:
        """A run has reached a time."""

    def over(self, settings: RunSettings, row: Row | None) -> None:
        """A run is over."""

    def waiting(self, workers: int, refused: int) -> None:
        """How many workers there are."""


def main(count: int) -> None:
    """Measure."""
    from scenarios.workers.cluster import local_crew

    seeds = tuple(range(max(1, count // 10)))
    axes = {"payload_kg": (1.0, 2.0, 3.0, 5.0, 8.0), "arm": ("left", "right")}
    clock = _Clock()
    plan = make_plan("window_washing", axes | {"seed": seeds})
    clock.tell(f"to plan {len(plan.runs)} runs, {len(plan.references)} references")
    with tempfile.TemporaryDirectory(prefix="wbmpc-") as folder:
        store = Store(Path(folder))
        store.prepare()
        state = state_of(plan, store)
        clock.tell("to find nothing finished")
        workers = usable_cores()
        with local_crew(workers) as crew:
            clock.tell(f"to start {workers} workers")
            sweep = Sweep(
                plan=plan,
                store=store,
                state=state,
                watcher=Silent(),
                work=empty_run,
            )
            sweep.run(crew)
            spent_s = clock.tell("to hand them out and take them back")
            each_ms = 1e3 * spent_s * workers / (len(plan.runs) + len(plan.references))
            print(f"{each_ms:9.1f} ms of a worker's time for each")
        write_tables(store)
        clock.tell("to write the tables")
        left = state_of(plan, store).missing
        clock.tell(f"to find {len(plan.runs) - len(left)} finished")


class _Clock:
    """Prints the time since the last word, and the memory of this process."""

    def __init__(self) -> None:
        self._last_s = time.perf_counter()

    def tell(self, what: str) -> float:
        spent_s = time.perf_counter() - self._last_s
        memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"{spent_s:9.2f} s {what}; {memory_mb:.0f} MB", flush=True)
        self._last_s = time.perf_counter()
        return spent_s


if __name__ == "__main__":
    # By name, so that workers find `empty_run` in this module and not in `__main__`.
    module = importlib.import_module("scenarios.sweep.load_test")
    module.main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
