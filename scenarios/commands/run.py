"""`wbmpc run`."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from scenarios.commands.output import (
    Bars,
    leave_folder,
    print_result,
    say,
    verdict,
)
from scenarios.commands.run_options import RunOptions, load_robot
from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import asked_path

if TYPE_CHECKING:
    from scenarios.records.record import RunRecord
    from scenarios.report.meshcat_view import LiveViewer
    from scenarios.run.settings import RunSettings
    from wbmpc.robot import Robot


class Run(RunOptions, frozen=True, kw_only=True):
    """Run one scenario in simulation."""

    no_ekf: bool = False
    """Leave the inertias nominal: short for --estimator none."""
    no_twin: bool = False
    """Skip the unloaded run that tip errors are measured against."""
    meshcat: bool = False
    """Show the robot in a browser while it runs."""
    realtime: bool = False
    """Run against the wall clock, in two processes, instead of in lock-step."""

    def act(self) -> int:
        """Run a scenario, and its unloaded twin for the tip errors."""
        with ending_at_once():
            from scenarios.report.evaluation import evaluate, evaluation_text
            from scenarios.report.run_files import run_key, write_run_files
        estimator = self.chosen_estimator()
        flag = "--no-ekf" if self.no_ekf else f"--estimator {estimator}"
        self.refuse_idle(estimator, flag)
        settings = self.settings(estimator, realtime=self.realtime)
        robot = load_robot(settings)
        self.tell_load(settings)
        kind = "run" if settings.has_estimator else "run-no-ekf"
        path = asked_path(self, f"{self.scenario}-{kind}")
        record, twin = self._records(settings, robot)
        metrics = evaluate(record, robot, twin)
        text = evaluation_text(metrics)
        printed = print_result(metrics, text, as_json=self.json)
        records = {} if twin is None else {"unloaded": twin}
        records[run_key(settings)] = record
        fill = partial(
            write_run_files, robot=robot, result=metrics, text=text, records=records
        )
        return max(printed, leave_folder(path, fill), verdict({"run": metrics}))

    def chosen_estimator(self) -> str:
        """Name of the estimator, or none.

        Raises:
            ScenarioError: One and none are both asked for.
            UnknownNameError: No such estimator.
        """
        from scenarios.run.settings import NO_ESTIMATOR

        if not self.no_ekf:
            return super().chosen_estimator()
        if self.estimator not in (None, NO_ESTIMATOR):
            raise ScenarioError(f"--estimator {self.estimator}: not with --no-ekf")
        return NO_ESTIMATOR

    def _records(
        self, settings: RunSettings, robot: Robot
    ) -> tuple[RunRecord, RunRecord | None]:
        """The run, and its unloaded twin if it has one."""
        with ending_at_once():
            from scenarios.report.evaluation import twin_of
            from scenarios.run.runner import run
        plan = {"run": settings}
        twin_settings = None if self.no_twin else twin_of(settings)
        if twin_settings is not None:
            plan = {"unloaded twin": twin_settings, **plan}
        with self._viewer(robot) as viewer, Bars(plan) as bars:
            twin = None
            if twin_settings is not None:
                twin = run(twin_settings, on_tick=partial(bars.show, "unloaded twin"))
            record = run(settings, on_tick=partial(bars.show, "run"), viewer=viewer)
        return record, twin

    def _viewer(
        self, robot: Robot
    ) -> contextlib.AbstractContextManager[LiveViewer | None]:
        """Context of the live view, or of nothing."""
        if not self.meshcat:
            return contextlib.nullcontext()
        from scenarios.report.meshcat_view import LiveViewer

        return LiveViewer(robot.settings, say)
