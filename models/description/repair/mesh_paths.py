"""Meshes that a copy in another folder would not find."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from models.description.meshes import find_mesh, package_folders
from models.description.reading import Description
from models.description.repair.changes import Repair


def repair_meshes(
    description: Description, root: ET.Element, out: Path, folders: Sequence[Path]
) -> list[Repair]:
    """Give meshes that are not found from the copy a path relative to it."""
    source = description.path
    searched = package_folders(source, folders)
    changed: dict[str, str] = {}
    for mesh in root.iter("mesh"):
        name = mesh.get("filename", "").strip()
        found = find_mesh(name, source, searched) if name else None
        if found is None or _is_found(name, found, out):
            continue
        path = os.path.relpath(found.resolve(), out.parent.resolve())
        changed[name] = quote(Path(path).as_posix())
        mesh.set("filename", changed[name])
    if not changed:
        return []
    old, new = next(iter(changed.items()))
    several = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
    reason = "so that the copy finds them"
    return [Repair(where="meshes", old=old + several, new=new + several, reason=reason)]


def _is_found(name: str, mesh: Path, urdf: Path) -> bool:
    """Whether a mesh's name means the same file in another robot file."""
    other = find_mesh(name, urdf, package_folders(urdf))
    return other is not None and other.resolve() == mesh.resolve()
