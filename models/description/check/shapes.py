"""Shapes that cannot be drawn: nothing but the pictures needs them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.description.findings import Finding, warning
from models.description.meshes import mesh_references, missing_meshes
from models.description.reading import Description

_NAMED = 3
"""Missing files that are named; more are only counted."""
_SIZES = {
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
}
"""Attributes of shapes that must be there, with how many numbers."""


def check_shapes(
    description: Description, folders: Sequence[Path] = ()
) -> Iterator[Finding]:
    """Sizes one by one; one warning that counts missing meshes and names the first."""
    yield from _sizes(description)
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


def is_drawable(visual: ET.Element) -> bool:
    """Whether a <visual> or <collision> has sizes above zero, or a mesh."""
    return not any(list(_unusable(shape)) for shape in visual.iterfind("geometry/*"))


def _sizes(description: Description) -> Iterator[Finding]:
    for link in description.source.root.findall("link"):
        for kind in ("visual", "collision"):
            for shape in link.findall(f"{kind}/geometry/*"):
                for attribute, rule in _unusable(shape):
                    where = f"link {link.get('name', '')}: {kind} {shape.tag}"
                    value = shape.get(attribute)
                    told = "missing" if value is None else repr(value)
                    rule += "; dynamics does not need it, pictures do without"
                    yield warning(f"{where} {attribute}", told, rule)


def _unusable(shape: ET.Element) -> Iterator[tuple[str, str]]:
    """Attributes of a shape that are no sizes, each with the rule it breaks."""
    for attribute, count in _SIZES.get(shape.tag, {}).items():
        numbers = _numbers(shape.get(attribute, ""))
        if len(numbers) != count or not all(0.0 < n < math.inf for n in numbers):
            several = "a finite number" if count == 1 else f"{count} finite numbers"
            yield attribute, f"must be {several} above zero"
    scale = shape.get("scale") if shape.tag == "mesh" else None
    if scale is not None:
        numbers = _numbers(scale)
        if len(numbers) != 3 or not all(0.0 < abs(n) < math.inf for n in numbers):
            yield "scale", "must be 3 finite numbers other than zero"


def _numbers(text: str) -> list[float]:
    """Numbers of a text; NaN for what is none."""
    numbers = []
    for part in text.split():
        try:
            numbers.append(float(part))
        except ValueError:
            numbers.append(math.nan)
    return numbers
