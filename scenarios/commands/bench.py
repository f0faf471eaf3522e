"""`wbmpc bench`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from models.files import write_whole
from scenarios.commands.command import Command
from scenarios.commands.options import Changes, Json, RobotName
from scenarios.commands.output import print_result, say
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once

if TYPE_CHECKING:
    from scenarios.studies.bench.report import BenchResult


class Bench(Command, frozen=True, kw_only=True):
    """Time every stage, against other ways to do it and against the last time."""

    quick: bool = False
    """Fewer repetitions: a look, not a measurement."""
    robot: RobotName = "alexander"
    set: Changes = ()
    """Change a setting of the robot, such as mpc.threads=2."""
    json: Json = False
    no_files: bool = False
    """Do not save the result in runs/bench."""

    def act(self) -> int:
        """Measure everything, print it, save it and compare it with the last one."""
        with ending_at_once():
            from scenarios.studies.bench.measure import run_bench
            from scenarios.studies.bench.report import FOLDER, bench_table, load_last
        last = load_last(FOLDER)
        result = run_bench(self.robot, self.set, quick=self.quick, progress=say)
        printed = print_result(result, bench_table(result, last), as_json=self.json)
        return max(printed, EXIT_OK if self.no_files else _save(result, FOLDER))


def _save(result: BenchResult, folder: Path) -> int:
    """Keep the result for the next time; exit code."""
    path = folder / f"{datetime.now():%Y%m%d-%H%M%S}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        encoded = msgspec.json.format(msgspec.json.encode(result), indent=2)
        write_whole(path, encoded + b"\n")
    except OSError as error:
        say(f"could not write {path}: {error.strerror}")
        return EXIT_BAD_END
    say(f"saved as {path}")
    return EXIT_OK
