"""Kinds of options that several commands share, as their help shows them.

The help of other options is their docstring; tyro breaks it where a second line begins.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import tyro

from scenarios.errors import ScenarioError
from scenarios.workers.cores import usable_cores


def told(metavar: str, hint: str = "") -> object:
    """An option whose help, or hint, says itself what stands in for no value."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=hint)


def named(metavar: str, sentence: str) -> object:
    """An option that says the same wherever it is."""
    return tyro.conf.arg(metavar=metavar, help=sentence)


def flag(sentence: str) -> object:
    """A switch that says the same wherever it is."""
    return tyro.conf.arg(help=sentence)


Kilograms = Annotated[float | None, told("KG")]
Seconds = Annotated[float | None, told("S")]
Folder = Annotated[str | None, told("FOLDER")]
File = Annotated[str | None, told("FILE")]
ScenarioName = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCENARIO")]
Changes = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="KEY=VALUE")
]
ArmFlag = Literal["left", "right", "both"]
PlantFlag = Literal["clean", "hardware_twin"]

RobotName = Annotated[
    str, named("ROBOT", "Name of a shipped robot, or its settings.toml.")
]
ResultsFolder = Annotated[
    str, named("FOLDER", "Folder of the results; finished runs in it are used again.")
]
Jobs = Annotated[int, named("INT", "Runs at a time, each in a process of its own.")]
KeepOld = Annotated[
    bool, flag("Use finished runs even if the program has changed since.")
]
Json = Annotated[bool, flag("Print one JSON object on standard output.")]
NoFiles = Annotated[bool, flag("Leave no folder behind.")]


def check_not_empty(option: str, values: tuple[str, ...] | None) -> None:
    """An option that takes several values was given with none.

    Raises:
        ScenarioError: It was.
    """
    if values == ():
        raise ScenarioError(f"{option}: needs at least one value")


def locked_joints(texts: Sequence[str]) -> dict[str, float]:
    """Positions of `--lock`.

    Raises:
        ScenarioError: One is not JOINT=VALUE with a finite number.
    """
    found = {}
    for text in texts:
        joint, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not joint or not equals or not math.isfinite(number):
            raise ScenarioError(f"--lock {text}: must be JOINT=VALUE in rad or m")
        found[joint] = number
    return found


def mesh_folders(names: Sequence[str]) -> list[Path]:
    """Folders of `--meshes`.

    Raises:
        ScenarioError: There is no such folder.
    """
    for name in names:
        if not os.path.isdir(name):
            raise ScenarioError(f"--meshes {name}: no such folder")
    return [Path(name) for name in names]


ALL_CORES = usable_cores()
"""Runs at a time, by default."""


def check_jobs(jobs: int) -> None:
    """Refuse less than one run at a time.

    Raises:
        ScenarioError: It is.
    """
    if jobs < 1:
        raise ScenarioError(f"--jobs {jobs}: must be 1 or more")
