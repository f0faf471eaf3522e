"""Reads the text of a URDF: XML, and nothing that is not.

Any white space of XML (blank, tab, line break) parts numbers: some libraries refuse
tabs, others take them. A URDF is read here only; the native libraries get a text
written from it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from models.errors import RobotFileError
from models.files import is_file

MAX_BYTES = 50_000_000
"""No robot file is larger; a larger file is a mistake."""

MAX_DEPTH = 50
"""Elements inside elements; URDFs have six levels, and writing XML recurses."""

XACRO_RULE = "must be expanded first: xacro FILE.xacro > robot.urdf (pip install xacro)"
"""Of a text whose elements and values are made by the program of that name."""

_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
_ODD_SPACE = re.compile(r"[^\S ]|&#(?:x0*9|0*9|x0*a|0*10|x0*d|0*13);", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class UrdfSource:
    """A robot file as XML.

    Attributes:
        path: The file.
        root: Its `<robot>` element.
        odd_vectors: Attributes of several values parted by anything but blanks, as
            `name="value"` with the white space made visible.
    """

    path: Path
    root: ET.Element
    odd_vectors: tuple[str, ...]


def read_urdf(path: Path) -> UrdfSource:
    """Read a URDF file; it is not changed.

    Raises:
        RobotFileError: The file cannot be read, is not XML, or not a URDF.
    """
    return parse_urdf(path, _read(path))


def parse_urdf(path: Path, content: bytes) -> UrdfSource:
    """Read the content of a URDF file; `path` is for messages and meshes.

    Raises:
        RobotFileError: Not XML, or not a URDF.
    """
    try:
        root = ET.fromstring(content)
    except (ET.ParseError, ValueError, LookupError) as problem:
        hint = f"; an unprocessed xacro: {XACRO_RULE}" if b"<xacro:" in content else ""
        raise RobotFileError(
            f"{path} is not a usable URDF: not XML: {problem}{hint}"
        ) from None
    if root.tag != "robot":
        raise RobotFileError(
            f"{path} is not a usable URDF: its root element is <{root.tag}>, must be "
            "<robot>"
        )
    if _depth(root) > MAX_DEPTH:
        raise RobotFileError(
            f"{path} is not a usable URDF: nested more than {MAX_DEPTH} elements deep"
        )
    return UrdfSource(path=path, root=root, odd_vectors=_odd_vectors(content))


def _depth(root: ET.Element) -> int:
    """Levels of elements, counted to one more than is allowed."""
    level, depth = [root], 0
    while level and depth <= MAX_DEPTH:
        level, depth = [child for element in level for child in element], depth + 1
    return depth


def _read(path: Path) -> bytes:
    if not is_file(path):
        raise RobotFileError(f"robot file {path} does not exist, or is no file")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RobotFileError(
                f"robot file {path}: {path.stat().st_size} bytes, must be at most "
                f"{MAX_BYTES}"
            )
        return path.read_bytes()
    except OSError as problem:
        raise RobotFileError(
            f"robot file {path} cannot be read: {problem.strerror}"
        ) from None


def _odd_vectors(content: bytes) -> tuple[str, ...]:
    """From the text: an XML parser turns tabs and line breaks into blanks."""
    text = _COMMENT.sub("", content.decode("utf-8", errors="replace"))
    return tuple(
        f"{name}={_visible(value)}"
        for name, value in _ATTRIBUTE.findall(text)
        if _ODD_SPACE.search(value) and len(_ODD_SPACE.sub(" ", value).split()) > 1
    )


def _visible(value: str) -> str:
    return value.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
