"""Lines of the scoreboard for the paper's experiments after window washing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scenarios.report import paper_experiments as paper
from scenarios.report.metrics.balance import BalanceMetrics
from scenarios.report.metrics.loading import LoadingMetrics
from scenarios.report.metrics.pickup import PickupMetrics
from scenarios.report.metrics.results import AxisErrors
from scenarios.report.paper import Goal, around
from scenarios.report.scoreboard import Line

Experiment = BalanceMetrics | LoadingMetrics | PickupMetrics

_UNITS = {u: u for u in ("mm", "deg", "kg", "W", "Ns", "s")} | {"pct": "%"}
_BIAS = "bias before loading, against the robot file"


def experiment_lines(metrics: msgspec.Struct) -> list[Line]:
    """Every figure worth reading of an `Experiment`."""
    if isinstance(metrics, BalanceMetrics):
        return list(_balance(metrics))
    if isinstance(metrics, LoadingMetrics):
        return list(_loading(metrics))
    assert isinstance(metrics, PickupMetrics)
    return list(_pickup(metrics))


def _line(
    metrics: msgspec.Struct,
    key: str,
    label: str,
    *,
    prefix: str = "",
    decimals: int = 1,
    paper: float | str | None = None,
    goal: Goal | None = None,
) -> Line:
    """A field of some metrics; its unit is the end of its name."""
    return Line(
        key=prefix + key,
        label=label,
        value=getattr(metrics, key),
        unit=_UNITS.get(key.rpartition("_")[2], ""),
        decimals=decimals,
        paper=paper,
        goal=goal,
    )


def _balance(m: BalanceMetrics) -> Iterator[Line]:
    figures = {
        "pelvis_shift_x_mm": ("pelvis shift, forward", "moves back"),
        "com_shift_x_mm": ("CoM shift, forward", None),
        "com_margin_end_mm": ("CoM inside the polygon, end", "inside"),
        "com_margin_min_mm": ("CoM inside the polygon, smallest", None),
        "cop_margin_end_mm": ("CoP inside the polygon, end", "inside"),
        "cop_margin_min_mm": ("CoP inside the polygon, smallest", None),
        "arm_sag_mm": ("sag of the loaded tips", None),
    }
    for key, (label, published) in figures.items():
        yield _line(m, key, label, paper=published, goal=paper.BALANCE_GOALS.get(key))
    yield _line(m, "pelvis_pitch_max_deg", "pelvis pitch, largest", paper="upright")
    if m.push is not None:
        yield from _push(m)


def _push(m: BalanceMetrics) -> Iterator[Line]:
    push = m.push
    assert push is not None
    figures = {
        "impulse_forward_Ns": "push, forward",
        "impulse_left_Ns": "push, left",
        "com_excursion_mm": "CoM excursion after the push",
        "cop_margin_min_mm": "CoP margin after the push, smallest",
        "recovered_after_s": "CoM back within 5 mm after",
    }
    for key, label in figures.items():
        yield _line(push, key, label, prefix="push_", decimals=2)


def _loading(m: LoadingMetrics) -> Iterator[Line]:
    goals = paper.LOADING_GOALS
    yield _line(m, "bias_kg", _BIAS, paper=paper.LOADING_BIAS_KG, decimals=2)
    for step, published in zip(m.steps, paper.LOADING_RECOVERED_PCT, strict=False):
        yield Line(
            key=f"recovered_{step.load_kg:.1f}kg_pct",
            label=f"recovered of {step.load_kg:.1f} kg",
            value=step.recovered_pct,
            unit="%",
            paper=published,
            goal=goals["recovered_pct"],
        )
    figures = {
        "sag_mm": ("sag at full load", paper.LOADING_SAG_MM),
        "returned_mm": (
            "height after removal, from before loading",
            paper.LOADING_RETURNED_MM,
        ),
    }
    for key, (label, known) in figures.items():
        yield _line(m, key, label, paper=known, goal=goals[key])
    label = "estimate after removal, from before loading"
    yield _line(m, "mass_after_removal_kg", label, decimals=2)
    for axis, com in m.com.items():
        yield Line(
            key=f"com_{axis}_spread_mm",
            label=f"CoM {axis}, spread",
            value=com.spread_mm,
            unit="mm",
            paper=paper.LOADING_COM_M[axis][3],
            goal=goals[f"com_{axis}_spread_mm"],
        )
    yield from _loading_power(m)


def _loading_power(m: LoadingMetrics) -> Iterator[Line]:
    unloaded_W, peak_W = paper.LOADING_POWER_W
    figures = {
        "power_unloaded_W": ("unloaded", unloaded_W),
        "power_peak_W": ("at peak load", peak_W),
        "power_ratio": ("peak over unloaded", paper.LOADING_POWER_RATIO),
    }
    for key, (label, known) in figures.items():
        yield _line(m, key, f"joint power (model), {label}", paper=known)


def _pickup(m: PickupMetrics) -> Iterator[Line]:
    yield from _tracking("loaded", m.tip)
    if m.replay is not None:
        yield from _tracking("unloaded", m.replay)
    for name, errors in (
        ("loaded", m.tip_fixed_pelvis),
        ("unloaded", m.replay_fixed_pelvis),
    ):
        if errors is not None:
            yield from _fixed_pelvis(name, errors)
    yield _line(
        m,
        "recovered_pct",
        "recovered load while washing",
        paper=paper.PICKUP_RECOVERED_PCT,
        goal=paper.PICKUP_GOALS["recovered_pct"],
    )
    yield _line(m, "bias_kg", _BIAS, decimals=2)
    offsets = m.com_height_offset_mm
    for phase in offsets.__struct_fields__:
        yield Line(
            key=f"com_height_offset_{phase}_mm",
            label=f"CoM height from its reference, {phase.replace('_', ' ')}",
            value=getattr(offsets, phase),
            unit="mm",
            paper="40" if phase == "washing" else None,
            goal=around(0.0, 10.0),
        )
    label = "pelvis pitch from its reference, RMS"
    yield _line(m, "pelvis_pitch_rmse_deg", label)
    yield _line(m, "squat_depth_mm", "depth of the squat, of the CoM", decimals=0)
    yield _line(m, "cop_margin_min_mm", "CoP inside the polygon, smallest")


def _tracking(name: str, errors: AxisErrors) -> Iterator[Line]:
    for kind in ("rmse", "bias"):
        for axis in "yz":
            key = f"{kind}_{axis}_mm"
            published = paper.PICKUP_PAPER[name][key]
            # No worse than the paper's, whatever its sign.
            goal = Goal(at_most=published) if kind == "rmse" else None
            if kind == "bias":
                goal = around(0.0, abs(published))
            label = f"{name}, {axis} {'RMSE' if kind == 'rmse' else 'bias'}"
            yield _line(
                errors, key, label, prefix=f"{name}_", paper=published, goal=goal
            )


def _fixed_pelvis(name: str, errors: AxisErrors) -> Iterator[Line]:
    for axis in "yz":
        label = f"{name}, {axis} RMSE, pelvis motion counted"
        yield _line(errors, f"rmse_{axis}_mm", label, prefix=f"{name}_fixed_pelvis_")
