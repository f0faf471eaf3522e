"""The common part of all settings: their base, and the ranges of their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import msgspec

from models.dimensions import Dimension

Positive = Annotated[float, msgspec.Meta(gt=0)]
NonNegative = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]
"""Of nodes or iterations: more take longer than anyone waits."""
ThreadCount = Annotated[int, msgspec.Meta(ge=1, le=256)]
"""OpenMP ends the process when it cannot make so many."""

Rows = Annotated[tuple[NonNegative, ...], msgspec.Meta(min_length=1)]
"""Per-row values; a single entry is broadcast over all rows."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all settings: immutable, unknown keys refused.

    A type of settings can say what `wbmpc init` needs in order to propose them for
    another robot and to write them into a file.
    """

    why: ClassVar[str] = ""
    """A sentence above their section of the file."""
    comments: ClassVar[Mapping[str, str]] = {}
    """Unit or reason behind a key's value."""
    always_written: ClassVar[tuple[str, ...]] = ()
    """Keys that are written although they have their default value."""
    dimensions: ClassVar[Mapping[str, Dimension]] = {}
    """Of the numbers that go with the size of a robot."""
    roll_rows: ClassVar[Mapping[str, float]] = {}
    """Keys with a row per leg joint: the value of roll joints; others have 1."""
