"""Robot files as text for libraries that read shapes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from models.description import read_description
from models.geometry_text import geometry_text

LINK = """<robot name="r"><link name="base">
<visual><geometry><mesh filename="{mesh}"/></geometry></visual>
<visual><origin xyz="0\t0\t1"/><geometry><box size="1 1 1"/></geometry></visual>
</link></robot>"""


def shapes(folder: Path, mesh: str) -> list[str]:
    """Mesh names, or kinds of the other shapes, left over for a link."""
    path = folder / "robot.urdf"
    path.write_text(LINK.format(mesh=mesh), encoding="utf-8")
    root = ET.fromstring(geometry_text(read_description(path)))
    solids = [geometry[0] for geometry in root.iter("geometry")]
    return [solid.get("filename", solid.tag) for solid in solids]


def test_meshes_become_absolute_paths(tmp_path: Path) -> None:
    mesh = tmp_path / "arm.stl"
    mesh.write_bytes(b"")
    found = [mesh.resolve().as_posix(), "box"]
    assert shapes(tmp_path, "arm.stl") == found
    assert shapes(tmp_path, f"package://{tmp_path.name}/arm.stl") == found


def test_a_missing_mesh_takes_its_shape_along_and_nothing_else(tmp_path: Path) -> None:
    assert shapes(tmp_path, "package://nowhere/arm.stl") == ["box"]


def test_the_file_stays_as_it_is(tmp_path: Path) -> None:
    shapes(tmp_path, "lost.stl")
    text = (tmp_path / "robot.urdf").read_text(encoding="utf-8")
    assert text == LINK.format(mesh="lost.stl")
