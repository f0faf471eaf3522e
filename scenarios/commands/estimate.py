"""`wbmpc estimate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from models.errors import UnknownNameError
from scenarios.commands.command import Command
from scenarios.commands.options import (
    File,
    Folder,
    Json,
    Seconds,
    check_not_empty,
    locked_joints,
    told,
)
from scenarios.commands.output import leave_folder, print_result, say
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_BAD_END
from scenarios.interrupts import ending_at_once
from scenarios.records.run_folder import RunFolder, choose_path

if TYPE_CHECKING:
    from ekf.identification.drive import Drives
    from scenarios.studies.estimators.streams.stream import Stream


class Estimate(Command, frozen=True, kw_only=True):
    """Run payload estimators on a recorded log."""

    log: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="LOG")]
    """MCAP, CSV or Parquet file, or the folder of a run or a ROS 2 bag."""
    estimator: Annotated[tuple[str, ...] | None, told("NAME [NAME ...]")] = None
    """Names of estimators (default: all)."""
    robot: Annotated[str | None, told("ROBOT")] = None
    """panda, a shipped humanoid, a settings.toml, or an arm's URDF (default: what the
    log says)."""
    link: Annotated[str | None, told("LINK")] = None
    """Link or frame that carries the payload (default: the arm's last)."""
    payload_at: Seconds = None
    """When the payload appears [s] (default: as the log says, else at its start)."""
    friction: bool = False
    """Take the joint friction that a humanoid's settings state off the torques; of a
    run that did so it is taken off anyway."""
    friction_from: File = None
    """Friction, offsets and torque scales: a TOML file of wbmpc identify, or a log of
    the robot without payload."""
    tare: File = None
    """Log of the robot without payload: what the model misses is found in it."""
    lock: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="JOINT=VALUE")
    ] = ()
    """Joint of the robot file that the log has not, and where it is [rad or m]."""
    columns: File = None
    """TOML file with the names of the log's columns (default: our own names)."""
    json: Json = False
    out: Folder = None
    """Folder for the figure and numbers, empty or new (default: none is written)."""

    def act(self) -> int:
        """Run the estimators on the log: code 1 if a tenth of it was not usable."""
        with ending_at_once():
            from scenarios.studies.estimators.estimate import (
                estimate_result,
                estimate_text,
            )
            from scenarios.studies.estimators.estimation import (
                COMPARED,
                check_names,
                run_estimator,
            )
            from scenarios.studies.estimators.plots import write_estimate_figure
            from scenarios.studies.estimators.weighing import (
                payload_row,
                weigh_stream,
                without_drives,
            )
        check_not_empty("--estimator", self.estimator)
        names = check_names(self.estimator or COMPARED)
        path = None if self.out is None else choose_path(self.out, "estimate")
        stream = self._stream()
        known = None if self.friction_from is None else self._drives(stream)
        tare = None if self.tare is None else self._read(self.tare)
        weighing = weigh_stream(stream, tare=tare, known=known)
        cleaned = without_drives(stream, weighing, known)
        tracks = [run_estimator(name, cleaned) for name in names]
        result = estimate_result(stream, tracks, payload_row(weighing))
        text = estimate_text(result)

        def fill(folder: RunFolder) -> None:
            folder.write_json("metrics.json", result)
            folder.write_text("table.md", text + "\n")
            folder.write(
                "estimate.png", lambda p: write_estimate_figure(p, stream, tracks)
            )

        saved = leave_folder(path, fill)
        code = max(saved, print_result(result, text, as_json=self.json))
        if not result.samples.enough:
            say(f"{self.log}: too few samples are usable: {result.samples.sentence()}")
            return max(code, EXIT_BAD_END)
        return code

    def _drives(self, stream: Stream) -> Drives:
        """What --friction-from says.

        Raises:
            ModelsError: It cannot be used.
        """
        from ekf.identification.evidence import Chain
        from scenarios.studies.estimators.drive_files import load_drives
        from scenarios.studies.estimators.weighing import identify_stream

        assert self.friction_from is not None
        if self.friction_from.endswith(".toml"):
            chain = Chain.to(stream.robot.model, stream.robot.link)
            return load_drives(Path(self.friction_from), chain.names)
        return identify_stream(self._read(self.friction_from))[1].drives

    def _stream(self) -> Stream:
        """The log.

        Raises:
            ModelsError: It cannot be used.
        """
        stream = self._read(self.log)
        if self.payload_at is not None:
            end_s = float(stream.log.time_s[-1])
            if not 0.0 <= self.payload_at <= end_s:
                raise ScenarioError(
                    f"--payload-at {self.payload_at:g}: must be between 0 and "
                    f"{end_s:g} s, the log's end"
                )
            stream = replace(stream, at_s=self.payload_at)
        return stream

    def _read(self, path: str) -> Stream:
        from scenarios.studies.estimators.streams.columns import load_mapping
        from scenarios.studies.estimators.streams.recorded import read_stream

        columns = None if self.columns is None else load_mapping(Path(self.columns))
        try:
            return read_stream(
                Path(path),
                robot=self.robot,
                link=self.link,
                columns=columns,
                friction=self.friction,
                lock=locked_joints(self.lock),
            )
        except UnknownNameError as problem:
            if problem.kind == "column":
                raise problem.inside(path) from None
            raise
