"""What `wbmpc check` may be asked for."""

from __future__ import annotations

from typing import Annotated

import msgspec
import tyro

from scenarios.commands.option_types import File


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a robot file, and with settings for it?"""

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """URDF file, settings.toml, or name of a shipped or installed robot."""
    meshes: Annotated[
        tyro.conf.UseAppendAction[tuple[str, ...]],
        tyro.conf.arg(metavar="FOLDER"),
    ] = ()
    """Folder in which packages of package:// meshes are looked for."""
    fix: File = None
    """Write a repaired copy of the URDF to this new file."""
    json: bool = False
    """Print one JSON object on standard output."""
