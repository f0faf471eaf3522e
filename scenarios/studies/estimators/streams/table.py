"""A recorded log as a table of numbers, and what was lost on the way to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from models.arrays import Array

Table = Mapping[str, Array]
"""Columns of equal length by name."""


@dataclass(frozen=True, kw_only=True)
class LoadedTable:
    """What a file holds.

    Attributes:
        columns: (T,) numbers by name; what is not a number is NaN.
        lost: Rows or messages that could not be read, by reason.
        notes: What a user should know about the reading, one sentence each.
    """

    columns: Table
    lost: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()
