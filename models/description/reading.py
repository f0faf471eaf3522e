"""A robot file as typed links and joints, before anything is merged.

Reading never stops at a mistake: what is missing or unreadable becomes a problem with
its place, so that a check tells everything at once.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from models.arrays import Array
from models.description.findings import Finding, error, warning
from models.description.urdf_source import UrdfSource, read_urdf

T = TypeVar("T")

MOVING = ("revolute", "continuous", "prismatic")
"""Kinds of joints that are supported, besides `fixed`."""
_KNOWN = (*MOVING, "fixed", "floating", "planar")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
MAX_SIZE = 1e6
"""Largest mass [kg], distance [m] or moment [kg m^2] that is taken for one."""


@dataclass(frozen=True, kw_only=True)
class Pose:
    """Placement in the parent frame.

    Attributes:
        xyz_m: (3,) position.
        rpy_rad: (3,) roll, pitch, yaw about fixed axes: R = Rz(y) Ry(p) Rx(r).
    """

    xyz_m: Array
    rpy_rad: Array


@dataclass(frozen=True, kw_only=True)
class Body:
    """The `<inertial>` element of a link.

    Attributes:
        mass_kg: Mass.
        pose: Of the centre of mass and the tensor's axes, in the link's frame.
        tensor_kgm2: (3, 3) about the centre of mass, None without `<inertia>`.
    """

    mass_kg: float
    pose: Pose
    tensor_kgm2: Array | None


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link.

    Attributes:
        name: Its name.
        body: What it weighs; None without `<inertial>` and where that is unreadable.
        unreadable: There is an `<inertial>` with a problem.
    """

    name: str
    body: Body | None
    unreadable: bool = False


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The `<limit>` element of a joint.

    Attributes that are missing are None, those that are no numbers NaN.

    Attributes:
        lower: Smallest position [rad or m].
        upper: Largest position [rad or m].
        effort: Largest torque or force [Nm or N].
        velocity: Largest speed [rad/s or m/s].
    """

    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None


@dataclass(frozen=True, kw_only=True)
class Mimic:
    """position = factor * position of `joint` + offset."""

    joint: str
    factor: float
    offset: float


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint.

    Attributes:
        name: Its name.
        kind: `type` in the file.
        parent: Name of the parent link.
        child: Name of the child link.
        pose: In the parent link's frame.
        axis: (3,) unit vector in the joint's frame; None where it is unusable.
        limit: Limits, if there are any.
        mimic: What it follows, if anything.
        damping: Viscous friction [Nm s/rad or N s/m].
        friction: Dry friction [Nm or N].
    """

    name: str
    kind: str
    parent: str
    child: str
    pose: Pose
    axis: Array | None
    limit: Limit | None
    mimic: Mimic | None
    damping: float
    friction: float

    @property
    def moves(self) -> bool:
        """Whether it has a degree of freedom that is supported."""
        return self.kind in MOVING


@dataclass(frozen=True, kw_only=True)
class Description:
    """A robot file.

    Attributes:
        source: Its XML.
        links: By name, in the order of the file.
        joints: By name, in the order of the file.
        problems: What could not be read, and what was made of it.
    """

    source: UrdfSource
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    problems: tuple[Finding, ...]

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path


def read_description(path: Path) -> Description:
    """Read a robot file.

    Raises:
        RobotFileError: The file cannot be read, is not XML, or not a URDF.
    """
    return describe(read_urdf(path))


def describe(source: UrdfSource) -> Description:
    """Typed links and joints of a URDF, and every problem met on the way."""
    reader = _Reader()
    links = reader.named(source.root, "link", reader.link)
    joints = reader.named(source.root, "joint", reader.joint)
    return Description(
        source=source, links=links, joints=joints, problems=tuple(reader.problems)
    )


class _Reader:
    """Reads elements and notes their problems."""

    def __init__(self) -> None:
        self.problems: list[Finding] = []

    def named(
        self, root: ET.Element, tag: str, read: Callable[[str, ET.Element], T]
    ) -> dict[str, T]:
        """Elements by name; those without one and repeated ones are problems."""
        found: dict[str, T] = {}
        for index, element in enumerate(root.findall(tag), start=1):
            name = element.get("name", "")
            if not name.strip():
                self._error(f"{tag} number {index}: name", repr(name), "must be given")
            elif name in found:
                rule = f"must be the name of one {tag} only"
                self._error(f"{tag} {name}: name", "used twice", rule)
            else:
                found[name] = read(name, element)
        return found

    def link(self, name: str, element: ET.Element) -> Link:
        where = f"link {name}"
        inertial = self._only(element, "inertial", where)
        if inertial is None:
            return Link(name=name, body=None)
        before = self._error_count()
        pose = self._pose(inertial, f"{where}: inertial origin")
        mass = self._child_number(inertial, "mass", "value", f"{where}: mass")
        tensor = self._tensor(inertial, where)
        if self._error_count() > before or mass is None:
            return Link(name=name, body=None, unreadable=True)
        return Link(name=name, body=Body(mass_kg=mass, pose=pose, tensor_kgm2=tensor))

    def joint(self, name: str, element: ET.Element) -> Joint:
        where, kind = f"joint {name}", element.get("type", "")
        if kind not in _KNOWN:
            rule = f"must be one of {', '.join(_KNOWN)}"
            self._error(f"{where}: type", repr(kind), rule)
        moves = kind in MOVING
        dynamics = element.find("dynamics")
        return Joint(
            name=name,
            kind=kind,
            parent=_link_of(element, "parent"),
            child=_link_of(element, "child"),
            pose=self._pose(element, f"{where}: origin"),
            axis=self._axis(element, f"{where}: axis") if moves else None,
            limit=self._limit(element, where) if moves else None,
            mimic=self._mimic(element, where) if moves else None,
            damping=self._optional(dynamics, "damping", f"{where}: damping", 0.0),
            friction=self._optional(dynamics, "friction", f"{where}: friction", 0.0),
        )

    def _tensor(self, inertial: ET.Element, where: str) -> Array | None:
        element = inertial.find("inertia")
        if element is None:
            return None
        entries = [
            self._number(element.get(key), f"{where}: inertia {key}") for key in _TENSOR
        ]
        xx, xy, xz, yy, yz, zz = (0.0 if e is None else e for e in entries)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _limit(self, joint: ET.Element, where: str) -> Limit | None:
        element = self._only(joint, "limit", where)
        if element is None:
            return None
        values = {
            key: self._limit_value(element.get(key), f"{where}: {key} limit")
            for key in ("lower", "upper", "effort", "velocity")
        }
        return Limit(**values)

    def _limit_value(self, text: str | None, where: str) -> float | None:
        """Limits may be infinite; what that means is judged later."""
        if text is None:
            return None
        if _INFINITE.fullmatch(text.strip()):
            return float(text)
        number = self._number(text, where, largest=math.inf)
        return math.nan if number is None else number

    def _mimic(self, joint: ET.Element, where: str) -> Mimic | None:
        element = joint.find("mimic")
        if element is None:
            return None
        return Mimic(
            joint=element.get("joint", ""),
            factor=self._optional(element, "multiplier", f"{where}: mimic factor", 1.0),
            offset=self._optional(element, "offset", f"{where}: mimic offset", 0.0),
        )

    def _axis(self, joint: ET.Element, where: str) -> Array | None:
        element = joint.find("axis")
        if element is None:
            return np.array([1.0, 0.0, 0.0])
        before = self._error_count()
        axis = self._vector(element.get("xyz", "1 0 0"), where)
        if self._error_count() > before:
            return None
        length = float(np.linalg.norm(axis))
        if length < 1e-6:
            self._error(where, element.get("xyz"), "must not be zero")
            return None
        if abs(length - 1.0) > 1e-3:
            rule = f"has length {length:.6g}, must have 1; its direction is used"
            self.problems.append(warning(where, element.get("xyz"), rule))
        return axis / length

    def _pose(self, element: ET.Element, where: str) -> Pose:
        origin = element.find("origin")
        if origin is None:
            return Pose(xyz_m=np.zeros(3), rpy_rad=np.zeros(3))
        return Pose(
            xyz_m=self._vector(origin.get("xyz", "0 0 0"), f"{where} xyz"),
            rpy_rad=self._vector(origin.get("rpy", "0 0 0"), f"{where} rpy"),
        )

    def _vector(self, text: str, where: str) -> Array:
        """Three finite numbers; zeros where they are not."""
        parts = text.split()
        if len(parts) != 3:
            self._error(where, repr(text), f"has {len(parts)} numbers, must have 3")
            return np.zeros(3)
        numbers = [self._number(part, where) for part in parts]
        return np.array([0.0 if n is None else n for n in numbers])

    def _only(self, element: ET.Element, tag: str, where: str) -> ET.Element | None:
        found = element.findall(tag)
        if len(found) > 1:
            self._error(f"{where}: {tag}", f"{len(found)} times", "must stand once")
        return found[0] if found else None

    def _child_number(
        self, element: ET.Element, tag: str, key: str, where: str
    ) -> float | None:
        child = element.find(tag)
        return self._number(None if child is None else child.get(key), where)

    def _optional(
        self, element: ET.Element | None, key: str, where: str, default: float
    ) -> float:
        text = None if element is None else element.get(key)
        number = default if text is None else self._number(text, where)
        return default if number is None else number

    def _number(
        self, text: str | None, where: str, largest: float = MAX_SIZE
    ) -> float | None:
        stripped = "" if text is None else text.strip()
        if text is None:
            self._error(where, "missing", "must be a finite number")
        elif not _NUMBER.fullmatch(stripped):
            self._error(where, repr(text), "must be a finite number")
        elif abs(float(stripped)) > largest:
            self._error(where, stripped, f"must be at most {largest:g}")
        else:
            return float(stripped)
        return None

    def _error(self, where: str, value: object, rule: str) -> None:
        self.problems.append(error(where, value, rule))

    def _error_count(self) -> int:
        return sum(problem.severity == "error" for problem in self.problems)


def _link_of(joint: ET.Element, tag: str) -> str:
    """Name of a joint's parent or child link; empty where it is missing."""
    element = joint.find(tag)
    return "" if element is None else element.get("link", "")
