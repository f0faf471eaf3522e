"""Shapes of a robot file, written so that the XML libraries read every one of them.

Those drop a shape, and all others of its link with it, for a material without a name, a
capsule, a tab between numbers or a word where a number should stand.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping

import numpy as np

from models.description.plain_urdf import vector_text, write_pose
from models.description.reading import Pose
from models.description.tree import rotation_from_rpy

KINDS = ("visual", "collision")
SIZES: Mapping[str, Mapping[str, int]] = {
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "mesh": {},
}
"""Shapes that are read: attributes that must be there, with how many numbers."""


def faults(shape: ET.Element) -> Iterator[tuple[str, str | None, str]]:
    """What keeps a <visual> or <collision> from being read.

    Yields:
        Element and attribute, what stands there (None: nothing), and the rule.
    """
    solids = list(shape.iterfind("geometry/*"))
    if not solids:
        yield "geometry", None, f"must hold one of {', '.join(SIZES)}"
    for solid in solids:
        if solid.tag not in SIZES:
            yield "geometry", solid.tag, f"is not read, only {', '.join(SIZES)} are"
        yield from _sizes(solid)
    origin = shape.find("origin")
    for key in ("xyz", "rpy") if origin is not None else ():
        text = origin.get(key)  # type: ignore[union-attr]
        if text is not None and not _are_finite(numbers(text), 3):
            yield f"origin {key}", text, "must be 3 finite numbers"


def is_drawable(shape: ET.Element) -> bool:
    """Whether a <visual> or <collision> is read: sizes above zero, or a mesh."""
    return not any(faults(shape))


def readable(
    shape: ET.Element, materials: Mapping[str, ET.Element]
) -> list[ET.Element]:
    """The shape as one or more elements that are read; none if it has faults.

    Args:
        shape: A <visual> or <collision>.
        materials: As `named_materials` finds them.
    """
    if not is_drawable(shape):
        return []
    solid = next(shape.iterfind("geometry/*"))
    written = [_element(shape.tag, pose, part) for pose, part in _parts(shape, solid)]
    for element in written if shape.tag == "visual" else ():
        _write_material(element, shape.find("material"), materials)
    return written


def named_materials(robot: ET.Element) -> dict[str, ET.Element]:
    """Materials of a file by name: where one is defined twice, the first counts."""
    found: dict[str, ET.Element] = {}
    for material in (*robot.iterfind("material"), *robot.iterfind("link/*/material")):
        if len(material):
            found.setdefault(material.get("name", ""), material)
    return {name: material for name, material in found.items() if name}


def numbers(text: str) -> list[float]:
    """Numbers of a text; NaN for what is none."""
    found = []
    for part in text.split():
        try:
            found.append(float(part))
        except ValueError:
            found.append(math.nan)
    return found


def _sizes(solid: ET.Element) -> Iterator[tuple[str, str | None, str]]:
    for key, count in SIZES.get(solid.tag, {}).items():
        sizes = numbers(solid.get(key, ""))
        if not (_are_finite(sizes, count) and min(sizes) > 0.0):
            several = "a finite number" if count == 1 else f"{count} finite numbers"
            yield f"{solid.tag} {key}", solid.get(key), f"must be {several} above zero"
    scale = solid.get("scale") if solid.tag == "mesh" else None
    if scale is not None:
        sizes = numbers(scale)
        if not (_are_finite(sizes, 3) and all(sizes)):
            rule = "must be 3 finite numbers other than zero"
            yield "mesh scale", scale, rule


def _are_finite(values: list[float], count: int) -> bool:
    return len(values) == count and all(map(math.isfinite, values))


def _parts(shape: ET.Element, solid: ET.Element) -> list[tuple[Pose, ET.Element]]:
    """Solids with their poses: a capsule is a cylinder with a sphere at each end."""
    pose = _pose(shape)
    if solid.tag != "capsule":
        sizes = {
            key: vector_text(numbers(text)) if key != "filename" else text
            for key, text in solid.items()
            if key in (*SIZES[solid.tag], "filename", "scale")
        }
        return [(pose, ET.Element(solid.tag, sizes))]
    (radius,), (length,) = (numbers(solid.get(k, "")) for k in ("radius", "length"))
    size = {"radius": vector_text([radius]), "length": vector_text([length])}
    parts = [(pose, ET.Element("cylinder", size))]
    axis = rotation_from_rpy(pose.rpy_rad)[:, 2]
    for end in (-0.5 * length, 0.5 * length):
        centre = Pose(xyz_m=pose.xyz_m + end * axis, rpy_rad=pose.rpy_rad)
        parts.append((centre, ET.Element("sphere", radius=size["radius"])))
    return parts


def _pose(shape: ET.Element) -> Pose:
    origin = shape.find("origin")
    found = {} if origin is None else origin.attrib
    xyz, rpy = (np.array(numbers(found.get(key, "0 0 0"))) for key in ("xyz", "rpy"))
    return Pose(xyz_m=xyz, rpy_rad=rpy)


def _element(tag: str, pose: Pose, solid: ET.Element) -> ET.Element:
    element = ET.Element(tag)
    write_pose(element, pose)
    ET.SubElement(element, "geometry").append(solid)
    return element


def _write_material(
    visual: ET.Element, own: ET.Element | None, materials: Mapping[str, ET.Element]
) -> None:
    """Colour and texture of a visual under a name of their own, if it has any."""
    if own is None:
        return
    used = materials.get(own.get("name", ""), own)
    color, texture = used.find("color"), used.find("texture")
    rgba = numbers("" if color is None else color.get("rgba", ""))
    file = "" if texture is None else texture.get("filename", "")
    if not (_are_finite(rgba, 4) or file):
        return
    told = vector_text(rgba) if _are_finite(rgba, 4) else ""
    material = ET.SubElement(visual, "material", name=f"{told} {file}".strip())
    if told:
        ET.SubElement(material, "color", rgba=told)
    if file:
        ET.SubElement(material, "texture", filename=file)
