"""Driving servos on a pseudo-terminal: the log is kept, whatever the bus does."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from so101_calibration import calibration, written

from scenarios.cli import main
from wbmpc.arm.description import Arm
from wbmpc.arm.feetech import registers
from wbmpc.arm.feetech.calibration import load_counts
from wbmpc.arm.feetech.simulated_bus import SimulatedBus
from wbmpc.arm.feetech.status import BusFault

QUICK = ("--home", "0.05", "--timeout", "0.5", "--json")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The calibration of `bus`."""
    return str(written(tmp_path / "arm.json", calibration()))


@pytest.fixture
def bus(file: str) -> Iterator[SimulatedBus]:
    """Servos on a port that looks like any other."""
    counts = load_counts(Path(file), Arm.load())
    with SimulatedBus(counts.ids, joints=counts.joints) as bus:
        yield bus


def test_drive_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "drive"
    assert main(["so101", "drive", "simulated", *QUICK, "--out", str(out)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["periods"] == 800 and result["fault"] is None
    assert result["held_periods"] <= 5  # on a machine that pauses now and then
    log = np.genfromtxt(out / "log.csv", delimiter=",", names=True)
    assert len(log) == 800 and log["q_2"][-1] == pytest.approx(-0.8, abs=0.1)


@pytest.mark.parametrize("flags", [(), ("--release",)])
def test_the_arm_holds_unless_released(
    flags: tuple[str, ...],
    bus: SimulatedBus,
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = ["so101", "drive", bus.port, "--calibration", file, *QUICK, "--no-files"]
    assert main([*argv, *flags]) == 0
    time.sleep(0.2)  # the last packet has no answer to wait for
    assert all(servo.torque for servo in bus.servos.values()) != bool(flags)
    assert capsys.readouterr().out


def vanish_after(bus: SimulatedBus, count: int) -> None:
    """Take the port away at a read."""
    healthy = bus._sync_read
    reads = iter(range(10_000))

    def vanish(*arguments: object) -> bytes:
        if next(reads) == count:
            bus.fail(BusFault.PORT)
        return healthy(*arguments)  # type: ignore[arg-type]

    bus._sync_read = vanish  # type: ignore[method-assign]


def test_a_port_that_vanishes_keeps_the_log(
    bus: SimulatedBus, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "drive"
    vanish_after(bus, 100)
    argv = ["so101", "drive", bus.port, "--calibration", file, *QUICK]
    assert main([*argv, "--out", str(out)]) == 1
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert 50 < result["periods"] < 200
    assert "hold their last goal" in result["fault"]
    assert "ended badly" in captured.err and "Traceback" not in captured.err
    rows = (out / "log.csv").read_text().splitlines()
    assert len(rows) == 1 + result["periods"]


def test_a_port_that_vanishes_on_the_way_to_the_start(
    bus: SimulatedBus, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    vanish_after(bus, 6)
    argv = ["so101", "drive", bus.port, "--calibration", file, "--home", "0.2"]
    assert main([*argv, "--no-files", "--timeout", "0.5"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "on the way to the start" in captured.err


def refused(bus: SimulatedBus, capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    """The one sentence; nothing was switched on or moved."""
    where = {i: (servo.goal, servo.position) for i, servo in bus.servos.items()}
    argv = ["so101", "drive", bus.port, "--no-files", "--timeout", "0.5", *flags]
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    time.sleep(0.1)
    assert not any(servo.torque for servo in bus.servos.values())
    assert where == {i: (servo.goal, servo.position) for i, servo in bus.servos.items()}
    return captured.err


def test_an_arm_is_not_driven_without_its_calibration(
    bus: SimulatedBus, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--calibration is missing" in refused(bus, capsys)


@pytest.mark.parametrize(
    ("joint", "changes", "told"),
    [
        ("shoulder_lift", {"range_min": 0, "range_max": 4095}, "(-100 to 100)"),
        ("shoulder_pan", {"range_min": 2040, "range_max": 2290}, "(-110 to 110)"),
        ("gripper", {"range_max": 4096}, "gripper: range_max 4096"),
        ("wrist_roll", {"homing_offset": -77}, "servo 5 (wrist_roll) has homing"),
        ("elbow_flex", {"range_min": 951}, "servo 3 (elbow_flex) has homing"),
    ],
)
def test_an_arm_is_not_driven_with_another_calibration(
    joint: str,
    changes: dict[str, Any],
    told: str,
    bus: SimulatedBus,
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written(Path(file), calibration(joint, **changes))
    said = refused(bus, capsys, "--calibration", file)
    assert told in said and file in said


def test_an_arm_is_not_driven_by_servos_that_turn_for_ever(
    bus: SimulatedBus, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bus.servos[4].write(registers.OPERATING_MODE, b"\x01")
    said = refused(bus, capsys, "--calibration", file)
    assert "servo 4 (wrist_flex) is in operating mode 1" in said


def test_an_arm_is_not_held_outside_of_its_ranges(
    bus: SimulatedBus, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bus.servos[2].position = 300.0
    said = refused(bus, capsys, "--calibration", file)
    assert "servo 2 (shoulder_lift) is 610 counts outside" in said


def test_simulated_servos_have_the_calibration_that_is_given(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["so101", "drive", "simulated", "--calibration", file, *QUICK, "--no-files"]
    assert main(argv) == 0
    assert max(json.loads(capsys.readouterr().out)["joint_rms_rad"]) < 0.1


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["no-such-port"], "port no-such-port: cannot be opened"),
        (["simulated", "--payload", "-1"], "payload -1"),
        (["simulated", "--timeout", "0"], "--timeout 0"),
        (["simulated", "--home", "nan"], "--home nan"),
        (["simulated", "--calibration", "none.json"], "none.json"),
        (["simulated", "--controller", "mpc"], "computed_torque"),
    ],
)
def test_drive_refuses(
    argv: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["so101", "drive", "--no-files", *argv]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and told in captured.err
