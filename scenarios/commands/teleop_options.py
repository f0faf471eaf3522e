"""What `wbmpc teleop` and `wbmpc references` may be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import tyro

from scenarios.commands.option_types import (
    Changes,
    File,
    Folder,
    Kilograms,
    RobotName,
    ScenarioName,
    Seconds,
    told,
)


class Teleop(msgspec.Struct, frozen=True, kw_only=True):
    """Drive the simulated robot from a headset, a mouse, a script or a recording."""

    scripted: bool = False
    """A scripted operator drives: hands, spine, squat, a load in between."""
    replay: File = None
    """Stream a recording of references (MCAP) instead of serving a page."""
    record: File = None
    """Write the references sent to this new file (MCAP)."""
    listen: Literal["udp", "cyclonedds", "zenoh"] = "udp"
    """How references reach the control side."""
    duration: Seconds = None
    """End after so long [s] (default: with the script or recording, else 1 h)."""
    payload: Kilograms = None
    """Load on the forearm tip [kg] (default: 5 with --scripted, else none)."""
    payload_at: Seconds = None
    """When it appears [s] (default: 11, or the end if that is sooner)."""
    arm: Literal["left", "right", "both"] = "left"
    """Which forearm is loaded."""
    no_ekf: bool = False
    """Leave the inertias nominal."""
    plant: Literal["clean", "hardware_twin"] = "clean"
    """Nominal physics, or those of a robot with its sensors and an estimated base."""
    no_meshcat: bool = False
    """Do not show the robot in a browser."""
    http: bool = False
    """Serve plain HTTP, for a browser on this machine or a headset on a USB cable."""
    host: Annotated[str | None, told("ADDRESS")] = None
    """Address to serve at (default: all with HTTPS, else this machine only)."""
    port: Annotated[int | None, told("PORT")] = None
    """First port to try (default: 8443)."""
    config: File = None
    """TOML file of teleoperation settings: rates, ranges, gates (default: built in)."""
    robot: RobotName = "alexander"
    """Name of a shipped robot, or its settings.toml."""
    seed: int = 0
    """Seed of everything random."""
    set: Changes = ()
    """Change a setting of the robot, such as mpc.threads=1."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the run's files, empty or new (default: runs/TIMESTAMP-teleop)."""
    no_files: bool = False
    """Leave no folder behind."""


class References(msgspec.Struct, frozen=True, kw_only=True):
    """Write a scenario's references as a recording that can be replayed."""

    scenario: ScenarioName
    """Name of the scenario, such as window_washing."""
    out: Annotated[str, tyro.conf.arg(metavar="FILE")]
    """New file to write (MCAP)."""
    duration: Seconds = None
    """Length [s] (default: the scenario's)."""
    robot: RobotName = "alexander"
    """Name of a shipped robot, or its settings.toml."""
