"""Misspelt attributes: with XYZ for xyz a link stays at the origin."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from models.description.findings import Finding, warning
from models.description.reading import Description
from models.errors import near_names

_KNOWN = {
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "parent": ("link",),
    "child": ("link",),
    "mimic": ("joint", "multiplier", "offset"),
    "dynamics": ("damping", "friction"),
}
"""Attributes of the elements that are read here."""


_LIKENESS = 0.8
"""Attributes that are less like any known one were meant for other programs."""


def check_attributes(description: Description) -> Iterator[Finding]:
    """Misspelt attributes of links' bodies and of joints."""
    root = description.source.root
    for kind, path in (("link", "inertial/*"), ("joint", "*")):
        for owner in root.findall(kind):
            for element in owner.findall(path):
                place = f"{kind} {owner.get('name', '')}: {element.tag}"
                yield from _misspelt(place, element)


def _misspelt(place: str, element: ET.Element) -> Iterator[Finding]:
    known = _KNOWN.get(element.tag, ())
    for name in (name for name in element.keys() if name not in known):
        near = near_names(name.lower(), known, likeness=_LIKENESS)
        if near:
            rule = f"is not read; did you mean {' or '.join(near)}?"
            yield warning(f"{place} {name}", element.get(name), rule)
