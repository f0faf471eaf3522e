"""One value of a robot file that was changed."""

from __future__ import annotations

import msgspec


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """One value that was changed."""

    where: str
    """Element and field."""
    old: str
    """What stood there."""
    new: str
    """What stands there now."""
    reason: str
    """Where the new value comes from."""
