"""Text of what `wbmpc estimators` and `wbmpc estimate` measured."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.studies.estimators.benchmark import EstimatorsResult, LamRow
from scenarios.studies.estimators.drift_benchmark import DriftRow
from scenarios.studies.estimators.estimation import Row

ROW_HEADER = (
    "stream",
    "estimator",
    "to 10% [s]",
    "error [kg]",
    "noise [kg]",
    "alarms",
    "us/sample",
    "consistent",
    "NEES",
)


def estimators_text(result: EstimatorsResult) -> str:
    """All three tables."""
    parts = [
        markdown(ROW_HEADER, [_row(row) for row in result.rows]),
        markdown(*_drift(result.drift)),
        markdown(*_forgetting(result.payload_rls)),
    ]
    return "\n\n".join(parts)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns also line up as text."""
    cells = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [_line(line, widths) for line in cells]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def number(value: float | None, digits: int = 2) -> str:
    """Fixed digits, powers of ten for the very large, a dash for nothing."""
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if abs(value) < 1e4 else f"{value:.0e}"


def _row(row: Row) -> list[str]:
    return [
        row.stream,
        row.estimator,
        number(row.time_to_10pct_s),
        number(row.final_error_kg),
        number(row.noise_kg, 3),
        number(row.false_alarms, 1),
        number(row.us_per_sample, 0),
        "yes" if row.consistent else "no",
        number(row.nees),
    ]


def _drift(rows: Sequence[DriftRow]) -> tuple[list[str], list[list[str]]]:
    header = [
        "step",
        "detector",
        "false alarm in",
        "alarms/run",
        "within 20",
        "clean",
        "delay median (max)",
        "error before, after [Nm]",
        "us/sample",
    ]
    return header, [
        [
            row.stream,
            row.detector,
            f"{row.runs_with_false_alarm} of {row.seeds}",
            number(row.false_alarms, 1),
            str(row.detected),
            str(row.clean),
            f"{number(row.delay_median, 0)} ({number(row.delay_max, 0)})",
            f"{row.error_before_Nm:.3f}, {row.error_after_Nm:.3f}",
            number(row.us_per_sample, 0),
        ]
        for row in rows
    ]


def _forgetting(rows: Sequence[LamRow]) -> tuple[list[str], list[list[str]]]:
    times = [f"t = {time}" for time in rows[0].mass_kg] if rows else []
    header = ["lam", *times, "end", "to 10% [s]", "max before", "min", "us/sample"]
    return header, [
        [
            f"{row.lam:g}",
            *(number(mass, 3) for mass in row.mass_kg.values()),
            number(row.end_kg, 3),
            number(row.time_to_10pct_s),
            number(row.largest_before_kg, 3),
            number(row.smallest_kg, 3),
            number(row.us_per_sample, 0),
        ]
        for row in rows
    ]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "| " + " | ".join(padded) + " |"
