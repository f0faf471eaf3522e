"""`wbmpc teleop`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from models.files import is_file
from scenarios.commands.command import Command
from scenarios.commands.options import (
    ArmFlag,
    Changes,
    File,
    Folder,
    Json,
    Kilograms,
    NoFiles,
    PlantFlag,
    RobotName,
    Seconds,
    told,
)
from scenarios.commands.output import leave_folder, print_result, say, verdict
from scenarios.errors import OutOfRangeError, ScenarioError
from scenarios.exit_codes import EXIT_BAD_END, EXIT_OK
from scenarios.interrupts import ending_at_once
from scenarios.library.run_settings import run_settings
from scenarios.records.run_folder import asked_path

if TYPE_CHECKING:
    from scenarios.run.settings import RunSettings
    from scenarios.run.viewer import Viewer
    from teleop.operator_process import OperatorPlan, OperatorReady
    from wbmpc.robot import Robot

ENDLESS_S = 3600.0
"""A session without an end ends after an hour."""
KEEP_S = 120.0
"""Recorded of a session: its last two minutes."""
SCRIPT_PAYLOAD_KG = 5.0
OPERATOR_PRIORITY = 20
"""Of SCHED_FIFO; the control side and the plant come first."""
CORES_FOR_EVERYTHING = 4
"""With fewer, control, plant, operator's side and viewer share what there is."""
FEW_CORES = ("mpc.threads=1", "mpc.tick_dt_s=0.02")
"""A second solver thread would take the core the operator's side needs, and at 100 Hz a
solve leaves no time for a machine that has something else to do, too."""


class Teleop(Command, frozen=True, kw_only=True):
    """Drive the simulated robot from a headset, a mouse, a script or a recording."""

    scripted: bool = False
    """A scripted operator drives: hands, spine, squat, a load in between."""
    replay: File = None
    """Stream a recording of references (MCAP) instead of serving a page."""
    record: File = None
    """Write the references sent to this new file (MCAP)."""
    listen: Literal["udp", "cyclonedds", "zenoh"] = "udp"
    """How references reach the control side."""
    duration: Seconds = None
    """End after so long [s] (default: with the script or recording, else 1 h)."""
    payload: Kilograms = None
    """Load on the forearm tip [kg] (default: 5 with --scripted, else none)."""
    payload_at: Seconds = None
    """When it appears [s] (default: 11, or the end if that is sooner)."""
    arm: ArmFlag = "left"
    """Which forearm is loaded."""
    no_ekf: bool = False
    """Leave the inertias nominal."""
    plant: PlantFlag = "clean"
    """Nominal physics, or those of a robot with its sensors and an estimated base."""
    no_meshcat: bool = False
    """Do not show the robot in a browser."""
    http: bool = False
    """Serve plain HTTP, for a browser on this machine or a headset on a USB cable."""
    host: Annotated[str | None, told("ADDRESS")] = None
    """Address to serve at (default: all with HTTPS, else this machine only)."""
    port: Annotated[int | None, told("PORT")] = None
    """First port to try (default: 8443)."""
    config: File = None
    """TOML file of teleoperation settings: rates, ranges, gates (default: built in)."""
    robot: RobotName = "alexander"
    seed: int = 0
    """Seed of everything random."""
    set: Changes = ()
    """Change a setting of the robot, such as mpc.threads=1."""
    json: Json = False
    json_address: bool = False
    """Print {"url": ...}, the page's address, as the first line of standard output."""
    out: Folder = None
    """Folder for the run's files, empty or new (default: runs/TIMESTAMP-teleop)."""
    no_files: NoFiles = False

    def act(self) -> int:
        """Serve, simulate, and say how it went."""
        with ending_at_once():
            from scenarios.report.run_files import run_key, write_run_files
            from scenarios.report.teleop import result_text, session_result
            from scenarios.run.estimator_settings import checked_robot
            from scenarios.run.teleop_session import TeleopSession
        self._check()
        overrides = (*_for_this_machine(), *self.set)
        robot = checked_robot(self.robot, overrides)
        path = asked_path(self, "teleop")
        with contextlib.ExitStack() as stack:
            session = TeleopSession(robot, self._operator(overrides), stack, say)
            settings = self._settings(overrides, session.ready.duration_s)
            viewer = self._viewer(robot, stack)
            _announce(session.ready)
            if self.json_address:
                urls = session.ready.urls
                print(json.dumps({"url": urls[0] if urls else None}), flush=True)
            record, report = session.run(
                settings,
                scripted=self.scripted,
                viewer=viewer,
                keep_s=KEEP_S if self._is_endless() else None,
            )
            result = session_result(
                session, record, report, driver=self._driver(), transport=self.listen
            )
        text, key = result_text(result), run_key(settings)
        printed = print_result(result, text, as_json=self.json)
        fill = partial(
            write_run_files,
            robot=robot,
            result=result,
            text=text,
            records={key: record},
            pictures=False,
        )
        saved = leave_folder(path, fill)
        told = EXIT_BAD_END if session.problems else EXIT_OK
        return max(printed, saved, told, verdict({"teleop": result.run}))

    def _check(self) -> None:
        """Refuse what contradicts itself.

        Raises:
            ScenarioError: It does.
        """
        if self.scripted and self.replay is not None:
            raise ScenarioError("--scripted and --replay: choose one of them")
        for name in ("replay", "config"):
            value = getattr(self, name)
            if value is not None and not is_file(Path(value)):
                raise ScenarioError(f"--{name} {value}: no such file")
        idle = {
            "payload-at": self.payload_at is not None,
            "arm": self.arm != Teleop().arm,
        }
        for name, given in idle.items():
            if given and not self._payload_kg() > 0.0:
                raise ScenarioError(
                    f"--{name}: is for a payload; give --payload KG, too"
                )
        if self.port is not None and not 0 <= self.port <= 65535:
            raise ScenarioError(f"--port {self.port}: must be between 0 and 65535")
        self._settings(self.set, None)  # what depends on no recording

    def _operator(self, overrides: tuple[str, ...]) -> OperatorPlan:
        from teleop.operator_process import OperatorPlan, PageOptions
        from teleop.settings import load_teleop_settings
        from teleop.udp import LOCALHOST

        return OperatorPlan(
            robot=self.robot,
            overrides=overrides,
            settings=load_teleop_settings(_path(self.config)),
            transport=self.listen,
            references_to=(LOCALHOST, 0),
            parent=os.getpid(),
            page=PageOptions(
                # A script needs no certificate to talk to its own machine.
                http=self.http or self.scripted,
                host=self.host,
                port=self.port,
            ),
            replay=_path(self.replay),
            record=_path(self.record),
            priority=OPERATOR_PRIORITY,
        )

    def _settings(
        self, overrides: tuple[str, ...], recorded_s: float | None
    ) -> RunSettings:
        """Settings of the run, with the length of the recording if there is one."""
        from scenarios.run.settings import NO_ESTIMATOR
        from teleop.script import END_S, LOAD_AT_S

        duration_s = self.duration
        if duration_s is None:
            duration_s = END_S + 1.0 if self.scripted else recorded_s or ENDLESS_S
        at_s = self.payload_at
        if at_s is None:
            at_s = min(LOAD_AT_S, duration_s)
        try:
            return run_settings(
                "standing",
                robot=self.robot,
                payload_kg=self._payload_kg(),
                arm=self.arm,
                at_s=at_s,
                duration_s=duration_s,
                estimator=NO_ESTIMATOR if self.no_ekf else None,
                plant=self.plant,
                seed=self.seed,
                realtime=True,
                overrides=overrides,
            )
        except OutOfRangeError as error:
            raise self._in_own_words(error) from None

    def _in_own_words(self, error: OutOfRangeError) -> ScenarioError:
        """The error of an option of runs, by what was given here."""
        if error.option == "at":
            return error.called("payload-at")
        if error.option == "duration" and self.duration is None and self.replay:
            return ScenarioError(
                f"--replay {self.replay}: lasts {error.value:g} s; must be between "
                f"{error.low:g} and {error.high:g} s"
            )
        return error

    def _viewer(self, robot: Robot, stack: contextlib.ExitStack) -> Viewer | None:
        if self.no_meshcat:
            return None
        from scenarios.report.meshcat_view import LiveViewer

        return stack.enter_context(LiveViewer(robot.settings, say))

    def _payload_kg(self) -> float:
        if self.payload is not None:
            return self.payload
        return SCRIPT_PAYLOAD_KG if self.scripted else 0.0

    def _is_endless(self) -> bool:
        return not (self.scripted or self.replay) and self.duration is None

    def _driver(self) -> str:
        if self.replay is not None:
            return "recording"
        return "script" if self.scripted else "page"


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


def _for_this_machine() -> tuple[str, ...]:
    """Settings of the robot that the machine asks for; the user's come after them."""
    cores = os.cpu_count() or 1
    if cores >= CORES_FOR_EVERYTHING:
        return ()
    say(f"{cores} cores: the MPC runs at 50 Hz (--set mpc.tick_dt_s=0.01: 100 Hz)")
    return FEW_CORES


def _announce(ready: OperatorReady) -> None:
    """Print the page's addresses, the first one as a QR code as well."""
    if not ready.urls:
        return
    import segno

    for url in ready.urls:
        say(f"page at {url}")
    if sys.stderr.isatty():
        segno.make(ready.urls[0]).terminal(out=sys.stderr, compact=True)
