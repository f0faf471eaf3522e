"""`wbmpc tipping`."""

from __future__ import annotations

from scenarios.commands.options import PlantFlag
from scenarios.commands.output import print_result
from scenarios.commands.paper_options import PaperOptions
from scenarios.errors import ScenarioError
from scenarios.interrupts import ending_at_once


class Tipping(PaperOptions, frozen=True, kw_only=True):
    """Search the load that tips the robot, without and with the estimator."""

    tolerance: float = 0.5
    """Width of the interval left between standing and falling [kg]."""
    plant: PlantFlag = "clean"
    """Nominal physics and perfect sensors, or a robot's imperfections."""

    def act(self) -> int:
        """Search both loads."""
        with ending_at_once():
            from scenarios.report.scoreboard import lines_table, verdict
            from scenarios.run.settings import DEFAULT_ESTIMATOR, NO_ESTIMATOR
            from scenarios.studies.paper.balancing import tipping_lines, trials_table
            from scenarios.studies.paper.tipping import find_tipping_loads
        if not 0.05 <= self.tolerance <= 10.0:
            raise ScenarioError(
                f"--tolerance {self.tolerance:g}: must be between 0.05 and 10 kg"
            )
        scope = self.scope(1)
        self.load_robot()
        searches = {
            name: scope.settings("balance", estimator=estimator, plant=self.plant)
            for name, estimator in (
                ("without", NO_ESTIMATOR),
                ("with", DEFAULT_ESTIMATOR),
            )
        }
        with self.lab() as lab:
            found = find_tipping_loads(searches, lab.runs, tolerance_kg=self.tolerance)
        lines = tipping_lines(found)
        blocks = [lines_table("tipping", lines), trials_table(found), verdict(lines)]
        return print_result(found, "\n\n".join(blocks), as_json=self.json)
