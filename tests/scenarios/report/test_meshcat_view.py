"""The replay page is whole and offline; the live view never disturbs a run."""

from __future__ import annotations

import base64
import json
import os
import re
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
import umsgpack
from sample_records import make_record

from scenarios.report import meshcat_view
from scenarios.report.drawing import (
    ESTIMATE_DENSITY_KG_PER_M3,
    PLATE_RADIUS_M,
    PLATE_THICKNESS_M_PER_KG,
)
from scenarios.report.meshcat_view import LiveViewer
from scenarios.report.replay_page import write_animation
from wbmpc.errors import ProcessLostError
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


def _commands(path: Path) -> list[dict[str, Any]]:
    """Decode what the page will tell the viewer."""
    text = path.read_text(encoding="utf-8")
    packed = re.search(r"for \(const packed of (\[.*?\])\)", text)
    assert packed is not None
    return [umsgpack.unpackb(base64.b64decode(c)) for c in json.loads(packed[1])]


def _clips(path: Path) -> dict[str, dict[str, list[Any]]]:
    """Values of each track by path and name."""
    played = [c for c in _commands(path) if c["type"] == "set_animation"]
    assert len(played) == 1
    return {
        item["path"]: {
            track["name"]: [key["value"] for key in track["keys"]]
            for track in item["clip"]["tracks"]
        }
        for item in played[0]["animations"]
    }


def test_page_moves_every_joint_as_recorded(robot: Robot, tmp_path: Path) -> None:
    record = make_record(robot)
    record.q[:, 7] = np.sin(record.time_s)
    path = tmp_path / "replay.html"
    write_animation(path, robot, record)
    clips, model = _clips(path), robot.full_model
    data = model.createData()
    for frame in (0, 60, 149):
        pin.forwardKinematics(model, data, record.q[4 * frame])
        for joint in range(1, model.njoints):
            tracks = clips[f"/meshcat/robot/{model.names[joint]}"]
            assert tracks[".position"][frame] == pytest.approx(
                data.oMi[joint].translation
            )
            shown = pin.Quaternion(np.array(tracks[".quaternion"][frame]))
            assert shown.angularDistance(
                pin.Quaternion(data.oMi[joint].rotation)
            ) == pytest.approx(0.0, abs=1e-6)


def test_load_appears_when_it_is_put_on(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    write_animation(path, robot, make_record(robot, at_s=3.0))
    scales = {k: v[".scale"] for k, v in _clips(path).items() if ".scale" in v}
    left = next(v for k, v in scales.items() if "left" in k)
    right = next(v for k, v in scales.items() if "right" in k)
    thickness = 5.0 * PLATE_THICKNESS_M_PER_KG
    assert left[74][0] < 1e-3
    assert left[76] == pytest.approx([PLATE_RADIUS_M, thickness, PLATE_RADIUS_M])
    assert max(map(max, right)) < 1e-3


def test_estimated_payload_is_a_ball_with_its_ellipsoid(
    robot: Robot, tmp_path: Path
) -> None:
    record = make_record(robot, at_s=3.0)
    path = tmp_path / "replay.html"
    write_animation(path, robot, record)
    clips = {k: v for k, v in _clips(path).items() if "estimate_" in k}
    assert len(clips) == 4
    ball = next(v for k, v in clips.items() if k.endswith("estimate_left/ball"))
    cloud = next(v for k, v in clips.items() if k.endswith("estimate_left/ellipsoid"))
    assert max(ball[".scale"][75]) < 1e-3
    radius = (0.75 * 5.0 / ESTIMATE_DENSITY_KG_PER_M3 / np.pi) ** (1.0 / 3.0)
    assert ball[".scale"][100] == pytest.approx([radius] * 3)
    assert ball[".position"][100] == pytest.approx([0.0, 0.0, -0.41])
    assert cloud[".scale"][100] == pytest.approx([0.02, 0.04, 0.06])
    right = next(v for k, v in clips.items() if k.endswith("estimate_right/ball"))
    assert max(map(max, right[".scale"])) < 1e-3


def test_lowest_visual_at_home_stands_on_the_floor(
    robot: Robot, tmp_path: Path
) -> None:
    path = tmp_path / "replay.html"
    write_animation(path, robot, make_record(robot, duration_s=0.2, at_s=0.1))
    soles = [robot.full_model.getFrameId(sole.frame) for sole in robot.soles]
    data = robot.full_model.createData()
    pin.framesForwardKinematics(robot.full_model, data, robot.home_q_full)
    assert [data.oMf[s].translation[2] for s in soles] == pytest.approx([0, 0])
    floor = next(
        c
        for c in _commands(path)
        if c["type"] == "set_transform" and c["path"] == "/meshcat/floor"
    )
    top = floor["matrix"][14] + 0.005
    assert -0.003 < top <= 0.0


def test_two_runs_stand_side_by_side(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    record = make_record(robot)
    write_animation(path, robot, record, make_record(robot, estimator="none"))
    clips = _clips(path)
    root = robot.full_model.names[1]
    ours = clips[f"/meshcat/robot/{root}"][".position"][0]
    other = clips[f"/meshcat/other/{root}"][".position"][0]
    assert ours[1] - other[1] == pytest.approx(1.3)
    assert "without estimator" in path.read_text(encoding="utf-8")


def test_page_asks_no_other_host(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    write_animation(path, robot, make_record(robot, duration_s=0.2, at_s=0.1))
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", text[:4000]) == []
    assert path.stat().st_size < 5e6


class Said(list[str]):
    """Collects sentences."""

    def __call__(self, sentence: str) -> None:
        self.append(sentence)


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def viewer(robot: Robot, said: Said) -> Iterator[LiveViewer]:
    with LiveViewer(robot.settings, said) as viewer:
        yield viewer


def shown_for(viewer: LiveViewer, robot: Robot, seconds: float) -> None:
    ended = time.monotonic() + seconds
    k = 0
    while time.monotonic() < ended:
        viewer.update(float(k), robot.home_q_full, np.zeros(2))
        k += 1
        time.sleep(0.02)


def test_live_page_opens_updates_are_quick_and_death_is_survived(
    viewer: LiveViewer, robot: Robot, said: Said
) -> None:
    if viewer.url is None:  # a busy machine
        shown_for(viewer, robot, 20.0)
    assert viewer.url is not None
    assert said[-1] == f"live view at {viewer.url}"
    with urllib.request.urlopen(viewer.url) as page:
        assert page.status == 200
    durations = []
    for k in range(200):
        started = time.perf_counter()
        viewer.update(0.01 * k, robot.home_q_full, np.array([5.0, 0.0]))
        durations.append(time.perf_counter() - started)
    assert np.median(durations) < 1e-3
    said.clear()
    process = viewer._process
    process.kill()
    process.join()
    for k in range(200, 300):
        viewer.update(0.01 * k, robot.home_q_full, np.zeros(2))
    assert said == ["the live view has ended; the run goes on without it"]


def dies(*_: object) -> None:
    os._exit(1)


def cannot_open(*_: object) -> None:
    raise OSError("no port is free")


def serves_what_cannot_open(*arguments: object) -> None:
    meshcat_view._open_page = cannot_open
    meshcat_view._serve(*arguments)


def sleeps(*_: object) -> None:
    time.sleep(60.0)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (dies, "did not start (its process died); the run goes on without it"),
        (
            serves_what_cannot_open,
            "did not start (OSError: no port is free); the run goes on without it",
        ),
        (sleeps, "is not there after 0.5 s; the run goes on and tells when it is"),
    ],
)
def test_viewer_that_cannot_start_is_told_once(
    body: object,
    told: str,
    robot: Robot,
    said: Said,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(meshcat_view, "_serve", body)
    if body is sleeps:
        monkeypatch.setattr(meshcat_view, "START_WAIT_S", 0.5)
    with LiveViewer(robot.settings, said) as viewer:
        shown_for(viewer, robot, 1.0)
    assert viewer.url is None
    slow = [] if body is sleeps else [s for s in said if "is not there" in s]
    assert [s for s in said if s not in slow] == [f"the live view {told}"]
    assert capfd.readouterr() == ("", "")


def test_a_run_waits_at_most_five_seconds_for_its_page() -> None:
    assert meshcat_view.START_WAIT_S < 5.0


def test_a_system_without_room_for_a_viewer_is_told_once(
    robot: Robot, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(_: object) -> None:
        raise ProcessLostError("no other process can be started: try again")

    monkeypatch.setattr(meshcat_view, "start_process", refuses)
    with LiveViewer(robot.settings, said) as viewer:
        shown_for(viewer, robot, 0.1)
    (told,) = said
    assert "no other process can be started" in told
    assert "the run goes on" in told
