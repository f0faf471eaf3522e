"""Kinds of options that several commands share, as their help shows them.

The help of an option is its docstring; tyro breaks it where a second line begins.
"""

from __future__ import annotations

from typing import Annotated

import tyro


def told(metavar: str, hint: str = "") -> object:
    """An option whose help, or hint, says itself what stands in for no value."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=hint)


Kilograms = Annotated[float | None, told("KG")]
Seconds = Annotated[float | None, told("S")]
Folder = Annotated[str | None, told("FOLDER")]
File = Annotated[str | None, told("FILE")]
RobotName = Annotated[str, tyro.conf.arg(metavar="ROBOT")]
ScenarioName = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCENARIO")]
Changes = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="KEY=VALUE")
]
Faults = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]],
    tyro.conf.arg(metavar="CHANNEL:JOINT:KIND:AT:FOR"),
]
