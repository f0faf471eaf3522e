"""The robot in a browser while it runs."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from multiprocessing import get_context
from types import TracebackType
from typing import Any

import numpy as np

from models.arrays import Array
from scenarios.records.record import SIDES
from scenarios.report.drawing import RobotDrawing, draw_stage, quiet_meshcat
from wbmpc.realtime.child_process import end_process, start_process
from wbmpc.robot import Robot
from wbmpc.settings import RobotSettings

RATE_HZ = 25.0
START_TIMEOUT_S = 20.0
_DRAWN = 7
"""Numbers an estimated payload is drawn from."""


class LiveViewer:
    """A Meshcat server in a process of its own, fed through shared memory.

    `update` copies a few numbers and never waits: frames that come while the viewer is
    busy are dropped. A viewer that does not start, or dies, is reported once on
    standard error and the run goes on. Its process ends with this one, however this
    one ends.
    """

    def __init__(self, settings: RobotSettings) -> None:
        """Start the process; waits until the page can be opened, or 20 s.

        Args:
            settings: The robot to draw.
        """
        context = get_context("spawn")
        robot = Robot(settings)
        self._size = robot.full_model.nq
        self._frame = context.Array("d", self._size + (1 + _DRAWN) * len(SIDES))
        self._drawn_at = -np.inf
        self._silent = False
        receive, send = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_serve, args=(settings, self._frame, send, os.getpid()), daemon=True
        )
        self.update(0.0, robot.home_q_full, np.zeros(len(SIDES)))
        start_process(self._process)
        send.close()
        self.url = self._wait_for_url(receive)

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
        if self._process.pid is not None and not self._process.is_alive():
            self._complain("the live view has ended; the run goes on")
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

    def _wait_for_url(self, receive: Any) -> str | None:
        try:
            if receive.poll(START_TIMEOUT_S):
                url = str(receive.recv())
                print(f"live view at {url}", file=sys.stderr)
                return url
        except EOFError:
            pass
        self._complain("the live view did not start; the run goes on without it")
        return None

    def _complain(self, sentence: str) -> None:
        self._silent = True
        print(sentence, file=sys.stderr)


def _serve(settings: RobotSettings, frame: Any, ready: Any, parent: int) -> None:
    """Body of the viewer process: server and drawing together, nothing outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    # The server prints to standard output, which belongs to results.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    meshcat, _ = quiet_meshcat()
    zmq_url, web_url = _start_server()
    window = meshcat.Visualizer(zmq_url=zmq_url)
    draw_stage(window)
    drawing = RobotDrawing(window, Robot(settings), "robot")
    ready.send(web_url)
    ready.close()
    nq = len(frame) - (1 + _DRAWN) * len(SIDES)
    while os.getppid() == parent:
        started = time.monotonic()
        with frame.get_lock():
            values = np.array(frame.get_obj())
        loads, estimates = np.split(values[nq:], [len(SIDES)])
        drawing.show(values[:nq], loads, estimates.reshape(len(SIDES), _DRAWN))
        time.sleep(max(0.0, started + 1.0 / RATE_HZ - time.monotonic()))


def _start_server() -> tuple[str, str]:
    """Run Meshcat's server in a thread of this process; any free port will do."""
    urls: list[str] = []
    started = threading.Event()

    def serve() -> None:
        import asyncio

        from meshcat.servers.zmqserver import ZMQWebSocketBridge

        asyncio.set_event_loop(asyncio.new_event_loop())
        bridge = ZMQWebSocketBridge(host="127.0.0.1")
        urls.extend((bridge.zmq_url, bridge.web_url))
        started.set()
        bridge.run()

    threading.Thread(target=serve, daemon=True).start()
    if not started.wait(START_TIMEOUT_S):
        raise RuntimeError("the viewer's server did not start")
    return urls[0], urls[1]
