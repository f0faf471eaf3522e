"""`wbmpc compare`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scenarios.commands.options import ALL_CORES, Jobs, check_jobs
from scenarios.commands.output import Bars, leave_folder, print_result, verdict
from scenarios.commands.run_options import RunOptions, is_filter, load_robot
from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import asked_path

if TYPE_CHECKING:
    from scenarios.report.metrics.results import RunMetrics
    from scenarios.studies.comparison import Comparison, ComparisonRuns


class Compare(RunOptions, frozen=True, kw_only=True):
    """Run a scenario unloaded, without and with the estimator, side by side."""

    priors: bool = False
    """Also run the other prior regimes (Table V)."""
    estimators: bool = False
    """Also run the published filter, our variances, and the supervised one without
    knowing where a load is held; with Table V of the published one."""
    jobs: Jobs = ALL_CORES

    def act(self) -> int:
        """Run everything, and compare."""
        with ending_at_once():
            from scenarios.report.run_files import write_run_files
            from scenarios.run.batch import run_all
            from scenarios.run.settings import NO_ESTIMATOR
            from scenarios.studies.comparison import compare, gather, plan_runs
            from scenarios.studies.comparison_table import comparison_table
        estimator = self.chosen_estimator()
        self.refuse_idle(estimator, f"--estimator {estimator}")
        if estimator == NO_ESTIMATOR:
            raise ScenarioError("--estimator none: a comparison needs an estimator")
        if self.priors and not is_filter(estimator):
            raise ScenarioError("--priors: is for a filter; not with this --estimator")
        check_jobs(self.jobs)
        settings = self.settings(estimator)
        robot = load_robot(settings)
        self.tell_load(settings)
        path = asked_path(self, f"{self.scenario}-compare")
        drawn = plan_runs(settings, priors=self.priors)
        plan = plan_runs(settings, priors=self.priors, estimators=self.estimators)
        with Bars(plan) as bars:
            records = run_all(plan, jobs=self.jobs, progress=bars.show)
        runs = gather(records)
        result = compare(runs, robot)
        text = comparison_table(result)
        printed = print_result(result, text, as_json=self.json)
        fill = partial(
            write_run_files,
            robot=robot,
            result=result,
            text=text,
            records={name: records[name] for name in drawn},
        )
        return max(printed, leave_folder(path, fill), verdict(_judged(result, runs)))


def _judged(result: Comparison, runs: ComparisonRuns) -> dict[str, RunMetrics]:
    """Runs that must stand; falling without the estimator is a result."""
    judged = {"unloaded": result.unloaded, "with estimator": result.with_estimator}
    judged |= {f"prior {n}": m for n, m in result.priors.items() if n in runs.priors}
    return judged
