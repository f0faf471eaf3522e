"""Options that `tipping`, `seeds` and `reproduce` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from scenarios.commands.command import Command
from scenarios.commands.options import (
    ALL_CORES,
    Changes,
    Jobs,
    Json,
    KeepOld,
    ResultsFolder,
    RobotName,
    check_jobs,
)
from scenarios.commands.output import Bars
from scenarios.errors import ScenarioError

if TYPE_CHECKING:
    from scenarios.run.lab import Lab
    from scenarios.studies.paper.experiment import Scope
    from wbmpc.robot import Robot

KEPT = "finished runs are kept"


class PaperOptions(Command, frozen=True, kw_only=True):
    """A part of the paper, made again."""

    kept: ClassVar[str] = KEPT

    robot: RobotName = "alexander"
    set: Changes = ()
    """Change a setting of the robot, such as mpc.costs.torque.weight=1e-4."""
    quick: bool = False
    """Shorter runs, coarser searches: a check, not the paper's test."""
    jobs: Jobs = ALL_CORES
    out: ResultsFolder = "runs/reproduction"
    keep_old: KeepOld = False
    json: Json = False

    def scope(self, seeds: int) -> Scope:
        """How much is made.

        Raises:
            ScenarioError: No seed at all.
        """
        from scenarios.studies.paper.experiment import Scope

        if seeds < 1:
            raise ScenarioError(f"--seeds {seeds}: must be 1 or more")
        return Scope(
            quick=self.quick, seeds=seeds, robot=self.robot, overrides=self.set
        )

    def load_robot(self) -> Robot:
        """The robot.

        Raises:
            ModelsError: Unknown robot or settings key, or an unusable URDF.
        """
        from scenarios.run.estimator_settings import checked_robot

        return checked_robot(self.robot, self.set)

    def lab(self) -> Lab:
        """Where runs are made and kept; makes its folder.

        Raises:
            ModelsError: As `open_lab`.
        """
        return open_lab(self.out, jobs=self.jobs, keep_old=self.keep_old)


def open_lab(out: str, *, jobs: int, keep_old: bool) -> Lab:
    """A lab with progress bars that keeps its runs in a folder, made if need be.

    Raises:
        ScenarioError: No job at all, or the folder cannot be.
    """
    from scenarios.records.run_cache import RunCache
    from scenarios.run.lab import Lab

    check_jobs(jobs)
    return Lab(
        RunCache(Path(out) / "finished", keep_old=keep_old), jobs=jobs, bars=Bars
    )
