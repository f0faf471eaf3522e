"""What `wbmpc robots` does."""

from __future__ import annotations

from pathlib import Path

import msgspec

from models import robot_names
from scenarios.cli import EXIT_BAD_END, EXIT_OK, print_result, say
from scenarios.commands.robots_options import Robots
from scenarios.commands.run import Bars
from scenarios.errors import ScenarioError
from scenarios.records.run_cache import RunCache
from scenarios.records.versions import installed_versions
from scenarios.run.lab import Lab
from scenarios.studies.robots import (
    RobotRow,
    fallen,
    planned_runs,
    robot_facts,
    robot_runs,
    robots_table,
)


class RobotsResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything as one object."""

    robots: list[RobotRow]
    versions: dict[str, str | None]


def compare_robots(options: Robots) -> int:
    """Print one table over robots; runs what is missing.

    Raises:
        ModelsError: No such robot, or one that can not be used.
    """
    names = options.robots or robot_names()
    rows = [RobotRow(facts=robot_facts(name)) for name in names]
    if not options.facts:
        lab = _lab(options)
        lab.prepare(
            {
                f"{name}: {key}": settings
                for name in names
                for key, settings in planned_runs(name).items()
            }
        )
        rows = [
            msgspec.structs.replace(row, runs=robot_runs(name, lab.runs))
            for name, row in zip(names, rows, strict=True)
        ]
    result = RobotsResult(robots=rows, versions=installed_versions())
    printed = print_result(result, robots_table(rows), as_json=options.json)
    ended_badly = [name for row in rows for name in fallen(row)]
    for name in ended_badly:
        say(f"{name} ended badly: the robot fell")
    return max(printed, EXIT_BAD_END if ended_badly else EXIT_OK)


def _lab(options: Robots) -> Lab:
    if options.jobs < 1:
        raise ScenarioError(f"--jobs {options.jobs}: must be 1 or more")
    cache = RunCache(Path(options.out) / "finished", keep_old=options.keep_old)
    return Lab(cache, jobs=options.jobs, bars=Bars)
