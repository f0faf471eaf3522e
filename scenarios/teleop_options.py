"""What `wbmpc teleop` and `wbmpc references` may be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import tyro


class Teleop(msgspec.Struct, frozen=True, kw_only=True):
    """Drive the simulated robot from a headset, a mouse, a script or a recording."""

    scripted: bool = False
    """A scripted operator drives: hands, spine, squat, a load in between."""
    replay: str | None = None
    """Stream a recording of references instead of serving a page (MCAP)."""
    record: str | None = None
    """Write the references sent to this file (MCAP)."""
    listen: Literal["udp", "cyclonedds", "zenoh"] = "udp"
    """How references reach the control side."""
    duration: float | None = None
    """End after so long [s] (default: the script's or recording's end, else never)."""
    payload: float | None = None
    """Load on the forearm tip [kg] (default: 5 with --scripted, else none)."""
    payload_at: float | None = None
    """When it appears [s] (default: 11)."""
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
    host: str | None = None
    """Address to serve at (default: all with HTTPS, else this machine only)."""
    port: int | None = None
    """First port to try."""
    config: str | None = None
    """TOML file of teleoperation settings: rates, ranges, gates."""
    robot: str = "alexander"
    """Name of a shipped robot, or its settings.toml."""
    seed: int = 0
    """Seed of everything random."""
    set: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]],
        tyro.conf.arg(metavar="KEY=VALUE"),
    ] = ()
    """Change a setting of the robot, such as mpc.threads=1."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: str | None = None
    """Folder for the run's files, empty or new (default: runs/TIMESTAMP-teleop)."""
    no_files: bool = False
    """Leave no folder behind."""


class References(msgspec.Struct, frozen=True, kw_only=True):
    """Write a scenario's references as a recording that can be replayed."""

    scenario: Annotated[str, tyro.conf.Positional]
    """Name of the scenario, such as window_washing."""
    out: str
    """File to write (MCAP)."""
    duration: float | None = None
    """Length [s] (default: the scenario's)."""
    robot: str = "alexander"
    """Name of a shipped robot, or its settings.toml."""
