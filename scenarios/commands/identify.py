"""`wbmpc identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from models.errors import UnknownNameError
from scenarios.commands.command import Command
from scenarios.commands.options import File, Json, locked_joints, told
from scenarios.commands.output import print_result, say
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_BAD_END
from scenarios.interrupts import ending_at_once


class Identify(Command, frozen=True, kw_only=True):
    """Friction, offsets and torque scales of joints from a log without payload."""

    log: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="LOG")]
    """As for wbmpc estimate; a minute of ordinary motion in all joints."""
    robot: Annotated[str | None, told("ROBOT")] = None
    """As for wbmpc estimate."""
    link: Annotated[str | None, told("LINK")] = None
    """Joints from the base to this link are identified (default: the arm's last)."""
    lock: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="JOINT=VALUE")
    ] = ()
    """Joint of the robot file that the log has not, and where it is [rad or m]."""
    columns: File = None
    """TOML file with the names of the log's columns (default: our own names)."""
    out: File = None
    """New TOML file for --friction-from of wbmpc estimate."""
    json: Json = False

    def act(self) -> int:
        """Identify: code 1 if a tenth of the log was not usable."""
        with ending_at_once():
            from scenarios.studies.estimators.drive_files import drives_text
            from scenarios.studies.estimators.identification import (
                identification_result,
                identification_text,
            )
            from scenarios.studies.estimators.streams.columns import load_mapping
            from scenarios.studies.estimators.streams.recorded import read_stream
            from scenarios.studies.estimators.weighing import identify_stream
        columns = None if self.columns is None else load_mapping(Path(self.columns))
        if self.out is not None and Path(self.out).exists():
            raise ScenarioError(f"--out {self.out}: there is such a file already")
        try:
            stream = read_stream(
                Path(self.log),
                robot=self.robot,
                link=self.link,
                columns=columns,
                lock=locked_joints(self.lock),
            )
        except UnknownNameError as problem:
            if problem.kind == "column":
                raise problem.inside(self.log) from None
            raise
        task, found = identify_stream(stream)
        result = identification_result(stream, task, found)
        if self.out is not None:
            try:
                Path(self.out).write_text(drives_text(found.drives), encoding="utf-8")
            except OSError as error:
                raise ScenarioError(
                    f"--out {self.out}: cannot be written: {error.strerror}"
                ) from None
            say(f"written: {self.out}")
        code = print_result(result, identification_text(result), as_json=self.json)
        if not result.samples.enough:
            say(f"{self.log}: too few samples are usable: {result.samples.sentence()}")
            return max(code, EXIT_BAD_END)
        return code
