"""A teleoperated run of the simulated robot: who drives it, and what it leaves."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from scenarios.records.record import RunRecord
from scenarios.run.realtime import run_realtime
from scenarios.run.robot_link import RobotLink
from scenarios.run.settings import RunSettings
from scenarios.run.viewer import Viewer
from teleop.operator_link import OperatorLink
from teleop.operator_process import OperatorPlan, OperatorReport
from teleop.reference_stream import StreamedReference
from teleop.scripted_client import ScriptedClient
from teleop.sealed import new_key
from teleop.transports import open_receiver
from teleop.udp import UdpReferences, UdpSender
from wbmpc.robot import Robot

TICKS_TO_REPORT = 10
"""Fewer say nothing about a run."""
LAST_WORD_S = 2.0
"""For the page to say why the robot stands no more."""


class TeleopSession:
    """One session: operator's process, control side, plant.

    Attributes:
        robot: The robot.
        stream: References as they reach the control side.
        ready: What the operator's process says once it is there.
        link: What the control side does for the operator.
        problems: What did not go as asked.
    """

    def __init__(
        self,
        robot: Robot,
        operator: OperatorPlan,
        stack: contextlib.ExitStack,
        say: Callable[[str], None],
    ) -> None:
        """Start everything but the robot.

        Args:
            robot: The robot.
            operator: Of its process; where references go is said here.
            stack: Ends what was started.
            say: Is told in a sentence what the user should know.

        Raises:
            ModelsError: The process cannot do what was asked.
        """
        self.robot, self._stack, self._say = robot, stack, say
        operator = msgspec.structs.replace(operator, key=new_key())
        receiver = open_receiver(operator.transport, robot, operator.key)
        stack.callback(receiver.close)
        self.stream = StreamedReference(robot, receiver)
        if isinstance(receiver, UdpReferences):
            operator = msgspec.structs.replace(operator, references_to=receiver.address)
        self._operator = stack.enter_context(OperatorLink(operator))
        self.ready = self._operator.wait_ready()
        states = UdpSender(self.ready.states_to, operator.key)
        stack.callback(states.close)
        self._interrupted = False
        self.problems: list[str] = []
        self.link = RobotLink(robot, self.stream, states, end=lambda: self._interrupted)

    def run(
        self,
        settings: RunSettings,
        *,
        scripted: bool,
        viewer: Viewer | None,
        keep_s: float | None,
    ) -> tuple[RunRecord, OperatorReport | None]:
        """Run to the end, to Ctrl-C, or until the robot falls.

        Args:
            settings: Of the run.
            scripted: Whether a scripted client drives, through the page.
            viewer: Shows the robot.
            keep_s: Record only the last so many seconds; None: everything.

        Returns:
            The run, and what the operator's process reports; None if it was gone.
        """
        client = None
        if scripted:
            client = ScriptedClient(self.ready.urls[0], settings.seed)
            self._stack.enter_context(client)
        with self._ctrl_c_ends():
            record = run_realtime(
                settings,
                viewer=viewer,
                references=self.link,
                companion=self.link,
                keep_s=keep_s,
            )
        if record.fell:
            self.link.say(record.events[-1][1])
            time.sleep(LAST_WORD_S)
        report = self._operator.finish()
        self.problems = list(_problems(report, client))
        for problem in self.problems:
            self._say(problem)
        return record, report

    @contextlib.contextmanager
    def _ctrl_c_ends(self) -> Iterator[None]:
        """The first Ctrl-C ends the run in order, the second one at once.

        Before the robot has moved there is nothing to report: it ends at once, too.
        """

        def end(*_: Any) -> None:
            if self._interrupted or self.link.ticks < TICKS_TO_REPORT:
                raise KeyboardInterrupt
            self._interrupted = True
            self._say("ending; once more to end at once")

        before = signal.signal(signal.SIGINT, end)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _problems(
    report: OperatorReport | None, client: ScriptedClient | None
) -> Iterator[str]:
    """Everything that did not go as asked."""
    if report is None:
        yield "the operator's process was gone at the end"
    elif client is not None and client.lost:
        yield "the scripted client's process was gone at the end"
    if report is not None and report.recording_problem is not None:
        yield report.recording_problem
