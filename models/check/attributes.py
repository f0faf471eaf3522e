"""Attributes that nothing reads: XYZ for xyz leaves a link at the origin."""

from __future__ import annotations

from collections.abc import Iterator

from models.description import Description
from models.errors import near_names
from models.findings import Finding, warning

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


def check_attributes(description: Description) -> Iterator[Finding]:
    """Unknown attributes of links' bodies and of joints."""
    root = description.source.root
    for kind, path in (("link", "inertial/*"), ("joint", "*")):
        for owner in root.findall(kind):
            for element in owner.findall(path):
                known = _KNOWN.get(element.tag, tuple(element.keys()))
                for name in (n for n in element.keys() if n not in known):
                    near = near_names(name.lower(), known)
                    hint = f"; did you mean {' or '.join(near)}?" if near else ""
                    where = f"{kind} {owner.get('name', '')}: {element.tag} {name}"
                    yield warning(where, element.get(name), f"is not read{hint}")
