"""Driving servos on a pseudo-terminal: the log is kept, whatever the bus does."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from scenarios.cli import main
from wbmpc.arm.feetech.simulated_bus import SimulatedBus
from wbmpc.arm.feetech.status import BusFault

QUICK = ("--home", "0.05", "--timeout", "0.5", "--json")


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
    flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with SimulatedBus(range(1, 7)) as bus:
        argv = ["so101", "drive", bus.port, *QUICK, "--no-files", *flags]
        assert main(argv) == 0
        time.sleep(0.2)  # the last packet has no answer to wait for
        assert all(servo.torque for servo in bus.servos.values()) != bool(flags)
    assert capsys.readouterr().out


def test_a_port_that_vanishes_keeps_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "drive"
    with SimulatedBus(range(1, 7)) as bus:
        healthy = bus._sync_read
        reads = iter(range(10_000))

        def vanish(*arguments: object) -> bytes:
            if next(reads) == 100:
                bus.fail(BusFault.PORT)
            return healthy(*arguments)  # type: ignore[arg-type]

        bus._sync_read = vanish  # type: ignore[method-assign]
        assert main(["so101", "drive", bus.port, *QUICK, "--out", str(out)]) == 1
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert 50 < result["periods"] < 200
    assert "hold their last goal" in result["fault"]
    assert "ended badly" in captured.err and "Traceback" not in captured.err
    rows = (out / "log.csv").read_text().splitlines()
    assert len(rows) == 1 + result["periods"]


def test_a_port_that_vanishes_on_the_way_to_the_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with SimulatedBus(range(1, 7)) as bus:
        healthy = bus._sync_read
        reads = iter(range(10_000))

        def vanish(*arguments: object) -> bytes:
            if next(reads) == 5:
                bus.fail(BusFault.PORT)
            return healthy(*arguments)  # type: ignore[arg-type]

        bus._sync_read = vanish  # type: ignore[method-assign]
        argv = ["so101", "drive", bus.port, "--home", "0.2", "--no-files"]
        assert main([*argv, "--timeout", "0.5"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "on the way to the start" in captured.err


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["no-such-port"], "port no-such-port: can not be opened"),
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
