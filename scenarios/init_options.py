"""What `wbmpc init` may be asked for."""

from __future__ import annotations

from typing import Annotated

import msgspec
import tyro


class Init(msgspec.Struct, frozen=True, kw_only=True):
    """Propose settings for a humanoid from its robot file alone."""

    robot: Annotated[str, tyro.conf.Positional]
    """URDF file, or an installed robot: NAME or example-robot-data:NAME."""
    out: str
    """Folder for settings.toml; must not hold one yet."""
    lock_wrists: bool = False
    """Hold the wrists by a PD, outside the controller; they give way under loads."""
    json: bool = False
    """Print one JSON object on standard output."""
