"""`wbmpc references`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from scenarios.commands.command import Command
from scenarios.commands.options import RobotName, ScenarioName, Seconds
from scenarios.commands.output import say
from scenarios.exit_codes import EXIT_OK
from scenarios.interrupts import ending_at_once
from scenarios.library.catalogue import find_scenario
from scenarios.library.run_settings import run_settings


class References(Command, frozen=True, kw_only=True):
    """Write a scenario's references as a recording that can be replayed."""

    scenario: ScenarioName
    """Name of the scenario, such as window_washing."""
    out: Annotated[str, tyro.conf.arg(metavar="FILE")]
    """New file to write (MCAP)."""
    duration: Seconds = None
    """Length [s] (default: the scenario's)."""
    robot: RobotName = "alexander"

    def act(self) -> int:
        """Write the recording."""
        with ending_at_once():
            from teleop.recording import record_track
            from wbmpc.robot import Robot
        robot = Robot.load(self.robot)
        duration_s = self.duration
        if duration_s is None:
            duration_s = find_scenario(self.scenario).defaults.duration_s
        run_settings(self.scenario, duration_s=duration_s, at_s=0.0, payload_kg=0.0)
        track = find_scenario(self.scenario).motion(robot, duration_s)
        count = record_track(Path(self.out), robot, track)
        say(f"{count} samples of {self.scenario} in {self.out}")
        return EXIT_OK
