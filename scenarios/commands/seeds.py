"""`wbmpc seeds`."""

from __future__ import annotations

from scenarios.commands.options import ScenarioName
from scenarios.commands.output import print_result, say_fallen
from scenarios.commands.paper_options import PaperOptions
from scenarios.interrupts import ending_at_once
from scenarios.library.catalogue import find_scenario


class Seeds(PaperOptions, frozen=True, kw_only=True):
    """Run a scenario on several twins of the hardware: falls and spread of figures."""

    scenario: ScenarioName
    """Name of the scenario, such as runtime_loading."""
    seeds: int = 10
    """Number of twins, with seeds from 0 up."""

    def act(self) -> int:
        """Run one scenario on several twins."""
        with ending_at_once():
            from scenarios.studies.paper.reproduction import fallen, summary, tables
            from scenarios.studies.paper.seeds import seeds
        find_scenario(self.scenario)
        scope, robot = self.scope(self.seeds), self.load_robot()
        experiment = seeds(scope, [self.scenario])
        parts = [(experiment, experiment.evaluate(self.lab(), robot))]
        printed = print_result(summary(parts, scope), tables(parts), as_json=self.json)
        return max(printed, say_fallen(fallen(parts)))
