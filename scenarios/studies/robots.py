"""Robots side by side: rows of figures, and their text table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import pinocchio as pin

from scenarios.library.balance import BalanceMetrics, measure_balance
from scenarios.library.loads.suited_load import SuitedLoad
from scenarios.library.motions.body_scale import height_ratio, reach_ratio
from scenarios.library.motions.washing import suited_motion
from scenarios.library.run_settings import default_load, run_settings
from scenarios.records.record import RunRecord
from scenarios.report.tables import MISSING, number, render
from scenarios.run.settings import DEFAULT_ESTIMATOR, NO_ESTIMATOR, RunSettings
from scenarios.studies.comparison import (
    Comparison,
    compare,
    gather,
    loaded_link,
    plan_runs,
)
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

WASHING, BALANCE = "window_washing", "balance"


class RobotFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of a robot that need no run."""

    robot: str
    mass_kg: float
    com_height_m: float
    joints: int
    """In the plant."""
    controlled_joints: int
    height_ratio: float
    """To the paper's robot."""
    reach_ratio: float
    washing_width_m: float
    """Of the path of each tip."""
    washing_load: SuitedLoad
    """On one arm."""
    balance_load: SuitedLoad
    """On each arm."""


class RobotRuns(msgspec.Struct, frozen=True, kw_only=True):
    """How a robot washes and balances, with and without the estimator."""

    washing: Comparison
    balance_with: BalanceMetrics
    balance_without: BalanceMetrics


class RobotRow(msgspec.Struct, frozen=True, kw_only=True):
    """One robot; `runs` is None if nothing was simulated."""

    facts: RobotFacts
    runs: RobotRuns | None = None


def robot_facts(name: str) -> RobotFacts:
    """Size of a robot, and the loads that suit it.

    Raises:
        ModelsError: No such robot, or one that cannot be used.
    """
    robot = Robot.load(name)
    washing, balance = (
        run_settings(scenario, robot=name) for scenario in (WASHING, BALANCE)
    )
    return RobotFacts(
        robot=robot.settings.name,
        mass_kg=float(pin.computeTotalMass(robot.full_model)),
        com_height_m=float(home_reference(robot).com_m[2]),
        joints=len(robot.joint_names),
        controlled_joints=len(robot.controlled_joints),
        height_ratio=height_ratio(robot),
        reach_ratio=reach_ratio(robot),
        washing_width_m=2.0 * suited_motion(robot).half_width_m,
        washing_load=default_load(washing),
        balance_load=default_load(balance),
    )


def planned_runs(name: str) -> dict[str, RunSettings]:
    """Every run a row needs, by name."""
    plans = {WASHING: _washing_runs(name), BALANCE: _balance_runs(name)}
    return {
        f"{scenario} {key}": settings
        for scenario, plan in plans.items()
        for key, settings in plan.items()
    }


def _washing_runs(name: str) -> dict[str, RunSettings]:
    return plan_runs(run_settings(WASHING, robot=name), priors=False)


def _balance_runs(name: str) -> dict[str, RunSettings]:
    return {
        key: run_settings(BALANCE, robot=name, estimator=estimator)
        for key, estimator in (("without", NO_ESTIMATOR), ("with", DEFAULT_ESTIMATOR))
    }


def robot_runs(
    name: str, run: Callable[[Mapping[str, RunSettings]], Mapping[str, RunRecord]]
) -> RobotRuns:
    """Figures of the runs of a row.

    Args:
        name: Robot.
        run: Makes or finds runs by name.
    """
    robot = Robot.load(name)
    balance = run(_balance_runs(name))
    return RobotRuns(
        washing=compare(gather(run(_washing_runs(name))), robot),
        balance_with=measure_balance(balance["with"], robot),
        balance_without=measure_balance(balance["without"], robot),
    )


def fallen(row: RobotRow) -> list[str]:
    """Runs with the estimator, or without load, that did not stand."""
    if row.runs is None:
        return []
    stood = {
        f"{WASHING} unloaded": not row.runs.washing.unloaded.fell,
        f"{WASHING} with estimator": not row.runs.washing.with_estimator.fell,
        f"{BALANCE} with estimator": row.runs.balance_with.stood,
    }
    return [f"{row.facts.robot}, {name}" for name, ok in stood.items() if not ok]


def robots_table(rows: Sequence[RobotRow]) -> str:
    """One column per robot, and what limits each load in sentences."""
    header = ["", *(row.facts.robot for row in rows)]
    lines = [[label, *map(value, rows)] for label, value in _FACTS.items()]
    if all(row.runs is not None for row in rows):
        lines += [[label, *map(value, rows)] for label, value in _RUNS.items()]
    sentences = []
    for row in rows:
        facts = row.facts
        sentences += [
            f"washing, {facts.washing_load.sentence(facts.robot)}",
            f"balance, {facts.balance_load.sentence(facts.robot)}",
        ]
    return "\n".join([render(header, lines), "", *sentences])


def _runs(row: RobotRow) -> RobotRuns:
    assert row.runs is not None
    return row.runs


def _rmse(row: RobotRow, axis: str) -> str:
    washing = _runs(row).washing
    pair = (washing.without_estimator, washing.with_estimator)
    errors = (getattr(m.tip[washing.arm], f"rmse_{axis}_mm") for m in pair)
    return " / ".join(number(error) for error in errors)


def _arrival(row: RobotRow) -> str:
    metrics = _runs(row).washing.with_estimator
    name = loaded_link(metrics, _runs(row).washing.arm)
    link = metrics.links[name] if name is not None else None
    return number(link.time_to_10pct_s, 2) if link else MISSING


def _mass(row: RobotRow) -> str:
    metrics = _runs(row).washing.with_estimator
    link = metrics.links[loaded_link(metrics, _runs(row).washing.arm) or ""]
    return f"{number(link.mass_kg, 2)} / {number(link.mass_true_kg, 2)}"


def _balance(row: RobotRow) -> str:
    pair = (_runs(row).balance_without, _runs(row).balance_with)
    return " / ".join(
        "stands" if m.stood else f"falls at {number(m.fell_at_s)} s" for m in pair
    )


def _load(load: SuitedLoad) -> str:
    return f"{load.load_kg:.2f} ({100 * load.weight_share:.1f} %)"


_FACTS: dict[str, Callable[[RobotRow], str]] = {
    "mass [kg]": lambda r: number(r.facts.mass_kg),
    "joints, controlled / all": lambda r: (
        f"{r.facts.controlled_joints} / {r.facts.joints}"
    ),
    "CoM height at home [m]": lambda r: number(r.facts.com_height_m, 3),
    "reach, paper's robot = 1": lambda r: number(r.facts.reach_ratio, 2),
    "washing path, width [m]": lambda r: number(r.facts.washing_width_m, 2),
    "washing load, one arm [kg] (of weight)": lambda r: _load(r.facts.washing_load),
    "balance load, each arm [kg] (of weight)": lambda r: _load(r.facts.balance_load),
}

_RUNS: dict[str, Callable[[RobotRow], str]] = {
    "washing y RMSE, without / with [mm]": lambda r: _rmse(r, "y"),
    "washing z RMSE, without / with [mm]": lambda r: _rmse(r, "z"),
    "mass and com within 10 % after [s]": _arrival,
    "loaded link, estimate / true [kg]": _mass,
    "torques at their limit, washing [%]": lambda r: number(
        _runs(r).washing.with_estimator.torque_saturated_pct, 2
    ),
    "balance, without / with estimator": _balance,
    "balance, pelvis moves [mm]": lambda r: number(
        _runs(r).balance_with.pelvis_shift_x_mm, 0
    ),
    "balance, CoM inside polygon, least [mm]": lambda r: number(
        _runs(r).balance_with.com_margin_min_mm, 0
    ),
}
