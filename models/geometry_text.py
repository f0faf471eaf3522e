"""The text of a robot file for libraries that read its shapes."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET

from models.description import Description
from models.meshes import find_mesh, package_folders

_SHAPES = ("visual", "collision")


def geometry_text(description: Description) -> str:
    """A robot file with meshes as absolute paths, without shapes whose mesh is missing.

    White space is plain, packages are resolved, and the file on disk is not changed.
    """
    root = copy.deepcopy(description.source.root)
    folders = package_folders(description.path)
    for link in root.iterfind("link"):
        for shape in [child for child in link if child.tag in _SHAPES]:
            for mesh in shape.iter("mesh"):
                name = mesh.get("filename", "").strip()
                found = find_mesh(name, description.path, folders)
                if found is None:
                    link.remove(shape)
                    break
                mesh.set("filename", found.resolve().as_posix())
    return ET.tostring(root, encoding="unicode")
