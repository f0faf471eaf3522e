"""`wbmpc robots`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
import tyro

from models import robot_names
from scenarios.commands.command import Command
from scenarios.commands.options import (
    ALL_CORES,
    Jobs,
    Json,
    KeepOld,
    ResultsFolder,
    told,
)
from scenarios.commands.output import print_result, say_fallen
from scenarios.commands.paper_options import KEPT, open_lab
from scenarios.interrupts import ending_at_once

if TYPE_CHECKING:
    from scenarios.studies.robots import RobotRow


class RobotsResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything as one object."""

    robots: list[RobotRow]
    versions: dict[str, str | None]


class Robots(Command, frozen=True, kw_only=True):
    """Robots side by side: size, what their arms hold, how they wash and balance."""

    kept: ClassVar[str] = KEPT

    robots: Annotated[tuple[str, ...], tyro.conf.Positional, told("[ROBOT ...]")] = ()
    """Names of shipped robots, or settings files (default: all shipped robots)."""
    facts: bool = False
    """Sizes and loads only, nothing is simulated."""
    jobs: Jobs = ALL_CORES
    out: ResultsFolder = "runs/robots"
    keep_old: KeepOld = False
    json: Json = False

    def act(self) -> int:
        """Print one table over robots; runs what is missing."""
        with ending_at_once():
            from scenarios.records.versions import installed_versions
            from scenarios.studies.robots import (
                RobotRow,
                fallen,
                robot_facts,
                robots_table,
            )
        names = self.robots or robot_names()
        rows = [RobotRow(facts=robot_facts(name)) for name in names]
        if not self.facts:
            rows = self._with_runs(names, rows)
        result = RobotsResult(robots=rows, versions=installed_versions())
        printed = print_result(result, robots_table(rows), as_json=self.json)
        return max(printed, say_fallen(name for row in rows for name in fallen(row)))

    def _with_runs(
        self, names: tuple[str, ...], rows: list[RobotRow]
    ) -> list[RobotRow]:
        """Rows with the figures of their runs, made if they are missing."""
        from scenarios.studies.robots import planned_runs, robot_runs

        lab = open_lab(self.out, jobs=self.jobs, keep_old=self.keep_old)
        lab.prepare(
            {
                f"{name}: {key}": settings
                for name in names
                for key, settings in planned_runs(name).items()
            }
        )
        return [
            msgspec.structs.replace(row, runs=robot_runs(name, lab.runs))
            for name, row in zip(names, rows, strict=True)
        ]
