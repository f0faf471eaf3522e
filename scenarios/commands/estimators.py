"""`wbmpc estimators`."""

from __future__ import annotations

from scenarios.commands.command import Command
from scenarios.commands.options import (
    ALL_CORES,
    Folder,
    Jobs,
    Json,
    NoFiles,
    check_jobs,
)
from scenarios.commands.output import leave_folder, print_result, say
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import RunFolder, asked_path


class Estimators(Command, frozen=True, kw_only=True):
    """Compare all payload estimators on the same streams: one table, one figure."""

    quick: bool = False
    """One seed, and no humanoid, whose log has to be simulated first."""
    jobs: Jobs = ALL_CORES
    json: Json = False
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-estimators)."""
    no_files: NoFiles = False

    def act(self) -> int:
        """Run every estimator on every stream."""
        with ending_at_once():
            from scenarios.records.versions import installed_versions
            from scenarios.studies.estimators.benchmark import benchmark
            from scenarios.studies.estimators.plots import write_estimators_figure
            from scenarios.studies.estimators.tables import estimators_text
        check_jobs(self.jobs)
        path = asked_path(self, "estimators")
        result, shown = benchmark(quick=self.quick, jobs=self.jobs, progress=say)
        text = estimators_text(result)

        def fill(folder: RunFolder) -> None:
            folder.write_json("metrics.json", result)
            folder.write_text("table.md", text + "\n")
            folder.write_json("versions.json", installed_versions())
            folder.write("estimators.png", lambda p: write_estimators_figure(p, shown))

        saved = leave_folder(path, fill)
        return max(saved, print_result(result, text, as_json=self.json))
