"""Meshes that are not there: nothing but the pictures needs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from models.description import Description
from models.findings import Finding, warning
from models.meshes import mesh_references, missing_meshes

_NAMED = 3
"""Missing files that are named; more are only counted."""


def check_shapes(
    description: Description, folders: Sequence[Path] = ()
) -> Iterator[Finding]:
    """One warning that counts the missing meshes and names the first ones."""
    missing = missing_meshes(description, folders)
    if missing:
        all_meshes = len(mesh_references(description))
        named = ", ".join(missing[:_NAMED])
        more = ", ..." if len(missing) > _NAMED else ""
        yield warning(
            "meshes",
            f"{len(missing)} of {all_meshes} files are missing: {named}{more}",
            "dynamics does not need them; pictures show the links without them",
        )
