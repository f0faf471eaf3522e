"""What `wbmpc robots` may be asked for."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
import tyro

from scenarios.commands.option_types import told


class Robots(msgspec.Struct, frozen=True, kw_only=True):
    """Robots side by side: size, what their arms hold, how they wash and balance."""

    robots: Annotated[tuple[str, ...], tyro.conf.Positional, told("[ROBOT ...]")] = ()
    """Names of shipped robots, or settings files (default: all shipped robots)."""
    facts: bool = False
    """Sizes and loads only, nothing is simulated."""
    jobs: int = min(2, os.cpu_count() or 1)
    """Runs at a time, each in a process of its own."""
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER")] = "runs/robots"
    """Folder of the results; finished runs in it are used again."""
    keep_old: bool = False
    """Use finished runs even if the program has changed since."""
    json: bool = False
    """Print one JSON object on standard output."""
