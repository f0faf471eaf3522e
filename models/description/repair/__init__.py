"""Writes a repaired copy of a robot file and lists every change.

Only what the file itself gives a ground for is repaired: the nearest possible tensor, a
sphere of the link's size, the value of the other side. A mass, a limit or a link that
nothing speaks for is left, and stays an error of the copy. So does a mass that somebody
wrote and nobody can read: only its author knows it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import msgspec

from models.description.check import check_description
from models.description.findings import Report
from models.description.reading import Description, describe
from models.description.repair.bodies import LinkRepair
from models.description.repair.changes import Repair
from models.description.repair.joints import repair_limits
from models.description.repair.mesh_paths import repair_meshes
from models.description.urdf_source import parse_urdf
from models.errors import RobotFileError, UnwrittenError
from models.files import write_whole

__all__ = ["Repair", "Repaired", "repaired_text", "write_repaired"]


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """A repaired copy."""

    file: str
    repairs: tuple[Repair, ...]
    report: Report
    """What a check of the copy finds: its errors could not be repaired."""


def write_repaired(
    description: Description, out: Path, folders: Sequence[Path] = ()
) -> Repaired:
    """Repair a robot file and write the copy.

    Args:
        description: The robot.
        out: The new file; meshes are found from there, too.
        folders: Where packages of meshes are looked for first.

    Raises:
        RobotFileError: `out` exists, or its folder does not.
        UnwrittenError: It cannot be written.
    """
    root, repairs = _repaired(description)
    repairs += repair_meshes(description, root, out, folders)
    content = ET.tostring(root, encoding="utf-8", xml_declaration=True)
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
    root, repairs = _repaired(description)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True), repairs


def _repaired(description: Description) -> tuple[ET.Element, list[Repair]]:
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    root = ET.fromstring(description.path.read_bytes(), parser=parser)
    repairs = _white_space(description)
    for link in root.findall("link"):
        repairs += LinkRepair(description, link).run()
    for joint in root.findall("joint"):
        repairs += repair_limits(description, joint)
    return root, repairs


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
