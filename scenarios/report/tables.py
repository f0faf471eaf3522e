"""Results as plain text tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.report.metrics.results import AxisErrors, RunMetrics
from scenarios.run.settings import DEFAULT_ESTIMATOR

Row = Sequence[str]

MISSING = "-"
BEHIND_FACTOR = 0.95
"""Real-time factor under which a run against the wall clock was too slow."""


def run_table(metrics: RunMetrics) -> str:
    """Everything worth reading about one run."""
    parts = [_heading(metrics)]
    if metrics.estimator:
        parts.append(_links_table(metrics))
    parts += [_tips_table(metrics), _body_table(metrics), _timing_table(metrics)]
    if metrics.events:
        parts.append("events\n" + "\n".join(f"  {e}" for e in metrics.events))
    return "\n\n".join(parts)


def render(header: Row, rows: Sequence[Row]) -> str:
    """Align columns: the first to the left, the others to the right."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    lines = [_line(row, widths) for row in table]
    lines.insert(1, "  " + "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def number(value: float | None, decimals: int = 1) -> str:
    """Fixed decimals, or a dash for an unknown value."""
    return MISSING if value is None else f"{value:.{decimals}f}"


def mark(met: bool | None) -> str:
    """Whether a goal is met, in a word."""
    return {True: "met", False: "SHORT", None: MISSING}[met]


def _line(row: Row, widths: Sequence[int]) -> str:
    first = row[0].ljust(widths[0])
    rest = (cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
    return ("  " + "  ".join((first, *rest))).rstrip()


def _heading(metrics: RunMetrics) -> str:
    estimator = "estimator off"
    if metrics.estimator:
        which = metrics.estimator_name
        usual = which == DEFAULT_ESTIMATOR
        estimator = f"estimator on, prior {metrics.prior}" if usual else which
    outcome = "FELL" if metrics.fell else "stood"
    factor = number(metrics.real_time_factor, 2)
    load = f"{metrics.payload_kg:g} kg on {metrics.arm}"
    return (
        f"{metrics.scenario} on {metrics.robot}: {load}, {estimator}, "
        f"{metrics.duration_s:g} s, {outcome}, {factor}x real time"
    )


def _links_table(metrics: RunMetrics) -> str:
    header = (
        "estimated link",
        "mass kg",
        "true",
        "+- 2 sigma",
        "com z m",
        "true",
        "alpha",
        "t3",
        "to 10 % s",
    )
    rows = [
        [
            f"{name} ({link.side})",
            number(link.mass_kg, 3),
            number(link.mass_true_kg, 3),
            number(None if link.sigma_mass_kg is None else 2 * link.sigma_mass_kg, 3),
            number(link.com_m[2] if link.com_m else None, 4),
            number(link.com_true_m[2] if link.com_true_m else None, 4),
            number(link.alpha_end, 4),
            number(link.t3_end, 4),
            number(link.time_to_10pct_s, 2),
        ]
        for name, link in metrics.links.items()
    ]
    return render(header, rows)


def _tips_table(metrics: RunMetrics) -> str:
    header = ("tip error mm", "rmse x", "y", "z", "bias x", "y", "z")
    rows = []
    for side, tip in metrics.tip.items():
        rows += [
            _axis_row(f"{side}, world, settled", tip),
            _axis_row(f"{side}, world, from loading", tip.whole),
            _axis_row(f"{side}, torso, settled", tip.torso),
            _axis_row(f"{side}, torso, from reference", tip.reference),
        ]
    return render(header, rows)


def _axis_row(label: str, errors: AxisErrors) -> Row:
    keys = [f"{kind}_{axis}_mm" for kind in ("rmse", "bias") for axis in "xyz"]
    return [label, *(number(getattr(errors, key)) for key in keys)]


def _body_table(metrics: RunMetrics) -> str:
    spread = metrics.com.spread_mm
    ground = metrics.ground
    rows = [
        ["CoM drift, horizontal", number(metrics.com.drift_mm), "mm"],
        ["CoM spread x / y / z", " / ".join(number(spread[a]) for a in "xyz"), "mm"],
        ["CoP margin, smallest", number(ground.cop_min_margin_mm), "mm"],
        ["ground force against weight", number(ground.weight_error_pct, 2), "%"],
        [
            "estimated vertical force, RMS error",
            number(ground.vertical_error_rms_pct, 2),
            "%",
        ],
        ["torques at their limit", number(metrics.torque_saturated_pct, 2), "%"],
    ]
    rows += [
        [f"{side} elbow from its reference, RMS", number(value, 2), "deg"]
        for side, value in metrics.elbow_rms_deg.items()
    ]
    rows += [
        [f"fault {name}", str(count), ""] for name, count in metrics.faults.items()
    ]
    return render(("body", "value", "unit"), rows)


def _timing_table(metrics: RunMetrics) -> str:
    rows = [
        [stage, *(number(v, 2) for v in (t.p50, t.p95, t.p99, t.max))]
        for stage, t in metrics.timing_ms.items()
    ]
    table = render(("time of a tick, ms", "p50", "p95", "p99", "max"), rows)
    return table + _deadline_lines(metrics)


def _deadline_lines(metrics: RunMetrics) -> str:
    kept, factor = metrics.deadlines, metrics.real_time_factor
    if kept is None:
        return ""
    memory = "locked" if kept.memory_locked else "not locked"
    lines = [
        f"deadlines missed: {kept.control_missed_pct:.2f} % of control ticks (longest "
        f"row {kept.control_longest_row}), {kept.steps_late_pct:.2f} % of 1 kHz steps",
        f"scheduler: {kept.scheduler}; memory {memory}",
        *kept.refused,
    ]
    if factor is not None and factor < BEHIND_FACTOR:
        lines.append(f"SLOWER THAN REAL TIME: {factor:.2f}x")
    return "".join(f"\n  {line}" for line in lines)
