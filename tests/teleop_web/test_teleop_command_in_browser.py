"""`wbmpc teleop` as a user starts it, driven by an emulated headset in a browser."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Headset, enter_vr, opened, until

LOAD_AT_S = 20.0
LOADED_GOAL_MM = 15.0
LONG_S = 30.0
PATIENT = "[engagement]\nhold_after_s = 0.6\ndisengage_after_s = 1.2\n"
"""The simulation comes first on the two cores, the picture without a GPU last."""
OPTIONS = (
    *("--http", "--no-meshcat", "--no-files", "--json", "--duration", "90"),
    *("--payload", "5", "--arm", "left", "--payload-at", str(LOAD_AT_S)),
    *("--set", "mpc.tick_dt_s=0.02"),  # half the work: cores are shared with a browser
)


class Command:
    """The running command."""

    def __init__(self, folder: Path) -> None:
        config = folder / "patient.toml"
        config.write_text(PATIENT)
        self._words = folder / "words.txt"
        with self._words.open("w") as words:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "scenarios", "teleop", *OPTIONS]
                + ["--config", str(config), "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
            )

    def url(self) -> str:
        """Address of the page, once it is printed."""
        end = time.monotonic() + 2.0 * LONG_S
        while not (found := re.search(r"page at (\S+)", self._words.read_text())):
            assert self.process.poll() is None, self._words.read_text()
            assert time.monotonic() < end
            time.sleep(0.1)
        return found[1]

    def finish(self) -> dict[str, Any]:
        """End it as with Ctrl-C; its figures."""
        self.process.send_signal(signal.SIGINT)
        text, _ = self.process.communicate(timeout=LONG_S)
        assert self.process.returncode == 0, self._words.read_text()
        return dict(json.loads(text))


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    started = Command(tmp_path)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


def status(page: Any) -> dict[str, Any]:
    return dict(page.evaluate("wbmpc.link.status ?? {}"))


@pytest.mark.slow
def test_a_headset_drives_the_loaded_humanoid(command: Command, browser: Any) -> None:
    with opened(browser, command.url(), headset=True) as page:
        assert page.evaluate("isSecureContext") is True
        enter_vr(page)
        headset = Headset(page)
        until(page, lambda: status(page)["state"] == "ready", LONG_S)
        start = np.array(page.evaluate("wbmpc.figure.tipInRobotAxes('left')"))
        headset.engage("left", "right")
        headset.move("left", (0.0, 0.16, -0.12), 0.12)
        page.wait_for_timeout(1000)
        moved = np.array(page.evaluate("wbmpc.figure.tipInRobotAxes('left')")) - start
        assert np.linalg.norm(moved) == pytest.approx(0.2, abs=0.02)

        for x in (1.0, -1.0):
            headset.stick("right", x, 0.0)
            page.wait_for_timeout(1000)
            headset.stick("right", 0.0, 0.0)
        headset.stick("left", 0.0, 1.0)
        page.wait_for_timeout(1500)
        headset.stick("left", 0.0, 0.0)

        until(page, lambda: status(page)["payload"][0]["mass_kg"] > 4.0, LONG_S)
        page.wait_for_timeout(2500)  # the figures count from 2 s after loading on
        for step in ((0.06, 0.0), (0.0, -0.06), (-0.06, 0.0), (0.0, 0.06)):
            headset.move("left", (*step, 0.0), 0.1)
        assert status(page)["payload"][0]["mass_kg"] == pytest.approx(5.0, abs=0.5)
        headset.squeeze(0.0, "left", "right")
        until(page, lambda: not any(status(page)["engaged"].values()))
        sent = page.evaluate("wbmpc.link.sent")
        figures = command.finish()

    left = figures["hands"]["left"]
    print(figures["hands"], figures["latency"], figures["operator"])  # -s shows it
    assert left["moved_m"] > 0.19
    assert left["rmse_settled_mm"] <= LOADED_GOAL_MM
    assert figures["base"]["spine_yaw_min_rad"] < -0.1
    assert figures["base"]["com_lowered_m"] > 0.04
    assert not figures["run"]["fell"]
    assert figures["stream"]["lost"] == 0
    assert figures["operator"]["frame_gaps"] == 0
    assert figures["operator"]["frames"] <= sent
