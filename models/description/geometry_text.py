"""The text of a robot file for libraries that read its shapes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from models.description.inertia import second_moments
from models.description.meshes import find_mesh, package_folders
from models.description.plain_urdf import plain_element, vector_text, write_pose
from models.description.reading import Body, Description, Pose
from models.description.shape_elements import KINDS, named_materials, readable
from models.description.tree import rotation_from_rpy, rpy_from_rotation

_BOX_RGBA = "0.80 0.62 0.35 0.7"
_THINNEST_M = 0.01


def geometry_text(
    description: Description, *, boxes: bool = False, folders: Sequence[Path] = ()
) -> str:
    """Joints and shapes of a robot file, with meshes as absolute paths.

    Args:
        description: A robot whose links form a tree.
        boxes: Draw a box with the link's inertia for visuals whose mesh is missing or
            which cannot be read; without, they are left out, as collision shapes
            always are.
        folders: Where packages of meshes are looked for first.
    """
    robot = plain_element(description)
    source = description.source.root
    materials = named_materials(source)
    searched = package_folders(description.path, folders)
    for link in robot.findall("link"):
        name = link.get("name", "")
        shapes = [s for s in _link(source, name) if s.tag in KINDS]
        found = [readable(shape, materials) for shape in shapes]
        found = [f for f in found if f and _resolve(f, description, searched)]
        link.extend(element for elements in found for element in elements)
        lost = _visuals(shapes) > sum(f[0].tag == "visual" for f in found)
        if boxes and lost:
            _add_box(link, description.links[name].body)
    return ET.tostring(robot, encoding="unicode")


def box_text(description: Description) -> str:
    """Joints of a robot file, and for every link a box with its inertia."""
    robot = plain_element(description)
    for link in robot.findall("link"):
        _add_box(link, description.links[link.get("name", "")].body)
    return ET.tostring(robot, encoding="unicode")


def _link(root: ET.Element, name: str) -> Iterable[ET.Element]:
    """What a link of the file holds; nothing of one that is not in it."""
    links = (link for link in root.findall("link") if link.get("name") == name)
    return next(links, ())


def _visuals(shapes: Sequence[ET.Element]) -> int:
    return sum(shape.tag == "visual" for shape in shapes)


def _resolve(
    shape: Sequence[ET.Element], description: Description, folders: Sequence[Path]
) -> bool:
    """Write the path of a shape's mesh into it; False if there is no such file."""
    for mesh in (mesh for element in shape for mesh in element.iter("mesh")):
        name = mesh.get("filename", "").strip()
        found = find_mesh(name, description.path, folders)
        if found is None:
            return False
        mesh.set("filename", found.resolve().as_posix())
    return True


def _add_box(link: ET.Element, body: Body | None) -> None:
    """Draw the solid box with a body's inertia: half sizes sqrt(3 moment / mass)."""
    if body is None or body.mass_kg <= 0.0:
        return
    tensor = np.zeros((3, 3)) if body.tensor_kgm2 is None else body.tensor_kgm2
    moments, axes = np.linalg.eigh(second_moments(tensor))
    sizes = 2.0 * np.sqrt(3.0 * np.maximum(moments, 0.0) / body.mass_kg)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    rotation = rotation_from_rpy(body.pose.rpy_rad) @ axes
    visual = ET.SubElement(link, "visual")
    pose = Pose(xyz_m=body.pose.xyz_m, rpy_rad=rpy_from_rotation(rotation))
    write_pose(visual, pose)
    geometry = ET.SubElement(visual, "geometry")
    size = vector_text(np.maximum(sizes, _THINNEST_M))
    ET.SubElement(geometry, "box", size=size)
    material = ET.SubElement(visual, "material", name="box of a missing shape")
    ET.SubElement(material, "color", rgba=_BOX_RGBA)
