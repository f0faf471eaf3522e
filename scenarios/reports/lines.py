"""Lines of the scoreboard for the paper's experiments after window washing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scenarios.metrics.balance import BalanceMetrics
from scenarios.metrics.loading import LoadingMetrics
from scenarios.metrics.pickup import PickupMetrics
from scenarios.metrics.results import AxisErrors
from scenarios.reports import paper_experiments as paper
from scenarios.reports.paper import Goal, around
from scenarios.reports.scoreboard import Line

Experiment = BalanceMetrics | LoadingMetrics | PickupMetrics


def experiment_lines(metrics: msgspec.Struct) -> list[Line]:
    """Every figure worth reading of an `Experiment`."""
    if isinstance(metrics, BalanceMetrics):
        return list(_balance(metrics))
    if isinstance(metrics, LoadingMetrics):
        return list(_loading(metrics))
    assert isinstance(metrics, PickupMetrics)
    return list(_pickup(metrics))


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
        yield Line(
            key=key,
            label=label,
            value=getattr(m, key),
            unit="mm",
            paper=published,
            goal=paper.BALANCE_GOALS.get(key),
        )
    yield Line(
        key="pelvis_pitch_max_deg",
        label="pelvis pitch, largest",
        value=m.pelvis_pitch_max_deg,
        unit="deg",
        paper="upright",
    )
    if m.push is not None:
        yield from _push(m)


def _push(m: BalanceMetrics) -> Iterator[Line]:
    push = m.push
    assert push is not None
    figures = {
        "impulse_forward_Ns": ("push, forward", "Ns"),
        "impulse_left_Ns": ("push, left", "Ns"),
        "com_excursion_mm": ("CoM excursion after the push", "mm"),
        "cop_margin_min_mm": ("CoP margin after the push, smallest", "mm"),
        "recovered_after_s": ("CoM back within 5 mm after", "s"),
    }
    for key, (label, unit) in figures.items():
        value = getattr(push, key)
        yield Line(key=f"push_{key}", label=label, value=value, unit=unit, decimals=2)


def _loading(m: LoadingMetrics) -> Iterator[Line]:
    goals = paper.LOADING_GOALS
    yield Line(
        key="bias_kg",
        label="bias before loading, against the robot file",
        value=m.bias_kg,
        unit="kg",
        decimals=2,
        paper=paper.LOADING_BIAS_KG,
    )
    for step, published in zip(m.steps, paper.LOADING_RECOVERED_PCT, strict=False):
        yield Line(
            key=f"recovered_{step.load_kg:.1f}kg_pct",
            label=f"recovered of {step.load_kg:.1f} kg",
            value=step.recovered_pct,
            unit="%",
            paper=published,
            goal=goals["recovered_pct"],
        )
    yield Line(
        key="sag_mm",
        label="sag at full load",
        value=m.sag_mm,
        unit="mm",
        paper=paper.LOADING_SAG_MM,
        goal=goals["sag_mm"],
    )
    yield Line(
        key="returned_mm",
        label="height after removal, from before loading",
        value=m.returned_mm,
        unit="mm",
        paper=paper.LOADING_RETURNED_MM,
        goal=goals["returned_mm"],
    )
    yield Line(
        key="mass_after_removal_kg",
        label="estimate after removal, from before loading",
        value=m.mass_after_removal_kg,
        unit="kg",
        decimals=2,
    )
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
    published = (*paper.LOADING_POWER_W, paper.LOADING_POWER_RATIO)
    values = (m.power_unloaded_W, m.power_peak_W, m.power_ratio)
    keys = ("power_unloaded_W", "power_peak_W", "power_ratio")
    labels = ("unloaded", "at peak load", "peak over unloaded")
    for key, label, value, figure in zip(keys, labels, values, published, strict=True):
        watts = key.endswith("_W")
        yield Line(
            key=key,
            label=f"joint power (model), {label}",
            value=value,
            unit="W" if watts else "",
            paper=figure,
        )


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
    yield Line(
        key="recovered_pct",
        label="recovered load while washing",
        value=m.recovered_pct,
        unit="%",
        paper=paper.PICKUP_RECOVERED_PCT,
        goal=paper.PICKUP_GOALS["recovered_pct"],
    )
    yield Line(
        key="bias_kg",
        label="bias before loading, against the robot file",
        value=m.bias_kg,
        unit="kg",
        decimals=2,
    )
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
    yield Line(
        key="pelvis_pitch_rmse_deg",
        label="pelvis pitch from its reference, RMS",
        value=m.pelvis_pitch_rmse_deg,
        unit="deg",
    )
    yield Line(
        key="squat_depth_mm",
        label="depth of the squat, of the CoM",
        value=m.squat_depth_mm,
        unit="mm",
        decimals=0,
    )
    yield Line(
        key="cop_margin_min_mm",
        label="CoP inside the polygon, smallest",
        value=m.cop_margin_min_mm,
        unit="mm",
    )


def _tracking(name: str, errors: AxisErrors) -> Iterator[Line]:
    for kind in ("rmse", "bias"):
        for axis in "yz":
            key = f"{kind}_{axis}_mm"
            published = paper.PICKUP_PAPER[name][key]
            # No worse than the paper's, whatever its sign.
            goal = Goal(at_most=published) if kind == "rmse" else None
            if kind == "bias":
                goal = around(0.0, abs(published))
            yield Line(
                key=f"{name}_{key}",
                label=f"{name}, {axis} {'RMSE' if kind == 'rmse' else 'bias'}",
                value=getattr(errors, key),
                unit="mm",
                paper=published,
                goal=goal,
            )


def _fixed_pelvis(name: str, errors: AxisErrors) -> Iterator[Line]:
    for axis in "yz":
        yield Line(
            key=f"{name}_fixed_pelvis_rmse_{axis}_mm",
            label=f"{name}, {axis} RMSE, pelvis motion counted",
            value=getattr(errors, f"rmse_{axis}_mm"),
            unit="mm",
        )
