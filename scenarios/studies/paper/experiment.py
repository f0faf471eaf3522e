"""One part of the reproduction: its runs, and the report made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from scenarios.library.catalogue import find_scenario
from scenarios.library.run_settings import run_settings
from scenarios.report.scoreboard import Line
from scenarios.run.lab import Lab
from scenarios.run.settings import RunSettings
from wbmpc.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """How much is reproduced."""

    quick: bool = False
    """Shorter runs, coarser searches, no ablation: a check, not the paper's test."""
    seeds: int = 3
    """Twins of the hardware, from seed 0 up."""
    robot: str = "alexander"
    overrides: tuple[str, ...] = ()
    """Changes of the robot's settings."""

    def settings(self, scenario: str, **asked: Any) -> RunSettings:
        """Settings of a run; a quick one is as short as its figures allow."""
        if self.quick:
            asked = {**find_scenario(scenario).quick, **asked}
        return run_settings(
            scenario, robot=self.robot, overrides=self.overrides, **asked
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """Results of one part.

    Attributes:
        lines: Figures, beside the paper's and our goals.
        tables: Further text tables by title.
        data: Everything, for JSON.
        figures: Pictures by file name.
        fallen: Runs that fell and should not have, by name.
    """

    lines: list[Line]
    tables: dict[str, str] = field(default_factory=dict)
    data: Any = None
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    fallen: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One part of the reproduction.

    Attributes:
        key: Short name, of files too.
        title: What the reader sees.
        about: What is done, where the paper has it, and how ours differs.
        runs: Runs that can be made beforehand, by name.
        evaluate: Makes the report; may ask the lab for more.
    """

    key: str
    title: str
    about: str
    runs: Mapping[str, RunSettings]
    evaluate: Callable[[Lab, Robot], Report]
