"""Pictures of the arm: tracking by joint, mass over time, error against mass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.report.figure_style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY
from scenarios.report.figure_style import new_figure as _new_figure
from scenarios.studies.so101.bench import (
    COMPUTED_TORQUE,
    KNOWN,
    PD,
    RLS,
    UNLOADED,
    Logs,
)
from scenarios.studies.so101.moving import OURS
from scenarios.studies.so101.servo import (
    EMPTY,
    MOTION_RLS,
    MOVING,
    STATIC_CALIBRATED,
    STATIC_RAW,
    Shown,
    TrackingRow,
)
from wbmpc.arm.description import Arm
from wbmpc.arm.run import ArmLog

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Figures = dict[str, Callable[[], Figure]]

STYLES: dict[str, dict[str, Any]] = {
    PD: {"color": BLACK, "linestyle": ":"},
    f"{COMPUTED_TORQUE}, {UNLOADED}": {"color": RED, "linestyle": "--"},
    RLS: {"color": BLUE, "linestyle": "-"},
    f"{COMPUTED_TORQUE}, {KNOWN}": {"color": GREEN, "linestyle": "-."},
    EMPTY: {"color": RED, "linestyle": "--"},
    MOTION_RLS: {"color": PURPLE, "linestyle": ":"},
    STATIC_RAW: {"color": ORANGE, "linestyle": "-"},
    STATIC_CALIBRATED: {"color": GREEN, "linestyle": "-."},
    MOVING: {"color": BLUE, "linestyle": "-"},
}
_LINES = ("-", "--", "-.", ":")
_COLORS = (PURPLE, ORANGE, RED, SKY, BLACK)


def bench_figures(arm: Arm, logs: Logs) -> Figures:
    """Tracking by joint and mass over time on the torque plant."""
    heaviest = max(mass for mass, _, _ in logs)
    shown = {
        _label(controller, model): log
        for (mass, controller, model), log in logs.items()
        if mass == heaviest
    }
    masses = {m: log for (m, name, _), log in logs.items() if name == RLS}
    return {
        "tracking": lambda: tracking(arm, shown, f"{heaviest:g} kg on torque motors"),
        "mass": lambda: _mass_over_time(masses),
    }


def servo_figures(arm: Arm, shown: Shown, rows: Sequence[TrackingRow]) -> Figures:
    """Tracking, designs over time, and error against the mass compensated."""
    heaviest = max((mass for mass, _ in shown.logs), default=0.0)
    runs = {name: log for (mass, name), log in shown.logs.items() if mass == heaviest}
    figures: Figures = {"moving_estimators": lambda: design_masses(shown)}
    if runs:
        title = f"{heaviest:g} kg on servos"
        figures["tracking"] = lambda: tracking(arm, runs, title)
        figures["error_against_mass"] = lambda: error_against_mass(rows)
    return figures


def tracking(arm: Arm, logs: Mapping[str, ArmLog], title: str) -> Figure:
    """Error of each joint over time."""
    names = arm.joint_names[arm.arm_joints]
    figure = _new_figure(9.0, 9.0)
    axes = figure.subplots(len(names), 1, sharex=True)
    for joint, (axis, name) in enumerate(zip(axes, names, strict=True)):
        for label, log in logs.items():
            error = 1e3 * (log.q - log.q_wanted)[:, joint]
            axis.plot(log.time_s, error, linewidth=1.2, label=label, **STYLES[label])
        axis.axvline(arm.settings.task.settled_s, color="#BBBBBB", linewidth=0.8)
        axis.set_ylabel(f"{name}\n[mrad]", fontsize=8)
    axes[-1].set_xlabel("time [s]")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9)
    figure.suptitle(f"Joint errors with {title}; they count from the grey line on")
    return figure


def design_masses(shown: Shown) -> Figure:
    """Raw estimates of every design along the same runs."""
    masses = sorted({mass for mass, _ in shown.masses})
    figure = _new_figure(4.6 * len(masses), 4.8)
    axes = list(np.atleast_1d(figure.subplots(1, len(masses), sharey=True)))
    for axis, mass in zip(axes, masses, strict=True):
        _designs_of(axis, shown, mass)
    axes[0].set_ylabel("raw estimate [kg]")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    figure.suptitle("Payload as estimated while the arm moves on servos")
    return figure


def error_against_mass(rows: Sequence[TrackingRow]) -> Figure:
    """A wrong mass is worse than none: error over the mass compensated."""
    figure = _new_figure(7.0, 4.5)
    axis = figure.subplots()
    for index, payload in enumerate(dict.fromkeys(row.payload_kg for row in rows)):
        color = (BLUE, RED, GREEN, ORANGE)[index % 4]
        points = [r for r in rows if r.payload_kg == payload and r.controller != PD]
        points.sort(key=lambda row: row.mass_kg or 0.0)
        axis.plot(
            [1e3 * (row.mass_kg or 0.0) for row in points],
            [1e3 * row.rms_rad for row in points],
            color=color,
            marker="o",
            linestyle=_LINES[index % 4],
            label=f"{payload:g} kg",
        )
        axis.axvline(1e3 * payload, color=color, linewidth=0.8, linestyle=":")
    axis.set_xlabel("mass compensated [g] (dotted: true)")
    axis.set_ylabel("settled RMS of 4 joints [mrad]")
    axis.legend()
    return figure


def _mass_over_time(logs: Mapping[float, ArmLog]) -> Figure:
    figure = _new_figure(7.0, 4.5)
    axis = figure.subplots()
    for index, (mass, log) in enumerate(logs.items()):
        color = (BLACK, BLUE, RED, GREEN, ORANGE)[index % 5]
        axis.plot(log.time_s, log.raw_mass_kg, color=color, label=f"{mass:g} kg")
        axis.axhline(mass, color=color, linewidth=0.8, linestyle=":")
    axis.set_xlabel("time [s]")
    axis.set_ylabel("raw estimate [kg] (dotted: true)")
    axis.set_ylim(bottom=-0.05)
    axis.legend(loc="center right")
    return figure


def _designs_of(axis: Axes, shown: Shown, mass: float) -> None:
    axis.axhline(mass, color="#BBBBBB", linewidth=3.0)
    names = [name for other, name in shown.masses if other == mass]
    for index, name in enumerate(names):
        ours = name == OURS
        axis.plot(
            shown.time_s,
            shown.masses[mass, name],
            label=name,
            color=BLUE if ours else _COLORS[index % len(_COLORS)],
            linestyle="-" if ours else _LINES[index % len(_LINES)],
            linewidth=2.2 if ours else 1.2,
            zorder=3 if ours else 2,
        )
    axis.set_ylim(-0.35, 0.45)
    axis.set_title(f"{mass:g} kg")
    axis.set_xlabel("time [s]")


def _label(controller: str, model: str) -> str:
    label = f"{controller}, {model}"
    return label if label in STYLES else controller
