"""Writes a repaired copy of a robot file and lists every change.

Only what the file itself gives a ground for is repaired: the nearest possible tensor, a
sphere of the link's size, the value of the other side. A mass, a limit or a link that
nothing speaks for is left, and stays an error of the copy.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.description.check import check_description
from models.description.check.bodies import tensor_text
from models.description.check.limits import is_placeholder_effort
from models.description.check.symmetry import mirrored_name
from models.description.findings import Report
from models.description.inertia import is_impossible, is_slack, nearest_possible
from models.description.reading import Body, Description, Joint, describe
from models.description.tree import children, rigid_groups, roots
from models.description.urdf_source import parse_urdf
from models.errors import RobotFileError, UnwrittenError
from models.files import write_whole

Array = NDArray[np.float64]

SMALLEST_RADIUS_M = 0.02
"""Of the sphere that stands for a link whose size is not known."""
_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """One value that was changed."""

    where: str
    """Element and field."""
    old: str
    """The value that stood there."""
    new: str
    """The value that stands there now."""
    reason: str
    """Where the new value comes from."""


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """A repaired copy."""

    file: str
    repairs: tuple[Repair, ...]
    report: Report
    """Findings of a check of the copy: its errors could not be repaired."""


def write_repaired(description: Description, out: Path) -> Repaired:
    """Repair a robot file and write the copy.

    Raises:
        RobotFileError: `out` exists, or its folder does not.
        UnwrittenError: It cannot be written.
    """
    content, repairs = repaired_text(description)
    try:
        if not out.parent.is_dir():
            raise RobotFileError(f"--fix {out}: there is no folder {out.parent}")
        if out.exists():
            raise RobotFileError(f"--fix {out}: exists; name a new file")
        write_whole(out, content)
    except OSError as problem:
        raise UnwrittenError(
            f"--fix {out}: cannot be written: {problem.strerror}"
        ) from None
    copy = describe(parse_urdf(out, content))
    report = check_description(copy)
    return Repaired(file=str(out), repairs=tuple(repairs), report=report)


def repaired_text(description: Description) -> tuple[bytes, list[Repair]]:
    """The repaired file, comments included, and what was changed in it."""
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    root = ET.fromstring(description.path.read_bytes(), parser=parser)
    repairs = _white_space(description)
    for link in root.findall("link"):
        repairs += _LinkRepair(description, link).run()
    for joint in root.findall("joint"):
        repairs += _limits(description, joint)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True), repairs


def _white_space(description: Description) -> list[Repair]:
    odd = description.source.odd_vectors
    if not odd:
        return []
    return [
        Repair(
            where="text of the file",
            old=f"{len(odd)} vectors with unusual white space",
            new="blanks",
            reason="white space of XML is all alike",
        )
    ]


class _LinkRepair:
    """Repairs mass and tensor of one link's element."""

    def __init__(self, description: Description, element: ET.Element) -> None:
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
        guess = self._mass_guess(tensor)
        if guess is None:
            return 0.0
        new, reason = guess
        if element is None:
            element = ET.SubElement(inertial, "mass")
        element.set("value", f"{new:.6g}")
        self._note("mass", old, f"{new:.6g}", reason)
        return new

    def _mass_guess(self, tensor: Array | None) -> tuple[float, str] | None:
        twin = self._description.links.get(mirrored_name(self._name))
        if twin is not None and twin.name != self._name:
            if twin.body is not None and twin.body.mass_kg > 0.0:
                return twin.body.mass_kg, f"mass of link {twin.name}"
        if tensor is None or not np.trace(tensor) > 0.0:
            return None
        radius = self._radius_m()
        mass = float(np.trace(tensor)) / (3 * 0.4 * radius**2)
        return mass, f"of a sphere of {radius:.3g} m radius with this inertia"

    def _repair_tensor(
        self, inertial: ET.Element, mass: float, tensor: Array | None
    ) -> None:
        sphere = 0.4 * mass * self._radius_m() ** 2 * np.eye(3)
        reason = f"of a sphere of {self._radius_m():.3g} m radius"
        if tensor is not None and is_impossible(mass, tensor):
            near = nearest_possible(tensor)
            if near.any():
                sphere, reason = near, "the nearest possible tensor"
        elif tensor is not None and not (is_slack(mass, tensor) and self._turns_it()):
            return
        element = inertial.find("inertia")
        old = "missing" if element is None else _entries(element)
        if element is None:
            element = ET.SubElement(inertial, "inertia")
        values = sphere[np.triu_indices(3)]
        for key, value in zip(_KEYS, values, strict=True):
            element.set(key, f"{value:.9g}")
        self._note("inertia", old, tensor_text(sphere), reason)

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

    def _radius_m(self) -> float:
        """Half the largest distance from the link's origin to a joint or its centre."""
        description = self._description
        points = [j.pose.xyz_m for j in children(description)[self._name]]
        body = description.links[self._name].body
        points += [] if body is None else [2.0 * body.pose.xyz_m]
        reach = max((float(np.linalg.norm(p)) for p in points), default=0.0)
        return max(0.5 * reach, SMALLEST_RADIUS_M)

    def _note(self, field: str, old: str, new: str, reason: str) -> None:
        where = f"link {self._name}: {field}"
        self._repairs.append(Repair(where=where, old=old, new=new, reason=reason))


def _limits(description: Description, element: ET.Element) -> list[Repair]:
    """Exchange reversed limits; take torques from the other side."""
    joint = description.joints.get(element.get("name", ""))
    limit = element.find("limit")
    if joint is None or joint.limit is None or limit is None or not joint.moves:
        return []
    return [*_reversed(joint, limit), *_effort(description, joint, limit)]


def _reversed(joint: Joint, limit: ET.Element) -> list[Repair]:
    assert joint.limit is not None
    lower, upper = joint.limit.lower or 0.0, joint.limit.upper or 0.0
    if joint.kind == "continuous" or not lower > upper:
        return []
    limit.set("lower", f"{upper:.9g}")
    limit.set("upper", f"{lower:.9g}")
    return [
        Repair(
            where=f"joint {joint.name}: position limits",
            old=f"lower {lower:g}, upper {upper:g}",
            new=f"lower {upper:g}, upper {lower:g}",
            reason="exchanged",
        )
    ]


def _effort(description: Description, joint: Joint, limit: ET.Element) -> list[Repair]:
    twin = description.joints.get(mirrored_name(joint.name))
    if twin is None or twin.name == joint.name or _effort_is_real(joint):
        return []
    if not _effort_is_real(twin):
        return []
    assert twin.limit is not None and twin.limit.effort is not None
    old, new = limit.get("effort", "missing"), f"{twin.limit.effort:g}"
    limit.set("effort", new)
    where, reason = f"joint {joint.name}: effort limit", f"that of joint {twin.name}"
    return [Repair(where=where, old=old, new=new, reason=reason)]


def _effort_is_real(joint: Joint) -> bool:
    effort = None if joint.limit is None else joint.limit.effort
    if effort is None or not 0.0 < effort < np.inf:
        return False
    return not is_placeholder_effort(joint, effort)


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


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
