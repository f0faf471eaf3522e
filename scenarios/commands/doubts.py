"""Says in one line what is used of a robot file although it may be a placeholder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from models.description.check import DOUBTS, Rule, check_description
from models.description.check.shapes import check_shapes
from models.description.reading import Description
from scenarios.cli import say


def tell_doubts(
    description: Description,
    more_rules: Sequence[Rule] = (),
    meshes: Sequence[Path] = (),
) -> None:
    """Say the first doubt, and how many more there are.

    Args:
        description: The robot file.
        more_rules: What to look at besides.
        meshes: Folders in which packages of meshes are looked for first.
    """
    shapes = partial(check_shapes, folders=meshes)
    rules = [shapes if rule is check_shapes else rule for rule in DOUBTS]
    found = check_description(description, [*rules, *more_rules])
    if found.warnings:
        more = len(found.warnings) - 1
        rest = f" (and {more} more: wbmpc check {found.file})" if more else ""
        say(f"{found.file}: {found.warnings[0].sentence()}{rest}")
