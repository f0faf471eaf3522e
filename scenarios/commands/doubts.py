"""Says in one line what is used of a robot file although it may be a placeholder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from scenarios.commands.output import say


def tell_doubts(
    urdf: Path, *, bodies: bool = False, meshes: Sequence[Path] = ()
) -> None:
    """Say the first doubt, and how many more there are.

    Args:
        urdf: The robot file.
        bodies: Whether bodies are looked at as well, after the rest.
        meshes: Folders in which packages of meshes are looked for first.
    """
    from models.description.check import DOUBTS, check_description
    from models.description.check.bodies import check_bodies
    from models.description.check.shapes import check_shapes
    from models.description.reading import read_description

    shapes = partial(check_shapes, folders=meshes)
    rules = [shapes if rule is check_shapes else rule for rule in DOUBTS]
    rules += [check_bodies] if bodies else []
    found = check_description(read_description(urdf), rules)
    if found.warnings:
        more = len(found.warnings) - 1
        rest = f" (and {more} more: wbmpc check {urdf})" if more else ""
        say(f"{found.file}: {found.warnings[0].sentence()}{rest}")
