"""How long a sweep takes, and how much disk: measured on a short piece of its runs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from scenarios.run.settings import RunSettings

PROBE_S = 0.5
"""Simulated time of the piece."""
ROW_BYTES = 15000
"""Of a row as a file and in the tables, about."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What the missing runs of a sweep would cost."""

    runs: int
    """With the unloaded references."""
    references: int
    simulated_s: float
    workers: int
    wall_s: float
    """On so many cores of this machine that nothing else uses."""
    disk_mb: float


def estimate(
    runs: Sequence[RunSettings],
    references: Sequence[RunSettings],
    *,
    workers: int,
    keep_records: bool,
) -> Estimate:
    """Run a piece of the first run, and count.

    Raises:
        ModelsError: It cannot be run.
    """
    both = [*references, *runs]
    simulated_s = sum(run.duration_s for run in both)
    wall_s = disk = 0.0
    if both:
        setup_s, per_s, bytes_per_s = _probe((runs or references)[0])
        wall_s = (len(both) * setup_s + simulated_s * per_s) / workers
        kept = both if keep_records else references
        disk = bytes_per_s * sum(run.duration_s for run in kept)
        disk += ROW_BYTES * len(runs)
    return Estimate(
        runs=len(both),
        references=len(references),
        simulated_s=simulated_s,
        workers=workers,
        wall_s=wall_s,
        disk_mb=disk / 1e6,
    )


def _probe(settings: RunSettings) -> tuple[float, float, float]:
    """Seconds to set a run up, seconds and bytes per simulated second."""
    from scenarios.records.record_file import save_record
    from scenarios.run.runner import run

    piece = msgspec.structs.replace(
        settings,
        duration_s=PROBE_S,
        at_s=0.0,
        remove_at_s=None,
        tare_s=0.0,
        push=None,
        faults=(),
    )
    run(msgspec.structs.replace(piece, duration_s=0.1))  # imports, and warms up
    started = time.perf_counter()
    record = run(piece)
    whole_s = time.perf_counter() - started
    with tempfile.TemporaryDirectory(prefix="wbmpc-") as folder:
        path = Path(folder) / "run.npz"
        save_record(path, record, {})
        size = path.stat().st_size
    return whole_s - record.wall_s, record.wall_s / PROBE_S, size / PROBE_S
