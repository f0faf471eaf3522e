"""What `wbmpc estimate` and `wbmpc estimators` may be asked for."""

from __future__ import annotations

from typing import Annotated

import msgspec
import tyro

from scenarios.commands.option_types import File, Folder, Seconds, told


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """Run payload estimators on a recorded log."""

    log: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="LOG")]
    """MCAP, CSV or Parquet file, or the folder of a run."""
    estimator: Annotated[tuple[str, ...], told("NAME [NAME ...]")] = ()
    """Names of estimators (default: all)."""
    robot: Annotated[str | None, told("ROBOT")] = None
    """panda, a shipped humanoid or a URDF (default: what the log says)."""
    link: Annotated[str | None, told("LINK")] = None
    """Link or frame that carries the payload (default: the arm's last)."""
    payload_at: Seconds = None
    """When the payload appears [s] (default: as the log says, else at its start)."""
    friction: bool = False
    """Take the joint friction that a humanoid's settings state off the torques; of a
    run that did so it is taken off anyway."""
    columns: File = None
    """TOML file with the names of the log's columns (default: our own names)."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the figure and numbers, empty or new (default: none is written)."""


class Estimators(msgspec.Struct, frozen=True, kw_only=True):
    """Compare all payload estimators on the same streams: one table, one figure."""

    quick: bool = False
    """One seed, and no humanoid, whose log has to be simulated first."""
    json: bool = False
    """Print one JSON object on standard output."""
    out: Folder = None
    """Folder for the files, empty or new (default: runs/TIMESTAMP-estimators)."""
    no_files: bool = False
    """Leave no folder behind."""
