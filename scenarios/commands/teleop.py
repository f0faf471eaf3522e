"""What `wbmpc teleop` and `wbmpc references` do."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from models.files import is_file
from scenarios.cli import EXIT_BAD_END, EXIT_OK, print_result, say, tell_folder
from scenarios.commands.run import verdict
from scenarios.commands.teleop_options import References, Teleop
from scenarios.errors import ScenarioError
from scenarios.library.catalogue import find_scenario
from scenarios.library.run_settings import run_settings
from scenarios.records.record import RunRecord
from scenarios.records.run_folder import RunFolder, asked_path
from scenarios.records.versions import installed_versions
from scenarios.report.metrics.run import measure
from scenarios.run.realtime import run_realtime
from scenarios.run.settings import RunSettings
from scenarios.run.viewer import Viewer
from scenarios.teleop.result import (
    TeleopResult,
    base_motion,
    hand_tracking,
    result_text,
    stream_quality,
)
from scenarios.teleop.robot_link import RobotLink
from teleop.operator_link import OperatorLink
from teleop.operator_process import (
    OperatorPlan,
    OperatorReady,
    OperatorReport,
    PageOptions,
)
from teleop.recording import record_track
from teleop.reference_stream import StreamedReference
from teleop.script import END_S, LOAD_AT_S
from teleop.scripted_client import ScriptedClient
from teleop.settings import load_teleop_settings
from teleop.transports import open_receiver
from teleop.udp import LOCALHOST, UdpReferences, UdpSender
from wbmpc.robot import Robot

ENDLESS_S = 3600.0
"""A session without an end ends after an hour."""
KEEP_S = 120.0
"""What is recorded of one: its last two minutes."""
SCRIPT_PAYLOAD_KG = 5.0
OPERATOR_PRIORITY = 20
"""Of SCHED_FIFO; the control side and the plant come first."""
CORES_FOR_EVERYTHING = 4
"""With fewer, control, plant, operator's side and viewer share what there is."""
FEW_CORES = ("mpc.threads=1", "mpc.tick_dt_s=0.02")
"""A second solver thread would take the core the operator's side needs, and at 100 Hz a
solve leaves no time for a machine that has something else to do, too."""
TICKS_TO_REPORT = 10
"""Fewer say nothing about a run."""
LAST_WORD_S = 2.0
"""For the page to say why the robot stands no more."""


def write_references(options: References) -> int:
    """Write a scenario's references as a recording."""
    robot = Robot.load(options.robot)
    duration_s = options.duration
    if duration_s is None:
        duration_s = find_scenario(options.scenario).defaults.duration_s
    run_settings(options.scenario, duration_s=duration_s, at_s=0.0, payload_kg=0.0)
    track = find_scenario(options.scenario).motion(robot, duration_s)
    count = record_track(Path(options.out), robot, track)
    say(f"{count} samples of {options.scenario} in {options.out}")
    return EXIT_OK


def teleop(options: Teleop) -> int:
    """Serve, simulate, and say how it went."""
    _check(options)
    options = msgspec.structs.replace(options, set=(*_for_this_machine(), *options.set))
    robot = Robot.load(options.robot, options.set)
    path = asked_path(options, "teleop")
    with contextlib.ExitStack() as stack:
        session = TeleopSession(options, robot, stack)
        result, record = session.run()
    printed = print_result(result, result_text(result), as_json=options.json)
    saved = _save(path, robot, result, record)
    told = EXIT_BAD_END if session.lost or session.unrecorded else EXIT_OK
    return max(printed, saved, told, verdict({"teleop": result.run}))


class TeleopSession:
    """One session: operator's process, control side, plant, viewer."""

    def __init__(
        self, options: Teleop, robot: Robot, stack: contextlib.ExitStack
    ) -> None:
        """Start everything but the robot.

        Args:
            options: Of the command.
            robot: The robot.
            stack: Ends what was started.
        """
        self._options, self._robot, self._stack = options, robot, stack
        receiver = open_receiver(options.listen, robot)
        stack.callback(receiver.close)
        self._stream = StreamedReference(robot, receiver)
        address = (LOCALHOST, 0)
        if isinstance(receiver, UdpReferences):
            address = receiver.address
        self._operator = stack.enter_context(OperatorLink(_plan(options, address)))
        self._ready = self._operator.wait_ready()
        self._settings = _run_settings(options, self._ready.duration_s)
        states = UdpSender(self._ready.states_to)
        stack.callback(states.close)
        self._interrupted = False
        self.lost = ""
        """Process that was gone at the end."""
        self.unrecorded = False
        """Whether `--record` came to nothing, or not to its end."""
        self._link = RobotLink(
            robot, self._stream, states, end=lambda: self._interrupted
        )

    def run(self) -> tuple[TeleopResult, RunRecord]:
        """Run to the end, to Ctrl-C, or until the robot falls."""
        options = self._options
        viewer = self._start_viewer()
        _announce(self._ready)
        client = None
        if options.scripted:
            client = ScriptedClient(self._ready.urls[0], options.seed)
            self._stack.enter_context(client)
        with self._ctrl_c_ends():
            record = run_realtime(
                self._settings,
                viewer=viewer,
                references=self._link,
                companion=self._link,
                keep_s=KEEP_S if _is_endless(options) else None,
            )
        if record.fell:
            self._link.say(record.events[-1][1])
            time.sleep(LAST_WORD_S)
        report = self._operator.finish()
        if report is None:
            self.lost = "the operator's process"
        elif client is not None and client.lost:
            self.lost = "the scripted client's process"
        if self.lost:
            say(f"{self.lost} was gone at the end")
        return self._result(record, report), record

    def _start_viewer(self) -> Viewer | None:
        if self._options.no_meshcat:
            return None
        from scenarios.report.meshcat_view import LiveViewer

        return self._stack.enter_context(LiveViewer(self._robot.settings))

    @contextlib.contextmanager
    def _ctrl_c_ends(self) -> Iterator[None]:
        """The first Ctrl-C ends the run in order, the second one at once.

        Before the robot has moved there is nothing to report: it ends at once, too.
        """

        def end(*_: Any) -> None:
            if self._interrupted or self._link.ticks < TICKS_TO_REPORT:
                raise KeyboardInterrupt
            self._interrupted = True
            say("ending; once more to end at once")

        before = signal.signal(signal.SIGINT, end)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _result(self, record: RunRecord, report: OperatorReport | None) -> TeleopResult:
        if report is not None and report.recording_problem is not None:
            say(report.recording_problem)
            self.unrecorded = True
        return TeleopResult(
            driver=_driver(self._options),
            transport=self._options.listen,
            hands=hand_tracking(record, self._link.off_target),
            base=base_motion(record),
            latency=self._link.latency.budget(),
            stream=stream_quality(self._stream, float(record.time_s[-1])),
            operator=report,
            run=measure(record, self._robot),
        )


def _check(options: Teleop) -> None:
    """Refuse what contradicts itself.

    Raises:
        ScenarioError: It does.
    """
    if options.scripted and options.replay is not None:
        raise ScenarioError("--scripted and --replay: choose one of them")
    for name in ("replay", "config"):
        value = getattr(options, name)
        if value is not None and not is_file(Path(value)):
            raise ScenarioError(f"--{name} {value}: no such file")
    idle = {
        "payload-at": options.payload_at is not None,
        "arm": options.arm != Teleop().arm,
    }
    for name, given in idle.items():
        if given and not _payload_kg(options) > 0.0:
            raise ScenarioError(f"--{name}: is for a payload; give --payload KG, too")
    if options.port is not None and not 0 <= options.port <= 65535:
        raise ScenarioError(f"--port {options.port}: must be between 0 and 65535")


def _plan(options: Teleop, references_to: tuple[str, int]) -> OperatorPlan:
    config = None if options.config is None else Path(options.config)
    return OperatorPlan(
        robot=options.robot,
        overrides=options.set,
        settings=load_teleop_settings(config),
        transport=options.listen,
        references_to=references_to,
        parent=os.getpid(),
        page=PageOptions(
            # A script needs no certificate to talk to its own machine.
            http=options.http or options.scripted,
            host=options.host,
            port=options.port,
        ),
        replay=None if options.replay is None else Path(options.replay),
        record=None if options.record is None else Path(options.record),
        priority=OPERATOR_PRIORITY,
    )


def _run_settings(options: Teleop, recorded_s: float | None) -> RunSettings:
    duration_s = options.duration
    if duration_s is None:
        duration_s = END_S + 1.0 if options.scripted else recorded_s or ENDLESS_S
    at_s = LOAD_AT_S if options.payload_at is None else options.payload_at
    return run_settings(
        "standing",
        robot=options.robot,
        payload_kg=_payload_kg(options),
        arm=options.arm,
        at_s=min(at_s, duration_s) if options.payload_at is None else at_s,
        duration_s=duration_s,
        estimator=not options.no_ekf,
        plant=options.plant,
        seed=options.seed,
        realtime=True,
        overrides=options.set,
    )


def _payload_kg(options: Teleop) -> float:
    if options.payload is not None:
        return options.payload
    return SCRIPT_PAYLOAD_KG if options.scripted else 0.0


def _for_this_machine() -> tuple[str, ...]:
    """Settings of the robot that the machine asks for; the user's come after them."""
    cores = os.cpu_count() or 1
    if cores >= CORES_FOR_EVERYTHING:
        return ()
    say(f"{cores} cores: the MPC runs at 50 Hz (--set mpc.tick_dt_s=0.01: 100 Hz)")
    return FEW_CORES


def _is_endless(options: Teleop) -> bool:
    return not (options.scripted or options.replay) and options.duration is None


def _driver(options: Teleop) -> str:
    if options.replay is not None:
        return "recording"
    return "script" if options.scripted else "page"


def _announce(ready: OperatorReady) -> None:
    """Print the page's addresses, the first one as a QR code as well."""
    if not ready.urls:
        return
    import segno

    for url in ready.urls:
        say(f"page at {url}")
    if sys.stderr.isatty():
        segno.make(ready.urls[0]).terminal(out=sys.stderr, compact=True)


def _save(
    path: Path | None, robot: Robot, result: TeleopResult, record: RunRecord
) -> int:
    """Write the session's folder, if any; exit code."""
    if path is None:
        return EXIT_OK
    from scenarios.records.mcap_log import write_log
    from scenarios.report.replay_page import write_animation

    with RunFolder(path) as folder:
        folder.write_json("metrics.json", result)
        folder.write_text("table.txt", result_text(result) + "\n")
        settings = {"run": record.settings, "robot": robot.settings}
        folder.write_json("settings.json", settings)
        folder.write_json("versions.json", installed_versions())
        folder.write("log.mcap", lambda p: write_log(p, record))
        folder.write("replay.html", lambda p: write_animation(p, robot, record))
    return tell_folder(folder, path)
