"""What `wbmpc init` may be asked for."""

from __future__ import annotations

from typing import Annotated

import msgspec
import tyro


class Init(msgspec.Struct, frozen=True, kw_only=True):
    """Propose settings for a humanoid from its robot file alone."""

    robot: Annotated[str, tyro.conf.Positional]
    """URDF file, or example-robot-data:NAME for an installed robot."""
    out: str
    """Folder for settings.toml; must not hold one yet."""
    lock_wrists: bool = False
    """Hold the wrists still by a PD instead of controlling them: fewer joints, but they
    give way under a load."""
    json: bool = False
    """Print one JSON object on standard output."""
