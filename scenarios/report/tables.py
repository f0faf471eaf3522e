"""Results as plain text tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.report.metrics.results import AxisErrors, LinkMetrics, RunMetrics
from scenarios.report.paper import PRIOR_GOAL, REAL_TIME_GOAL, Goal
from scenarios.studies.comparison import Comparison, loaded_link

Row = Sequence[str]

MISSING = "-"
MPC_STAGE = "mpc"
"""Name the runner gives the time of one solve."""
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


def comparison_table(comparison: Comparison) -> str:
    """Without and with estimator beside the paper, with ratios and goals."""
    without, with_it = comparison.without_estimator, comparison.with_estimator
    title = (
        f"{comparison.scenario}: {with_it.payload_kg:g} kg, {with_it.arm} forearm, "
        "tip error from the unloaded path"
    )
    parts = [title, _tracking_table(comparison)]
    estimate = _estimate_table(comparison)
    if estimate:
        parts.append(estimate)
    parts.append(_outcome_table({"without": without, "with": with_it}))
    if comparison.priors:
        parts.append(priors_table(comparison))
    parts.append(_verdict(comparison))
    return "\n\n".join(parts)


def priors_table(comparison: Comparison) -> str:
    """Table V: RMS deviation from nominal of the loaded link by prior regime."""
    rows = []
    for regime, metrics in comparison.priors.items():
        name = loaded_link(metrics, comparison.arm)
        link = metrics.links[name] if name is not None else None
        rows.append(_prior_row(regime, "ours", metrics, link, comparison.arm))
        paper = comparison.paper.priors.get(regime) if comparison.paper else None
        if paper is not None:
            values = (paper.alpha, paper.d, paper.s, paper.t)
            elbow = number(paper.elbow_rms_deg, 2)
            cells = (_small(v) for v in values)
            rows.append([regime, "paper", elbow, *cells, "", ""])
    header = ("prior", "", "elbow deg", "alpha", "d", "s", "t", "mass kg", "d, s")
    return (
        "RMS deviation from nominal, loaded forearm, settled window\n"
        + render(header, rows)
        + f"\n  d, s: goal {PRIOR_GOAL} each under the inertia_only prior"
    )


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


def _small(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:.3f}" if abs(value) >= 5e-3 or value == 0.0 else f"{value:.0e}"


def _line(row: Row, widths: Sequence[int]) -> str:
    first = row[0].ljust(widths[0])
    rest = (cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
    return ("  " + "  ".join((first, *rest))).rstrip()


def _heading(metrics: RunMetrics) -> str:
    estimator = f"estimator on, prior {metrics.prior}"
    if not metrics.estimator:
        estimator = "estimator off"
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


def _tracking_table(comparison: Comparison) -> str:
    arm, paper = comparison.arm, comparison.paper
    without = comparison.without_estimator.tip[arm]
    with_it = comparison.with_estimator.tip[arm]
    header = ["RMSE mm", "without", "with", "ratio"]
    header += ["paper without", "with", "ratio", "goal", ""] if paper else []
    rows = []
    for axis in "xyz":
        key = f"rmse_{axis}_mm"
        row = [
            f"{axis}, settled",
            number(getattr(without, key)),
            number(getattr(with_it, key), 2),
            _ratio_text(getattr(comparison, f"ratio_{axis}")),
        ]
        rows.append(row + (_paper_cells(comparison, axis) if paper else []))
    blank = [""] * (len(header) - 4)
    for label, pick in (("from loading", "whole"), ("torso, settled", "torso")):
        a, b = getattr(without, pick), getattr(with_it, pick)
        for axis in "yz":
            key = f"rmse_{axis}_mm"
            over, under = getattr(a, key), getattr(b, key)
            ratio = over / under if over is not None and under else None
            cells = [number(over), number(under, 2), _ratio_text(ratio)]
            rows.append([f"{axis}, {label}", *cells, *blank])
    return render(header, rows)


def _paper_cells(comparison: Comparison, axis: str) -> list[str]:
    paper = comparison.paper
    if paper is None or axis == "x":
        return [""] * 5
    key = f"rmse_{axis}_mm"
    goal = comparison.goals[key]
    return [
        number(getattr(paper.without_estimator, key)),
        number(getattr(paper.with_estimator, key)),
        _ratio_text(getattr(paper, f"ratio_{axis}")),
        goal.goal,
        mark(goal.met),
    ]


def _ratio_text(ratio: float | None) -> str:
    return MISSING if ratio is None else f"{ratio:.3g}x"


def _estimate_table(comparison: Comparison) -> str | None:
    metrics = comparison.with_estimator
    name = loaded_link(metrics, comparison.arm)
    if name is None:
        return None
    link, paper = metrics.links[name], comparison.paper
    ours = {
        "time_to_10pct_s": number(link.time_to_10pct_s, 2),
        "alpha_end": number(link.alpha_end, 4),
        "t3_end": number(link.t3_end, 4),
        "ratio_z": _ratio_text(comparison.ratio_z),
    }
    labels = {
        "time_to_10pct_s": "mass and com within 10 %, s",
        "alpha_end": "alpha at the end",
        "t3_end": "t3 at the end",
        "ratio_z": "ratio z",
    }
    true = f"true {number(link.mass_true_kg, 3)}"
    rows: list[Row] = [["mass, kg", number(link.mass_kg, 3), "", true, ""]]
    for key, label in labels.items():
        goal = comparison.goals.get(key)
        if key == "alpha_end":
            rows += _arrival_rows(link)
        rows.append(
            [
                label,
                ours[key],
                _paper_value(key, comparison) if paper else "",
                goal.goal if goal else "",
                mark(goal.met) if goal else "",
            ]
        )
    return render((f"{name}", "ours", "paper", "goal", ""), rows)


def _arrival_rows(link: LinkMetrics) -> list[Row]:
    """What the time to 10 % is made of."""
    parts = {
        "  mass alone, s": link.mass_time_to_10pct_s,
        "  com alone, s": link.com_time_to_10pct_s,
    }
    return [[label, number(value, 2), "", "", ""] for label, value in parts.items()]


def _paper_value(key: str, comparison: Comparison) -> str:
    paper = comparison.paper
    if paper is None:
        return ""
    text = {
        "time_to_10pct_s": f"within {paper.time_to_10pct_s:g}",
        "alpha_end": f"{paper.alpha_end:.2f}",
        "t3_end": f"{paper.t3_end:.2f}",
        "ratio_z": _ratio_text(paper.ratio_z),
    }
    return text[key]


def _outcome_table(runs: dict[str, RunMetrics]) -> str:
    header = (
        "run",
        "outcome",
        "CoM drift mm",
        "CoP margin mm",
        "real time",
        "solve p50 ms",
        "p99 ms",
    )
    rows = []
    for name, metrics in runs.items():
        tick = metrics.timing_ms.get(MPC_STAGE)
        factor = metrics.real_time_factor
        rows.append(
            [
                f"{name} estimator",
                "FELL" if metrics.fell else "stood",
                number(metrics.com.drift_mm),
                number(metrics.ground.cop_min_margin_mm),
                f"{number(factor, 2)}x {mark(REAL_TIME_GOAL.met(factor))}",
                number(tick.p50 if tick else None, 2),
                number(tick.p99 if tick else None, 2),
            ]
        )
    return render(header, rows)


def _prior_row(
    regime: str, source: str, metrics: RunMetrics, link: LinkMetrics | None, arm: str
) -> Row:
    values = (link.alpha, link.d, link.s, link.t) if link else (None,) * 4
    met = _prior_met(PRIOR_GOAL, link) if regime == "inertia_only" else None
    return [
        regime,
        source,
        number(metrics.elbow_rms_deg[arm], 2),
        *(_small(v) for v in values),
        number(link.mass_kg if link else None, 2),
        "" if regime != "inertia_only" else mark(met),
    ]


def _prior_met(goal: Goal, link: LinkMetrics | None) -> bool | None:
    if link is None or link.d is None or link.s is None:
        return None
    return bool(goal.met(link.d)) and bool(goal.met(link.s))


def _verdict(comparison: Comparison) -> str:
    goals = comparison.goals
    if not goals:
        return "no published figures for these settings"
    met = sum(g.met is True for g in goals.values())
    short = [name for name, g in goals.items() if g.met is not True]
    tail = f"; short: {', '.join(short)}" if short else ""
    source = comparison.paper.source if comparison.paper else ""
    return f"goals met: {met} of {len(goals)}{tail}\npaper: {source}"
