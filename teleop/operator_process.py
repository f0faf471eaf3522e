"""The operator's computer as a process: page, engagement, inverse kinematics, stream.

It talks to the control side by datagrams only, and to its parent when it is ready and
when it ends: either side may live on another machine or die without the other.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from teleop.operator import Operator
from teleop.recording import ReferenceRecorder, read_recording, restamped
from teleop.session import OperatorSession
from teleop.settings import TeleopSettings
from teleop.stream_messages import ReferenceMessage
from teleop.transports import Transport, open_sender
from teleop.udp import Address, UdpStates
from teleop.web import (
    ServerAddress,
    config_folder,
    machine_names,
    robot_figure,
    serve,
    server_identity,
)
from teleop.web.access import new_token
from wbmpc.realtime import ask_fifo
from wbmpc.realtime.child_process import error_to_send
from wbmpc.robot import Robot

PARENT_CHECK_S = 0.5
"""How soon a killed parent is noticed."""
TICKS_TIMED = 100_000
"""Half an hour of ticks whose duration is kept."""


class PageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where the page is served."""

    http: bool = False
    """Plain HTTP, for this machine or a USB cable."""
    host: str | None = None
    port: int | None = None


class OperatorPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The task of the process."""

    robot: str
    overrides: tuple[str, ...]
    settings: TeleopSettings
    transport: Transport
    references_to: Address
    """Where datagrams with references go; other transports have topics."""
    parent: int
    """Process whose end is this one's end."""
    key: bytes | None = None
    """What datagrams of this session are sealed with."""
    page: PageOptions = PageOptions()
    replay: Path | None = None
    """Stream this recording instead of serving a page."""
    record: Path | None = None
    """Write what is sent to this file."""
    priority: int | None = None
    """Of SCHED_FIFO; below the control side's. None: do not ask for it."""


class OperatorReady(msgspec.Struct, frozen=True, kw_only=True):
    """The page can be opened, and states of the robot can be sent."""

    urls: tuple[str, ...]
    states_to: Address
    duration_s: float | None
    """Length of the recording; None for a page."""


class OperatorReport(msgspec.Struct, frozen=True, kw_only=True):
    """How it went, in numbers."""

    references_sent: int
    ticks_late: int
    """Ticks that began a whole period late or more."""
    ik_ms: dict[str, float]
    """p50, p95 and largest of one tick: targets, inverse kinematics, reference."""
    frames: int = 0
    frame_gaps: int = 0
    counts: dict[str, int] = {}
    """Frames and messages that were not used, by reason."""
    clock_offset_s: float | None = None
    """Server's clock minus the client's."""
    clock_drift_ppm: float | None = None
    clock_jumps: int = 0
    recording_problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class OperatorLinks:
    """The ties of the process to its parent.

    Attributes:
        results: `OperatorReady`, then `OperatorReport`; or an error, as
            `error_to_send` has it.
        stop: Shared int64: not 0 once the process shall end.
    """

    results: Connection
    stop: Any


def serve_operator(plan: OperatorPlan, links: OperatorLinks) -> None:
    """Body of the spawned process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    if plan.priority is not None:
        ask_fifo(plan.priority)
    try:
        asyncio.run(_run(plan, links))
    except Exception as error:
        _send(links, error_to_send(error))
    finally:
        links.results.close()


async def _run(plan: OperatorPlan, links: OperatorLinks) -> None:
    robot = Robot.load(plan.robot, plan.overrides)
    outlets = Outlets(plan, robot)
    states = UdpStates(key=plan.key)
    try:
        if plan.replay is not None:
            await _replay(plan, links, robot, outlets, states)
        else:
            await _operate(plan, links, robot, outlets, states)
    finally:
        outlets.close()
        states.close()


class Outlets:
    """Where samples go: the transport, and the recording if there is one."""

    def __init__(self, plan: OperatorPlan, robot: Robot) -> None:
        """Open everything.

        Raises:
            TeleopError: The transport or the file cannot be had.
        """
        self.sent = 0
        self._sender = open_sender(plan.transport, robot, plan.references_to, plan.key)
        self._recorder: ReferenceRecorder | None = None
        if plan.record is not None:
            self._recorder = ReferenceRecorder(plan.record, robot)

    @property
    def problem(self) -> str | None:
        """Why recording ended early."""
        return None if self._recorder is None else self._recorder.problem

    def send(self, message: ReferenceMessage) -> None:
        """Send first, then record."""
        self._sender.send(message)
        self.sent += 1
        if self._recorder is not None:
            self._recorder.send(message)

    def close(self) -> None:
        """Finish the file."""
        self._sender.close()
        if self._recorder is not None:
            self._recorder.close()


async def _operate(
    plan: OperatorPlan,
    links: OperatorLinks,
    robot: Robot,
    outlets: Outlets,
    states: UdpStates,
) -> None:
    """Serve the page and stream what its client asks for."""
    operator = Operator(robot, plan.settings)
    session = OperatorSession(operator, plan.settings)
    loop = TickLoop(plan, links)

    def ready(address: ServerAddress) -> None:
        found = OperatorReady(
            urls=address.urls, states_to=states.address, duration_s=None
        )
        _send(links, found)

    def tick(now_s: float) -> None:
        state = states.newest()
        if state is not None:
            operator.robot_state(state, now_s)
        message = operator.tick(now_s)
        if message is not None:
            outlets.send(message)

    server = asyncio.create_task(_serve_page(plan.page, session, robot, ready))
    ticks = asyncio.create_task(loop.run(tick))
    try:
        await asyncio.wait((server, ticks), return_when=asyncio.FIRST_COMPLETED)
        if server.done():
            server.result()  # raises what ended it
        ticks.result()
    finally:
        for task in (server, ticks):
            task.cancel()
        await asyncio.gather(server, ticks, return_exceptions=True)
    _send(links, _page_report(session, loop, outlets))


async def _serve_page(
    page: PageOptions,
    session: OperatorSession,
    robot: Robot,
    ready: Callable[[ServerAddress], None],
) -> None:
    identity = None
    if not page.http:
        identity = server_identity(config_folder(), machine_names())
    where: dict[str, Any] = {} if page.port is None else {"port": page.port}
    figure = robot_figure(robot)
    await serve(
        session,
        figure=figure,
        on_ready=ready,
        identity=identity,
        host=page.host,
        token=new_token(),
        **where,
    )


async def _replay(
    plan: OperatorPlan,
    links: OperatorLinks,
    robot: Robot,
    outlets: Outlets,
    states: UdpStates,
) -> None:
    """Stream a recording, from the first state of the robot on."""
    assert plan.replay is not None
    samples = read_recording(plan.replay, robot)
    ready = OperatorReady(
        urls=(), states_to=states.address, duration_s=samples[-1].time_s
    )
    _send(links, ready)
    loop = TickLoop(plan, links)
    waiting: list[tuple[float, ReferenceMessage]] = []
    started = False

    def tick(now_s: float) -> None:
        nonlocal started, waiting
        if not started and states.newest() is not None:
            started = True
            stream = time.time_ns() & 0x7FFFFFFF
            sent = restamped(samples, stream=stream, start_s=now_s)
            waiting = list(sent)[::-1]
        while waiting and waiting[-1][0] <= now_s + 1e-3:
            outlets.send(waiting.pop()[1])

    await loop.run(tick)
    _send(links, loop.report(outlets))


class TickLoop:
    """Calls something at the stream's rate, by absolute deadlines, until the end."""

    def __init__(self, plan: OperatorPlan, links: OperatorLinks) -> None:
        """Prepare."""
        self._plan, self._links = plan, links
        self._period_s = 1.0 / plan.settings.ik.rate_hz
        self._spent_ms: deque[float] = deque(maxlen=TICKS_TIMED)
        self._late = 0

    async def run(self, tick: Callable[[float], None]) -> None:
        """Call `tick` with the monotonic clock until told to stop."""
        due_s = checked_s = time.monotonic()
        while not self._links.stop.value:
            now_s = time.monotonic()
            if now_s - checked_s > PARENT_CHECK_S:
                checked_s = now_s
                self._end_with_parent()
            tick(now_s)
            self._spent_ms.append(1e3 * (time.monotonic() - now_s))
            due_s += self._period_s
            if time.monotonic() - due_s > self._period_s:
                self._late += 1
                due_s = time.monotonic()
            await asyncio.sleep(max(0.0, due_s - time.monotonic()))

    def report(self, outlets: Outlets) -> OperatorReport:
        """The counts of any stream."""
        spent = self._spent_ms or [0.0]
        p50, p95, largest = np.percentile(spent, [50, 95, 100]).tolist()
        return OperatorReport(
            references_sent=outlets.sent,
            ticks_late=self._late,
            ik_ms={"p50": p50, "p95": p95, "max": largest},
            recording_problem=outlets.problem,
        )

    def _end_with_parent(self) -> None:
        """A killed control side leaves no orphan."""
        if os.getppid() != self._plan.parent:
            os._exit(1)


def _page_report(
    session: OperatorSession, loop: TickLoop, outlets: Outlets
) -> OperatorReport:
    operator = session.operator
    counts = {**session.counts, **operator.counts}
    for side, hand in operator.hands.items():
        counts |= {f"{side}_{why}": n for why, n in hand.gate.refused.items()}
    known = operator.frames > 0
    return msgspec.structs.replace(
        loop.report(outlets),
        frames=operator.frames,
        frame_gaps=operator.gaps,
        counts={name: count for name, count in counts.items() if count},
        clock_offset_s=operator.clock.offset_s if known else None,
        clock_drift_ppm=operator.clock.drift_ppm if known else None,
        clock_jumps=operator.clock.jumps,
    )


def _send(links: OperatorLinks, answer: object) -> None:
    """Tell the parent, if it still listens."""
    with suppress(OSError):
        links.results.send(answer)
