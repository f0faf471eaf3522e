"""Small robot files, written so that one value can be broken at a time."""

from __future__ import annotations

from pathlib import Path

from models.description.check import check_description
from models.description.findings import Report
from models.description.reading import Description, describe
from models.description.urdf_source import parse_urdf

LIMIT = 'lower="-1" upper="1" effort="50" velocity="5"'
SPHERE = 'ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"'


def inertial(mass: str = '<mass value="1.5"/>', tensor: str = SPHERE) -> str:
    """An <inertial> element; an empty tensor leaves its element out."""
    inertia = f"<inertia {tensor}/>" if tensor else ""
    return f'<inertial><origin xyz="0 0 0.1"/>{mass}{inertia}</inertial>'


def link(name: str, content: str | None = None) -> str:
    """A link; by default a sphere of 1.5 kg."""
    return f'<link name="{name}">{inertial() if content is None else content}</link>'


def joint(
    name: str,
    parent: str,
    child: str,
    *,
    kind: str = "revolute",
    origin: str = 'xyz="0 0 0.2"',
    axis: str = "0 1 0",
    limit: str | None = LIMIT,
    more: str = "",
) -> str:
    """A joint; `limit=None` leaves its limits out."""
    moving = f'<axis xyz="{axis}"/>' + (f"<limit {limit}/>" if limit else "")
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin {origin}/>'
        f"{moving if kind != 'fixed' else ''}{more}</joint>"
    )


def robot(*elements: str) -> str:
    """A robot file, one element per line."""
    return '<robot name="test">\n' + "\n".join(elements) + "\n</robot>\n"


def arm(
    *,
    hand: str | None = None,
    elbow: str = joint("elbow", "upper", "lower"),
    more: str = "",
) -> str:
    """A base with two links on revolute joints."""
    return robot(
        link("base"),
        link("upper"),
        link("lower", hand),
        joint("shoulder", "base", "upper"),
        elbow,
        more,
    )


def described(text: str, path: Path = Path("test.urdf")) -> Description:
    """Description of a text."""
    return describe(parse_urdf(path, text.encode()))


def checked(text: str) -> Report:
    """Report of all rules on a text."""
    return check_description(described(text))
