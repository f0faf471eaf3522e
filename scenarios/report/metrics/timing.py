"""How long the stages of a run took, and how it kept its deadlines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.arrays import Array
from scenarios.records.record import Deadlines, RunRecord
from scenarios.report.metrics.results import DeadlineMetrics, StageTiming


def percentiles(durations_ms: Sequence[float] | Array) -> StageTiming:
    """Percentiles of at least one duration."""
    p50, p95, p99, largest = np.percentile(durations_ms, (50, 95, 99, 100))
    return StageTiming(
        p50=float(p50), p95=float(p95), p99=float(p99), max=float(largest)
    )


def stage_timing(record: RunRecord) -> dict[str, StageTiming]:
    """Percentiles by stage; a stage that was never timed is left out."""
    finite = {k: ms[np.isfinite(ms)] for k, ms in record.timing_ms.items()}
    return {stage: percentiles(ms) for stage, ms in finite.items() if len(ms)}


def deadline_metrics(kept: Deadlines | None) -> DeadlineMetrics | None:
    """Deadlines of a real-time run; None in lock-step."""
    if kept is None:
        return None
    return DeadlineMetrics(
        control_missed_pct=100.0 * kept.control_missed / max(1, kept.control_total),
        control_missed=kept.control_missed,
        control_longest_row=kept.control_longest_row,
        steps_late_pct=100.0 * kept.steps_late / max(1, kept.steps_total),
        scheduler=kept.scheduler,
        memory_locked=kept.memory_locked,
        refused=kept.refused,
    )
