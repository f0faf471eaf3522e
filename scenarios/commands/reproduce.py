"""`wbmpc reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from scenarios.commands.options import check_not_empty, told
from scenarios.commands.output import print_result, say, say_fallen
from scenarios.commands.paper_options import PaperOptions
from scenarios.interrupts import ending_at_once

ONLY_DEFAULT = "(default: all; no ablation if quick)"


class Reproduce(PaperOptions, frozen=True, kw_only=True):
    """Make every table and figure of the paper again, on one offline page.

    Can be stopped and started again: what is finished is not run twice.
    """

    seeds: int = 3
    """Number of twins of the hardware, with seeds from 0 up."""
    only: Annotated[tuple[str, ...] | None, told("PART [PART ...]", ONLY_DEFAULT)] = (
        None
    )
    """washing, balance, tipping, runtime_loading, squat_pickup, ablation or seeds."""
    page: Annotated[str | None, told("FILE", "(default: none)")] = None
    """Markdown page whose marked tables are written anew, such as docs/results.md."""

    def act(self) -> int:
        """Run everything that is missing, then write page, pictures and numbers."""
        with ending_at_once():
            from scenarios.studies.paper.reproduction import (
                chosen_parts,
                fallen,
                planned_runs,
                summary,
                tables,
                write_reproduction,
            )
            from scenarios.studies.paper.results_page import write_figures
        check_not_empty("--only", self.only)
        scope, robot = self.scope(self.seeds), self.load_robot()
        experiments = chosen_parts(self.only or (), scope)
        with self.lab() as lab:  # makes the folder: last
            lab.prepare(planned_runs(experiments))
            parts = [(e, e.evaluate(lab, robot)) for e in experiments]
        result = summary(parts, scope)
        printed = print_result(result, tables(parts), as_json=self.json)
        write_reproduction(Path(self.out), parts, result, scope, lab)
        say(f"page: {Path(self.out) / 'index.html'}")
        if self.page is not None:
            written = write_figures(Path(self.page), parts)
            say(f"{self.page}: {written} tables written")
        return max(printed, say_fallen(fallen(parts)))
