"""Files that the shapes of a robot refer to, found or not.

`package://NAME/REST` is looked for in the given folders, in those of ROS_PACKAGE_PATH
and in the folders above the robot file; dynamics never needs a mesh.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

from models.description.reading import Description
from models.files import is_file

_PACKAGE = "package://"


def mesh_references(description: Description) -> tuple[str, ...]:
    """File names of all meshes as they are written, each one once."""
    meshes = description.source.root.iter("mesh")
    names = (mesh.get("filename", "").strip() for mesh in meshes)
    return tuple(dict.fromkeys(name for name in names if name))


def missing_meshes(
    description: Description, folders: Sequence[Path] = ()
) -> tuple[str, ...]:
    """Meshes that are not where they are said to be."""
    urdf, searched = description.path, package_folders(description.path, folders)
    names = mesh_references(description)
    return tuple(name for name in names if find_mesh(name, urdf, searched) is None)


def package_folders(urdf: Path, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Folders that may hold the packages a robot file refers to, nearest first."""
    ros = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
    return (*folders, *(Path(p) for p in ros if p), *urdf.resolve().parents)


def find_mesh(name: str, urdf: Path, folders: Iterable[Path]) -> Path | None:
    """File of a mesh, or None.

    Args:
        name: As written in the robot file.
        urdf: The robot file; plain names are relative to its folder.
        folders: Where packages are looked for; a folder may also be the package.
    """
    if not name.startswith(_PACKAGE):
        path = urdf.parent / unquote(name.removeprefix("file://"))
        return path if is_file(path) else None
    package, _, rest = unquote(name.removeprefix(_PACKAGE)).partition("/")
    for folder in folders:
        places = [folder / package / rest]
        if folder.name == package:
            places.append(folder / rest)
        for place in places:
            if is_file(place):
                return place
    return None
