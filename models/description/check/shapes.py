"""Shapes that cannot be read: pictures need them, and `init` those of the feet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from models.description.findings import Finding, warning
from models.description.meshes import mesh_references, missing_meshes
from models.description.reading import Description
from models.description.shape_elements import KINDS, faults

_NAMED = 3
"""Missing files that are named; more are only counted."""


def check_shapes(
    description: Description, folders: Sequence[Path] = ()
) -> Iterator[Finding]:
    """Sizes one by one; one warning that counts missing meshes and names the first."""
    yield from _faults(description)
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


def _faults(description: Description) -> Iterator[Finding]:
    for link in description.source.root.findall("link"):
        for shape in (s for kind in KINDS for s in link.findall(kind)):
            for place, value, rule in faults(shape):
                where = f"link {link.get('name', '')}: {shape.tag} {place}"
                told = "missing" if value is None else repr(value)
                rule += "; dynamics does not need it, pictures do without"
                yield warning(where, told, rule)
