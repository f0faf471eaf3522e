"""A comparison without and with the estimator as plain text tables."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.report.metrics.results import LinkMetrics, RunMetrics
from scenarios.report.metrics.windows import ratio
from scenarios.report.paper import PRIOR_GOAL, REAL_TIME_GOAL, Goal
from scenarios.report.tables import MISSING, Row, mark, number, render
from scenarios.studies.comparison import Comparison, GoalResult, loaded_link

MPC_STAGE = "mpc"
"""Name the runner gives the time of one solve."""


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
        parts.append(priors_table(comparison, comparison.priors))
    if comparison.estimators:
        parts.append(estimators_table(comparison))
        who = "the published filter, Table III as printed"
        parts.append(priors_table(comparison, comparison.table_v, who))
    parts.append(_verdict(comparison))
    return "\n\n".join(parts)


def estimators_table(comparison: Comparison) -> str:
    """Figures of A1 for every variant of the filter."""
    header = (
        "estimator",
        "y mm",
        "z mm",
        "mass and com, s",
        "mass, s",
        "payload kg",
        "alpha",
        "t3 m",
        "inside 95 %",
    )
    rows: list[Row] = []
    for name, metrics in comparison.estimators.items():
        tip, link_name = (
            metrics.tip[comparison.arm],
            loaded_link(metrics, comparison.arm),
        )
        link = None if link_name is None else metrics.links[link_name]
        report = None if metrics.payloads is None else metrics.payloads[comparison.arm]
        rows.append(
            [
                name + (", FELL" if metrics.fell else ""),
                number(tip.rmse_y_mm, 2),
                number(tip.rmse_z_mm, 2),
                number(link.time_to_10pct_s if link else None, 2),
                number(link.mass_time_to_10pct_s if link else None, 2),
                number(report.payload_kg if report else None, 2),
                number(link.alpha_end if link else None, 4),
                number(link.t3_end if link else None, 4),
                number(report.inside_95_pct if report else None, 0),
            ]
        )
    return (
        "RMSE of the loaded tip, settled; times to within 10 %; published: Table III "
        "as printed; plain: our variances\n" + render(header, rows)
    )


def priors_table(
    comparison: Comparison, runs: Mapping[str, RunMetrics], who: str = ""
) -> str:
    """Table V: RMS deviation from nominal of the loaded link by prior regime.

    Args:
        comparison: Whose link and paper.
        runs: By regime.
        who: Which estimator, if not the one that is compared.
    """
    rows = []
    for regime, metrics in runs.items():
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
        "RMS deviation from nominal, loaded forearm, settled window"
        + (f"; {who}" if who else "")
        + "\n"
        + render(header, rows)
        + f"\n  d, s: goal {PRIOR_GOAL} each under the inertia_only prior"
    )


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
            cells = [number(over), number(under, 2), _ratio_text(ratio(over, under))]
            rows.append([f"{axis}, {label}", *cells, *blank])
    return render(header, rows)


def _paper_cells(comparison: Comparison, axis: str) -> list[str]:
    paper = comparison.paper
    if paper is None or axis == "x":
        return [""] * 5
    key = f"rmse_{axis}_mm"
    goal = comparison.goals.get(key)
    return [
        number(getattr(paper.without_estimator, key)),
        number(getattr(paper.with_estimator, key)),
        _ratio_text(getattr(paper, f"ratio_{axis}")),
        goal.goal if goal else "",
        mark(goal.met) if goal else "",
    ]


def _ratio_text(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3g}x"


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
    """Parts of the time to 10 %."""
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
                f"{number(factor, 2)}x",
                number(tick.p50 if tick else None, 2),
                number(tick.p99 if tick else None, 2),
            ]
        )
    return render(header, rows)


def _prior_row(
    regime: str, source: str, metrics: RunMetrics, link: LinkMetrics | None, arm: str
) -> Row:
    values = (link.alpha, link.d, link.s, link.t) if link else (None,) * 4
    judged = regime == "inertia_only" and source == "ours"
    return [
        regime,
        source,
        number(metrics.elbow_rms_deg[arm], 2),
        *(_small(v) for v in values),
        number(link.mass_kg if link else None, 2),
        _prior_mark(PRIOR_GOAL, link) if judged else "",
    ]


def _prior_mark(goal: Goal, link: LinkMetrics | None) -> str:
    """Whether d and s meet a goal, and which of them does not."""
    if link is None or link.d is None or link.s is None:
        return MISSING
    values = {"d": link.d, "s": link.s}
    short = [name for name, value in values.items() if not goal.met(value)]
    return f"{mark(False)}: {', '.join(short)}" if short else mark(True)


def _verdict(comparison: Comparison) -> str:
    """Goals that are met, and every one that is not with its value."""
    lines = []
    if comparison.goals:
        goals = comparison.goals
        met = sum(g.met is True for g in goals.values())
        short = [_shortfall(n, g) for n, g in goals.items() if g.met is not True]
        tail = f"; short: {', '.join(short)}" if short else ""
        lines.append(f"goals met: {met} of {len(goals)}{tail}")
    else:
        lines.append("no published figures for these settings")
    slow = [
        f"{number(metrics.real_time_factor, 2)}x {name} estimator"
        for name, metrics in (
            ("without", comparison.without_estimator),
            ("with", comparison.with_estimator),
        )
        if REAL_TIME_GOAL.met(metrics.real_time_factor) is False
    ]
    if slow:
        factors = " and ".join(slow)
        lines.append(f"slower than real time: {factors} (goal {REAL_TIME_GOAL}x)")
    if comparison.goals and comparison.paper:
        lines.append(f"paper: {comparison.paper.source}")
    return "\n".join(lines)


def _shortfall(name: str, result: GoalResult) -> str:
    value = "unknown" if result.value is None else f"{result.value:.4g}"
    return f"{name} {value} (goal {result.goal})"


def _small(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:.3f}" if abs(value) >= 5e-3 or value == 0.0 else f"{value:.0e}"
