"""Mass and tensor of links, where something in the file tells them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from models.description.check.bodies import tensor_text
from models.description.check.symmetry import mirrored_name
from models.description.inertia import is_impossible, is_slack, nearest_possible
from models.description.reading import Body, Description
from models.description.repair.changes import Repair
from models.description.shape_elements import KINDS, SIZES, is_drawable, numbers
from models.description.tree import children, rigid_groups, roots

Array = NDArray[np.float64]

SMALLEST_RADIUS_M = 0.02
"""Of the sphere that stands for a link; none is taken for smaller."""
_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class LinkRepair:
    """Repairs mass and tensor of one link's element."""

    def __init__(self, description: Description, element: ET.Element) -> None:
        """Look at one <link>, which `run` changes."""
        self._description, self._element = description, element
        self._name = element.get("name", "")
        self._repairs: list[Repair] = []

    def run(self) -> list[Repair]:
        """Change the element; returns the changes."""
        inertial = self._element.find("inertial")
        if inertial is None or self._name not in self._description.links:
            return []
        tensor = _read_tensor(inertial.find("inertia"))
        mass = self._repair_mass(inertial, tensor)
        if mass > 0.0:
            self._repair_tensor(inertial, mass, tensor)
        return self._repairs

    def _repair_mass(self, inertial: ET.Element, tensor: Array | None) -> float:
        """Mass of the link from now on; 0 where there is none."""
        element = inertial.find("mass")
        old = "missing" if element is None else element.get("value", "missing")
        mass = _finite(old)
        turns = tensor is not None and bool(tensor.any())
        if mass is not None and (mass > 0.0 or (mass == 0.0 and not turns)):
            return mass
        guess = self._mass_guess(inertial, old, tensor)
        if guess is None:
            return 0.0
        new, reason = guess
        if element is None:
            element = ET.SubElement(inertial, "mass")
        element.set("value", f"{new:.6g}")
        self._note("mass", old, f"{new:.6g}", reason)
        return new

    def _mass_guess(
        self, inertial: ET.Element, old: str, tensor: Array | None
    ) -> tuple[float, str] | None:
        twin = self._description.links.get(mirrored_name(self._name))
        if twin is not None and twin.name != self._name:
            if twin.body is not None and twin.body.mass_kg > 0.0:
                return twin.body.mass_kg, f"mass of link {twin.name}"
        radius = self._radius_m(inertial)
        written = old != "missing" and not (_is_nan(old) or _finite(old) == 0.0)
        if written or radius is None or tensor is None or not np.trace(tensor) > 0.0:
            return None
        mass = float(np.trace(tensor)) / (3 * 0.4 * radius**2)
        return mass, f"of a sphere of {radius:.3g} m radius with this inertia"

    def _repair_tensor(
        self, inertial: ET.Element, mass: float, tensor: Array | None
    ) -> None:
        known = tensor is not None and is_impossible(mass, tensor)
        if tensor is not None and not known:
            if not (is_slack(mass, tensor) and self._turns_it()):
                return
        guess = self._tensor_guess(inertial, mass, tensor if known else None)
        if guess is None:
            return
        new, reason = guess
        element = inertial.find("inertia")
        old = "missing" if element is None else _entries(element)
        if element is None:
            element = ET.SubElement(inertial, "inertia")
        for key, value in zip(_KEYS, new[np.triu_indices(3)], strict=True):
            element.set(key, f"{value:.9g}")
        self._note("inertia", old, tensor_text(new), reason)

    def _tensor_guess(
        self, inertial: ET.Element, mass: float, impossible: Array | None
    ) -> tuple[Array, str] | None:
        if impossible is not None:
            near = nearest_possible(impossible)
            if near.any():
                return near, "the nearest possible tensor"
        radius = self._radius_m(inertial)
        if radius is None:
            return None
        sphere: Array = 0.4 * mass * radius**2 * np.eye(3)
        return sphere, f"of a sphere of {radius:.3g} m radius"

    def _turns_it(self) -> bool:
        """Whether a joint moves the link with nothing but slack bodies fixed to it."""
        description = self._description
        found = roots(description)
        if len(found) != 1:
            return False
        groups = rigid_groups(description, found[0])
        mates = next(links for links in groups.values() if self._name in links)
        bodies = [description.links[name].body for name in mates]
        heavy = [body for body in bodies if body is not None and body.mass_kg > 0.0]
        return all(_is_slack_body(body) for body in heavy)

    def _radius_m(self, inertial: ET.Element) -> float | None:
        """Half the link's size; None where nothing in the file tells it.

        Its size is the largest distance from its origin to a joint, or twice that to
        its centre of mass; else that of its shapes.
        """
        points = [j.pose.xyz_m for j in children(self._description)[self._name]]
        origin = inertial.find("origin")
        centre = numbers("" if origin is None else origin.get("xyz", ""))
        if len(centre) == 3 and np.isfinite(centre).all():
            points.append(2.0 * np.array(centre))
        size = max((float(np.linalg.norm(p)) for p in points), default=0.0)
        size = size or max(self._shape_sizes_m(), default=0.0)
        return max(0.5 * size, SMALLEST_RADIUS_M) if size > 0.0 else None

    def _shape_sizes_m(self) -> Iterator[float]:
        """Largest side or diameter of each solid; meshes are not read."""
        for shape in (s for kind in KINDS for s in self._element.iterfind(kind)):
            for solid in shape.iterfind("geometry/*") if is_drawable(shape) else ():
                for key in SIZES[solid.tag]:
                    scale = 2.0 if key == "radius" else 1.0
                    yield from (scale * n for n in numbers(solid.get(key, "")))

    def _note(self, field: str, old: str, new: str, reason: str) -> None:
        where = f"link {self._name}: {field}"
        self._repairs.append(Repair(where=where, old=old, new=new, reason=reason))


def _is_slack_body(body: Body) -> bool:
    return body.tensor_kgm2 is None or is_slack(body.mass_kg, body.tensor_kgm2)


def _read_tensor(element: ET.Element | None) -> Array | None:
    """The tensor (3, 3), None where an entry is missing or no number."""
    if element is None:
        return None
    entries = [_finite(element.get(key, "")) for key in _KEYS]
    numbers = [entry for entry in entries if entry is not None]
    if len(numbers) < len(_KEYS):
        return None
    upper = np.zeros((3, 3))
    upper[np.triu_indices(3)] = numbers
    return upper + np.triu(upper, 1).T


def _entries(element: ET.Element) -> str:
    return ", ".join(f"{key} {element.get(key, 'missing')}" for key in _KEYS)


def _is_nan(text: str) -> bool:
    """Whether a program wrote that it has no number."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
