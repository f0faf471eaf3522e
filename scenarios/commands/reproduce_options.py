"""What `wbmpc tipping`, `wbmpc seeds` and `wbmpc reproduce` may be asked for."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import msgspec
import tyro

from scenarios.commands.option_types import Changes, RobotName, ScenarioName, told

ONLY_DEFAULT = "(default: all; no ablation if quick)"
DEFAULT_REPRODUCTION = "runs/reproduction"


class PaperOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What these commands share."""

    robot: RobotName = "alexander"
    """Name of a shipped robot, or its settings.toml."""
    set: Changes = ()
    """Change a setting of the robot, such as mpc.costs.torque.weight=1e-4."""
    quick: bool = False
    """Shorter runs, coarser searches: a check, not the paper's test."""
    jobs: int = min(2, os.cpu_count() or 1)
    """Runs at a time, each in a process of its own."""
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER")] = DEFAULT_REPRODUCTION
    """Folder of the results; finished runs in it are used again."""
    keep_old: bool = False
    """Use finished runs even if the program has changed since."""
    json: bool = False
    """Print one JSON object on standard output."""


class Tipping(PaperOptions, frozen=True, kw_only=True):
    """Search the load that tips the robot, without and with the estimator."""

    tolerance: float = 0.5
    """Width of the interval left between standing and falling [kg]."""
    plant: Literal["clean", "hardware_twin"] = "clean"
    """Nominal physics and perfect sensors, or a robot's imperfections."""


class Seeds(PaperOptions, frozen=True, kw_only=True):
    """Run a scenario on several twins of the hardware: falls and spread of figures."""

    scenario: ScenarioName
    """Name of the scenario, such as runtime_loading."""
    seeds: int = 10
    """Number of twins, with seeds from 0 up."""


class Reproduce(PaperOptions, frozen=True, kw_only=True):
    """Make every table and figure of the paper again, on one offline page.

    Can be stopped and started again: what is finished is not run twice.
    """

    seeds: int = 3
    """Number of twins of the hardware, with seeds from 0 up."""
    only: Annotated[tuple[str, ...], told("PART [PART ...]", ONLY_DEFAULT)] = ()
    """washing, balance, tipping, runtime_loading, squat_pickup, ablation or seeds."""
