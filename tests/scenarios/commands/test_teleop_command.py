"""wbmpc teleop as a user meets it: processes, endings, recordings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from scenarios.cli import main, parse
from scenarios.commands.teleop import Teleop
from scenarios.exit_codes import (
    EXIT_BAD_END,
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_OK,
)
from scenarios.library.catalogue import find_scenario
from scenarios.run.runner import run
from scenarios.run.settings import RunSettings
from teleop.recording import recorded_track
from wbmpc.robot import Robot

ROOT = Path(__file__).resolve().parents[3]
SLOW_TICK = "mpc.tick_dt_s=0.05"
"""So that a loaded machine keeps its deadlines, too."""
QUIET = ("--no-meshcat", "--no-files", "--json", "--port", "0", "--set", SLOW_TICK)
GONE_WITHIN_S = 5.0


class Session:
    """`wbmpc teleop` in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.recording: Path | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scenarios", "teleop", *QUIET, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def children(self) -> list[int]:
        """Its processes, without Python's own helper."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        found = []
        for task in tasks.glob("*/children"):
            found += [int(pid) for pid in task.read_text().split()]
        return [pid for pid in found if "resource_tracker" not in command_line(pid)]

    def wait_for_children(self, count: int) -> list[int]:
        deadline = time.monotonic() + 60.0
        while time.monotonic() < deadline:
            children = self.children()
            if len(children) >= count:
                return children
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)
        raise AssertionError(f"only {len(self.children())} children")

    def end(self) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        out, err = self.process.communicate(timeout=60.0)
        return self.process.returncode, out, err


def command_line(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return text.replace(b"\0", b" ").decode()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not asked for is none."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_it_streams(recording: Path | None) -> None:
    """Until a few chunks of references are on disk: some seconds of driving."""
    assert recording is not None
    deadline = time.monotonic() + 60.0
    while not recording.exists() or recording.stat().st_size < 10_000:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def assert_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + GONE_WITHIN_S
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [command_line(pid) for pid in pids if alive(pid)]


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Session]:
    """A scripted session without an end in sight: plant, operator, client."""
    recording = tmp_path / "sent.mcap"
    session = Session("--scripted", "--duration", "60", "--record", str(recording))
    session.recording = recording
    yield session
    if session.process.poll() is None:
        session.process.kill()
        session.process.communicate()


def test_a_scripted_session_ends_by_itself_and_says_how_it_went() -> None:
    code, out, err = Session("--scripted", "--duration", "3", "--payload", "1").end()
    assert code == EXIT_OK, err
    result = json.loads(out)
    assert "page at http://localhost:" in err
    assert result["driver"] == "script" and not result["run"]["fell"]
    assert result["stream"]["received"] > 30 and result["stream"]["lost"] == 0
    assert result["operator"]["frames"] > 60
    assert result["operator"]["frame_gaps"] == 0
    assert result["latency"]["samples"] > 3
    assert result["latency"]["sample_to_torque_ms"]["p50"] < 300.0
    assert result["hands"]["left"]["moved_m"] > 0.0


def test_ctrl_c_ends_in_order_with_a_result(scripted: Session) -> None:
    children = scripted.wait_for_children(3)
    wait_until_it_streams(scripted.recording)
    scripted.process.send_signal(signal.SIGINT)
    code, out, err = scripted.end()
    assert code == EXIT_OK, err
    assert json.loads(out)["run"]["duration_s"] < 30.0
    assert_gone(children)


def test_ctrl_c_before_anything_moves_ends_at_once(scripted: Session) -> None:
    children = scripted.wait_for_children(1)
    scripted.process.send_signal(signal.SIGINT)
    code, out, err = scripted.end()
    assert (code, out) == (EXIT_INTERRUPTED, "")
    assert "Traceback" not in err
    assert_gone(children)


def test_a_hard_kill_leaves_no_process_behind(scripted: Session) -> None:
    children = scripted.wait_for_children(3)
    os.kill(scripted.process.pid, signal.SIGKILL)
    scripted.process.communicate()
    assert_gone(children)


@pytest.mark.parametrize(
    ("started", "who"), [(0, "operator's"), (1, "scripted client's")]
)
def test_the_robot_goes_on_standing_when_who_drives_it_dies(
    started: int, who: str
) -> None:
    session = Session("--scripted", "--duration", "6")
    child = sorted(session.wait_for_children(3))[started]
    time.sleep(2.0)
    os.kill(child, signal.SIGKILL)
    code, out, err = session.end()
    assert code == EXIT_BAD_END, err
    assert f"the {who} process was gone" in err
    result = json.loads(out)
    assert (result["operator"] is None) == (started == 0)
    assert not result["run"]["fell"]
    assert result["run"]["duration_s"] == pytest.approx(6.0, abs=0.1)


def test_without_its_plant_it_ends_with_a_sentence(scripted: Session) -> None:
    children = scripted.wait_for_children(3)
    wait_until_it_streams(scripted.recording)
    os.kill(max(children), signal.SIGKILL)  # the plant is started last
    code, out, err = scripted.end()
    assert (code, out) == (EXIT_BAD_END, "")
    assert "the plant's process died" in err and "Traceback" not in err
    assert_gone(children)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--replay", "gone.mcap"], "gone.mcap"),
        (["--config", "gone.toml"], "gone.toml"),
        (["--scripted", "--replay", "x.mcap"], "choose one"),
        (["--port", "70000"], "65535"),
        (["--payload", "-1"], "payload"),
        (["--duration", "-3"], "duration"),
        (["--host", "192.0.2.1", "--http"], "192.0.2.1"),
        (["--record", "no/such/folder/x.mcap"], "no/such/folder"),
        (["--robot", "alexandre"], "alexander"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], word: str
) -> None:
    code = main(["teleop", "--no-meshcat", "--no-files", *arguments])
    told = capsys.readouterr()
    assert code == EXIT_BAD_INPUT
    assert told.out == ""
    assert word in told.err and "Traceback" not in told.err


def test_settings_come_from_a_file_and_unknown_keys_do_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "teleop.toml"
    path.write_text("[mapping]\ndead_zonne = 0.2\n")
    arguments = ["teleop", "--no-meshcat", "--no-files", "--config", str(path)]
    assert main(arguments) == EXIT_BAD_INPUT
    assert "dead_zonne" in capsys.readouterr().err


def test_a_recorded_scenario_runs_as_the_scenario_does(tmp_path: Path) -> None:
    path = tmp_path / "washing.mcap"
    command = ["references", "window_washing", "--out", str(path), "--duration", "1"]
    assert main(command) == EXIT_OK
    settings = RunSettings(duration_s=0.4, at_s=0.2)
    robot = Robot.load("alexander")
    recorded = run(settings, references=recorded_track(path, robot))
    own = run(settings, references=find_scenario("window_washing").motion(robot, 1.0))
    for name in ("q", "tau_Nm", "q_upper_ref"):
        np.testing.assert_array_equal(getattr(recorded, name), getattr(own, name))


def test_a_recording_is_streamed_and_can_be_recorded_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first.mcap", tmp_path / "second.mcap"
    command = ["references", "window_washing", "--out", str(first), "--duration", "2"]
    assert main(command) == EXIT_OK
    code, out, err = Session("--replay", str(first), "--record", str(second)).end()
    assert code == EXIT_OK, err
    result = json.loads(out)
    assert result["driver"] == "recording" and result["stream"]["lost"] == 0
    robot = Robot.load("alexander")
    one, two = recorded_track(first, robot), recorded_track(second, robot)
    count = min(len(one.q_upper), len(two.q_upper))
    assert count >= 95
    np.testing.assert_array_equal(one.q_upper[:count], two.q_upper[:count])


def test_every_flag_is_read() -> None:
    command = parse(
        "teleop --scripted --payload 3 --payload-at 9 --arm right --duration 20 "
        "--no-meshcat --json --listen zenoh --config x.toml --http --port 9000".split()
    )
    assert isinstance(command, Teleop)
    assert command.scripted and command.payload == 3.0 and command.payload_at == 9.0
    assert (command.arm, command.listen, command.port) == ("right", "zenoh", 9000)
