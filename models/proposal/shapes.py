"""Points of a link's geometry."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.description.geometry_text import geometry_text
from models.description.meshes import find_mesh, package_folders
from models.description.reading import Description
from models.description.shape_elements import KINDS, faults


class Shapes:
    """Corners of the shapes of a URDF: its collision geometry, else its visuals."""

    def __init__(
        self, model: pin.Model, description: Description, folders: Sequence[Path] = ()
    ) -> None:
        """Read what can be read; shapes whose mesh is missing are left out.

        Args:
            model: The robot.
            description: Its file.
            folders: Where packages of meshes are looked for first.
        """
        self._model, self._description, self._folders = model, description, folders
        kinds = (pin.GeometryType.COLLISION, pin.GeometryType.VISUAL)
        text = geometry_text(description, folders=folders)
        self._geometry = [_read(model, text, kind) for kind in kinds]

    def points_m(self, joint: int) -> Array:
        """(n, 3) corners of all shapes on a joint, in its frame; none if n is 0."""
        for geometry in self._geometry:
            parts = [
                _corners(shape) @ shape.placement.rotation.T
                + shape.placement.translation
                for shape in geometry
                if shape.parentJoint == joint
            ]
            if parts:
                return np.vstack(parts)
        return np.empty((0, 3))

    def why_none(self, joint: int) -> str:
        """Why no shape of what a joint moves can be read."""
        carried = {
            frame.name
            for frame in self._model.frames
            if frame.parentJoint == joint and frame.type == pin.FrameType.BODY
        }
        links = self._description.source.root.findall("link")
        links = [link for link in links if link.get("name") in carried]
        found = [s for link in links for kind in KINDS for s in link.findall(kind)]
        if not found:
            return "it has none; give it a collision box"
        path = self._description.path
        searched = package_folders(path, self._folders)
        for mesh in (mesh for shape in found for mesh in shape.iter("mesh")):
            name = mesh.get("filename", "").strip()
            if find_mesh(name, path, searched) is None:
                return (
                    f"its mesh {name!r} is not found (--meshes FOLDER tells where "
                    "packages are); find it, or give the link a collision box"
                )
        for place, value, rule in (f for shape in found for f in faults(shape)):
            told = "missing" if value is None else repr(value)
            return f"its {place} is {told}, {rule}"
        return "its meshes are no files that can be read; give it a collision box"


def _read(
    model: pin.Model, text: str, kind: pin.GeometryType
) -> list[pin.GeometryObject]:
    """All shapes; if one of them cannot be read, those of the other links."""
    try:
        found = pin.buildGeomFromUrdfString(model, text, kind)
    except (ValueError, RuntimeError):
        return [shape for part in _by_link(text) for shape in _try(model, part, kind)]
    return list(found.geometryObjects)


def _try(
    model: pin.Model, text: str, kind: pin.GeometryType
) -> list[pin.GeometryObject]:
    try:
        found = pin.buildGeomFromUrdfString(model, text, kind)
    except (ValueError, RuntimeError):
        return []
    return list(found.geometryObjects)


def _by_link(text: str) -> list[str]:
    """The text once for every link with shapes, with the shapes of that link only."""
    root = ET.fromstring(text)
    shapes = {
        link: [shape for shape in link if shape.tag in KINDS]
        for link in root.findall("link")
    }
    for link, found in shapes.items():
        for shape in found:
            link.remove(shape)
    texts = []
    for link, found in shapes.items():
        if found:
            link.extend(found)
            texts.append(ET.tostring(root, encoding="unicode"))
            for shape in found:
                link.remove(shape)
    return texts


def _corners(shape: pin.GeometryObject) -> Array:
    """(n, 3) corners in the shape's own frame."""
    solid = shape.geometry
    if hasattr(solid, "vertices") and callable(solid.vertices):
        return np.asarray(solid.vertices()) * shape.meshScale
    solid.computeLocalAABB()
    low, high = solid.aabb_local.min_, solid.aabb_local.max_
    grid = np.meshgrid(*np.stack([low, high], axis=1), indexing="ij")
    return np.stack(grid, axis=-1).reshape(-1, 3)
