"""A run as a page that replays it in a browser, without a network."""

from __future__ import annotations

import base64
import html
import importlib.resources
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from models.arrays import Array
from scenarios.records.payload_rows import drawn_series
from scenarios.records.record import SIDES, RunRecord
from scenarios.records.scene_colors import ESTIMATE_RGB, TRUE_LOAD_RGB, as_css
from scenarios.report.drawing import GREY, RobotDrawing, draw_stage, quiet_meshcat
from scenarios.report.replay.page_data import page_data
from wbmpc.robot import Robot

RATE_HZ = 25.0
SIDE_BY_SIDE_M = 0.65
"""Half the distance between two robots."""
REPETITIONS = 10_000
"""The replay starts over until the page is closed."""


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
    data = page_data(record, other, RATE_HZ)
    path.write_text(_page(commands, _title(record), data), encoding="utf-8")


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
    """One clip per joint and load, at `RATE_HZ`."""
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


def _title(record: RunRecord) -> str:
    """Scenario and load."""
    settings = record.settings
    load = f"{settings.payload_kg:g} kg, {settings.arm} forearm"
    return f"{settings.scenario}: {load if settings.payload_kg else 'no load'}"


def _page(commands: _Commands, title: str, data: dict[str, Any]) -> str:
    """Meshcat's own viewer with every command inside."""
    dist = importlib.resources.files("meshcat") / "viewer" / "dist"
    packed = [base64.b64encode(command).decode() for command in commands.packed]
    parts = importlib.resources.files("scenarios.report.replay")
    filled = {
        "css": (parts / "page.css").read_text(encoding="utf-8"),
        "script": (parts / "page.js").read_text(encoding="utf-8"),
        "viewer": (dist / "main.min.js").read_text(encoding="utf-8"),
        "commands": json.dumps(packed),
        "data": json.dumps(data).replace("<", "\\u003c"),
        "title": html.escape(title),
        "true": as_css(TRUE_LOAD_RGB),
        "estimate": as_css(ESTIMATE_RGB),
    }
    page = (parts / "page.html").read_text(encoding="utf-8")
    # What is filled in is not searched again.
    return re.sub(r"@@(\w+)@@", lambda found: filled[found[1]], page)
