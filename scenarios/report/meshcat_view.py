"""The robot in a browser: live while it runs, and as a page that replays offline."""

from __future__ import annotations

import base64
import html
import importlib.resources
import json
import os
import signal
import sys
import threading
import time
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from models.arrays import Array
from scenarios.records.payload_rows import drawn_series
from scenarios.records.record import SIDES, RunRecord
from scenarios.report.drawing import GREY, RobotDrawing, draw_stage, quiet_meshcat
from wbmpc.realtime.child_process import end_process, start_process
from wbmpc.robot import Robot
from wbmpc.settings import RobotSettings

RATE_HZ = 25.0
START_TIMEOUT_S = 20.0
SIDE_BY_SIDE_M = 0.65
"""Half the distance between two robots."""
_DRAWN = 7
"""Numbers an estimated payload is drawn from."""
REPETITIONS = 10_000
"""The replay starts over until the page is closed."""


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


def write_animation(
    path: Path, robot: Robot, record: RunRecord, other: RunRecord | None = None
) -> None:
    """Write a page that replays a run, or two side by side, without a network.

    With `other`, the run with the estimator is in colour and the one without in grey.

    Args:
        path: File to write.
        robot: Robot of both runs.
        record: The run in colour.
        other: The run in grey.

    Raises:
        OSError: The file cannot be written.
    """
    commands = _Commands()
    meshcat, _ = quiet_meshcat()
    window = meshcat.Visualizer(window=commands)
    draw_stage(window)
    shift = 0.0 if other is None else SIDE_BY_SIDE_M
    drawing = RobotDrawing(window, robot, "robot", offset_y_m=shift)
    animations = _animate(drawing, record)
    if other is not None:
        ghost = RobotDrawing(window, robot, "other", offset_y_m=-shift, color=GREY)
        animations += _animate(ghost, other)
    commands.send(_PlayCommand(animations))
    path.write_text(_page(commands, _caption(record, other)), encoding="utf-8")


class _Commands:
    """Stands in for Meshcat's server: keeps packed commands in order."""

    def __init__(self) -> None:
        self.packed: list[bytes] = []

    def send(self, command: Any) -> None:
        import umsgpack

        self.packed.append(umsgpack.packb(command.lower()))


class _PlayCommand:
    """Meshcat's `set_animation` from ready-made tracks."""

    def __init__(self, animations: list[dict[str, Any]]) -> None:
        self._animations = animations

    def lower(self) -> dict[str, Any]:
        return {
            "type": "set_animation",
            "animations": self._animations,
            "options": {"play": True, "repetitions": REPETITIONS},
            "path": "",
        }


def _animate(drawing: RobotDrawing, record: RunRecord) -> list[dict[str, Any]]:
    """One clip a joint and load, at `RATE_HZ`."""
    frames = _frame_ticks(record)
    drawing.show(record.q[0], record.drawn_loads_kg[0])
    poses = [drawing.transforms(record.q[k]) for k in frames]
    scales = [drawing.payload_scales(record.drawn_loads_kg[k]) for k in frames]
    clips = []
    for name in poses[0]:
        tracks = [
            _track("position", "vector3", [p[name][:3, 3].tolist() for p in poses]),
            _track("quaternion", "quaternion", [_xyzw(p[name]) for p in poses]),
        ]
        clips.append(_clip(drawing.full_path(name), tracks))
    for name in scales[0]:
        sizes = [s[name] for s in scales]
        tracks = [_track("scale", "vector3", sizes)]
        clips.append(_clip(drawing.full_path(name), tracks))
    return clips + _animate_estimates(drawing, record, frames)


def _animate_estimates(
    drawing: RobotDrawing, record: RunRecord, frames: list[int]
) -> list[dict[str, Any]]:
    """The estimated payloads with their ellipsoids."""
    payloads = [record.links[side].payload for side in SIDES]
    shown = [
        drawing.estimate_shapes(np.array([drawn_series(p, k) for p in payloads]))
        for k in frames
    ]
    clips = []
    for name in shown[0]:
        tracks = [
            _track("position", "vector3", [s[name][0].tolist() for s in shown]),
            _track("scale", "vector3", [s[name][1].tolist() for s in shown]),
        ]
        clips.append(_clip(drawing.full_path(name), tracks))
    return clips


def _frame_ticks(record: RunRecord) -> list[int]:
    """Tick shown in each frame."""
    start, end = record.time_s[0], record.time_s[-1]
    times = np.arange(start, end + 1e-9, 1.0 / RATE_HZ)
    ticks = np.searchsorted(record.time_s, times - 1e-9)
    return [int(k) for k in np.minimum(ticks, len(record.time_s) - 1)]


def _xyzw(pose: Array) -> list[float]:
    import pinocchio as pin

    xyzw: list[float] = pin.Quaternion(pose[:3, :3]).coeffs().tolist()
    return xyzw


def _track(name: str, kind: str, values: list[list[float]]) -> dict[str, Any]:
    keys = [{"time": i, "value": value} for i, value in enumerate(values)]
    return {"name": f".{name}", "type": kind, "keys": keys}


def _clip(path: str, tracks: list[dict[str, Any]]) -> dict[str, Any]:
    clip = {"fps": int(RATE_HZ), "name": "default", "tracks": tracks}
    return {"path": path, "clip": clip}


def _caption(record: RunRecord, other: RunRecord | None) -> str:
    """Heading and legend of the page, as HTML."""
    settings = record.settings
    title = f"{settings.scenario}: {settings.payload_kg:g} kg, {settings.arm} forearm"
    lines = [f"<b>{html.escape(title)}</b>"]
    if other is not None:
        lines.append("left, grey: without estimator; right, in colour: with estimator")
    else:
        lines.append(f"estimator {'on' if settings.has_estimator else 'off'}")
    if record.supervision is not None:
        lines.append("blue: estimated payload at its centre, 2 sigma around it")
    for name, run in (("", record), ("grey robot ", other)):
        if run is not None and run.fell:
            lines.append(f"{name}fell at {run.time_s[-1]:.2f} s")
    return "<br>".join(lines)


def _page(commands: _Commands, caption: str) -> str:
    """Meshcat's own viewer with every command inside."""
    viewer = importlib.resources.files("meshcat") / "viewer" / "dist" / "main.min.js"
    packed = [base64.b64encode(command).decode() for command in commands.packed]
    return _PAGE.format(
        viewer=viewer.read_text(encoding="utf-8"),
        commands=json.dumps(packed),
        caption=caption,
    )


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>wbmpc replay</title>
<style>
body {{ margin: 0; }}
#meshcat-pane {{ width: 100vw; height: 100vh; overflow: hidden; }}
#caption {{ position: absolute; left: 12px; top: 10px; padding: 8px 12px;
  font: 14px/1.5 sans-serif; color: #222; background: rgba(255, 255, 255, 0.8); }}
</style>
</head>
<body>
<div id="meshcat-pane"></div>
<div id="caption">{caption}<br><span id="clock"></span></div>
<script>{viewer}</script>
<script>
var viewer = new MeshCat.Viewer(document.getElementById("meshcat-pane"));
for (const packed of {commands}) {{
  const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
  viewer.handle_command_bytearray(bytes);
}}
const update = viewer.animator.update.bind(viewer.animator);
viewer.animator.update = () => {{
  update();
  const action = viewer.animator.actions[0];
  if (action) {{
    const clock = document.getElementById("clock");
    clock.textContent = "t = " + action.time.toFixed(1) + " s";
  }}
}};
</script>
</body>
</html>
"""


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
