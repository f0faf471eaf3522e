"""The robot in a browser while it runs."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any

import numpy as np

from models.arrays import Array
from models.errors import ModelsError
from scenarios.records.record import SIDES
from scenarios.report.drawing import RobotDrawing, draw_stage, quiet_meshcat
from wbmpc.realtime.child_process import end_process, start_process
from wbmpc.robot import Robot
from wbmpc.settings import RobotSettings

RATE_HZ = 25.0
START_WAIT_S = 4.0
"""A run waits so long for its page; then it begins, and the page comes when it can."""
SERVER_TIMEOUT_S = 20.0
_DRAWN = 7
"""Numbers an estimated payload is drawn from."""


class LiveViewer:
    """A Meshcat server in a process of its own, fed through shared memory.

    `update` copies a few numbers and never waits: frames that come while the viewer is
    busy are dropped. A viewer that does not start, or dies, is told in one sentence and
    the run goes on. Its process ends with this one, however this one ends.

    Attributes:
        url: Of the page; None while there is none.
    """

    def __init__(self, settings: RobotSettings, say: Callable[[str], None]) -> None:
        """Start the process; waits until the page can be opened, or 4 s.

        Args:
            settings: The robot to draw.
            say: Is told what the user should know, a sentence at a time.
        """
        robot = Robot(settings)
        self._size, self._say = robot.full_model.nq, say
        self._drawn_at = -np.inf
        self._silent = False
        self.url: str | None = None
        self._process: BaseProcess | None = None
        try:
            self._start(settings)
        except (OSError, ModelsError) as error:
            self._complain(f"the live view did not start ({error})")
            return
        self.update(0.0, robot.home_q_full, np.zeros(len(SIDES)))
        if not self._answers(START_WAIT_S):
            self._say(
                f"the live view is not there after {START_WAIT_S:g} s; the run goes on "
                "and tells when it is"
            )

    def _start(self, settings: RobotSettings) -> None:
        """Start the process.

        Raises:
            OSError: The system has no room for shared memory.
            ModelsError: Or none for another process.
        """
        context = get_context("spawn")
        self._frame = context.Array("d", self._size + (1 + _DRAWN) * len(SIDES))
        self._answer, send = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_serve, args=(settings, self._frame, send, os.getpid()), daemon=True
        )
        start_process(self._process)
        send.close()

    def update(
        self,
        time_s: float,
        q: Array,
        payload_kg: Array,
        estimates: Array | None = None,
    ) -> None:
        """Show a configuration of `Robot.full_model` and the loads left and right.

        Args:
            time_s: Plant time.
            q: (nq,) configuration.
            payload_kg: (2,) loads.
            estimates: (2, 7) what the estimator believes of them, see `Viewer`.
        """
        if 0.0 <= time_s - self._drawn_at < 0.5 / RATE_HZ or self._silent:
            return
        self._drawn_at = time_s
        if self.url is None and self._answers(0.0) and self._silent:
            return
        if self._process is None or not self._process.is_alive():
            self._complain("the live view has ended")
            return
        lock = self._frame.get_lock()
        if lock.acquire(block=False):
            try:
                values = np.frombuffer(memoryview(self._frame.get_obj()))
                values[: self._size] = q
                values[self._size : self._size + len(SIDES)] = payload_kg
                drawn = values[self._size + len(SIDES) :]
                drawn[:] = 0.0 if estimates is None else estimates.ravel()
            finally:
                lock.release()

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.pid is not None:
            end_process(self._process)

    def __enter__(self) -> LiveViewer:
        """Use as a context."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the view."""
        self.close()

    def _answers(self, timeout_s: float) -> bool:
        """Whether the process has said where its page is, or why there is none."""
        try:
            if not self._answer.poll(timeout_s):
                return False
            url, problem = self._answer.recv()
        except (EOFError, OSError):
            url, problem = None, "its process died"
        if url is None:
            self._complain(f"the live view did not start ({problem})")
        else:
            self.url = url
            self._say(f"live view at {url}")
        return True

    def _complain(self, sentence: str) -> None:
        self._silent = True
        self._say(f"{sentence}; the run goes on without it")


def _serve(settings: RobotSettings, frame: Any, ready: Any, parent: int) -> None:
    """Body of the viewer process: server and drawing together, nothing outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    # The server prints to standard output, which belongs to results.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        drawing, url = _open_page(settings)
    except Exception as error:
        ready.send((None, f"{type(error).__name__}: {error}".splitlines()[0]))
        os._exit(1)  # its server may wait for ever
    ready.send((url, ""))
    ready.close()
    nq = len(frame) - (1 + _DRAWN) * len(SIDES)
    while os.getppid() == parent:
        started = time.monotonic()
        with frame.get_lock():
            values = np.array(frame.get_obj())
        loads, estimates = np.split(values[nq:], [len(SIDES)])
        drawing.show(values[:nq], loads, estimates.reshape(len(SIDES), _DRAWN))
        time.sleep(max(0.0, started + 1.0 / RATE_HZ - time.monotonic()))


def _open_page(settings: RobotSettings) -> tuple[RobotDrawing, str]:
    """Start the server and draw the stage; returns the page's address with it."""
    meshcat, _ = quiet_meshcat()
    zmq_url, web_url = _start_server()
    window = meshcat.Visualizer(zmq_url=zmq_url)
    draw_stage(window)
    return RobotDrawing(window, Robot(settings), "robot"), web_url


def _start_server() -> tuple[str, str]:
    """Run Meshcat's server in a thread of this process; any free port will do."""
    answers: queue.Queue[tuple[str, str] | Exception] = queue.Queue()

    def serve() -> None:
        try:
            import asyncio

            from scenarios.report.meshcat_server import local_bridge

            asyncio.set_event_loop(asyncio.new_event_loop())
            bridge = local_bridge()
        except Exception as error:
            answers.put(error)
            return
        answers.put((bridge.zmq_url, bridge.web_url))
        bridge.run()

    threading.Thread(target=serve, daemon=True).start()
    try:
        answer = answers.get(timeout=SERVER_TIMEOUT_S)
    except queue.Empty:
        raise TimeoutError(f"no server within {SERVER_TIMEOUT_S:g} s") from None
    if isinstance(answer, Exception):
        raise answer
    return answer
