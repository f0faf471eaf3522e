"""What `wbmpc init` may be asked for."""

from __future__ import annotations

from typing import Annotated

import msgspec
import tyro


class Init(msgspec.Struct, frozen=True, kw_only=True):
    """Propose settings for a humanoid from its robot file alone."""

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """URDF file, settings.toml (for its URDF), or name of a known robot."""
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER")]
    """Folder for settings.toml; must not hold one yet."""
    lock_wrists: bool = False
    """Hold the wrists by a PD, outside the controller; they give way under loads."""
    json: bool = False
    """Print one JSON object on standard output."""
