"""Shapes for a viewer: what Pinocchio reads itself, and boxes for what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from urdf_texts import arm, described, inertial

from models.description.geometry_text import box_text, geometry_text
from models.description.plain_urdf import plain_urdf
from models.description.reading import read_description
from wbmpc.robot import Robot
from wbmpc.robot_model import load_floating
from wbmpc.robot_shapes import load_visuals
from wbmpc.settings import load_settings

VISUAL = pin.GeometryType.VISUAL
MESH = '<visual><geometry><mesh filename="package://sdk/hand.stl"/></geometry></visual>'
PYRAMID = """solid p
facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet
facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet
facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 1 0 0 endloop endfacet
facet normal 0 0 0 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet
endsolid p
"""


@pytest.mark.parametrize("kind", [VISUAL, pin.GeometryType.COLLISION])
def test_the_shipped_robots_shapes_are_what_pinocchio_reads(
    kind: pin.GeometryType,
) -> None:
    path = Path(load_settings("alexander").urdf)
    model = load_floating(path, {})
    text = geometry_text(read_description(path))
    ours = pin.buildGeomFromUrdfString(model, text, kind).geometryObjects
    theirs = pin.buildGeomFromUrdf(model, str(path), kind).geometryObjects
    assert [s.name for s in ours] == [s.name for s in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.parentJoint == other.parentJoint
        np.testing.assert_array_equal(mine.meshColor, other.meshColor)
        np.testing.assert_allclose(
            mine.placement.homogeneous, other.placement.homogeneous, atol=1e-14
        )


def shapes(text: str, path: Path, **options: bool) -> list[pin.GeometryObject]:
    """Visuals of the arm's text in the file at a path."""
    description = described(text, path)
    model = pin.buildModelFromXML(plain_urdf(description))
    drawn = geometry_text(description, **options)
    return list(pin.buildGeomFromUrdfString(model, drawn, VISUAL).geometryObjects)


def test_a_box_with_the_same_inertia_stands_for_a_missing_mesh(tmp_path: Path) -> None:
    text = arm(hand=inertial('<mass value="2"/>') + MESH)
    assert shapes(text, tmp_path / "r.urdf") == []
    (box,) = shapes(text, tmp_path / "r.urdf", boxes=True)
    # A cube of side s has the moments m s^2 / 6, here 0.01 kg m^2.
    side = np.sqrt(6 * 0.01 / 2)
    np.testing.assert_allclose(box.geometry.halfSide, side / 2, atol=1e-9)
    np.testing.assert_allclose(box.placement.translation, [0, 0, 0.1], atol=1e-12)


def test_a_mesh_that_is_there_is_drawn(tmp_path: Path) -> None:
    folder = tmp_path / "sdk"
    folder.mkdir()
    (folder / "hand.stl").write_text(PYRAMID, encoding="ascii")
    text = arm(hand=inertial() + MESH)
    (mesh,) = shapes(text, folder / "urdf" / "r.urdf", boxes=True)
    assert mesh.meshPath == str(folder / "hand.stl")


def test_boxes_stand_for_all_shapes_if_one_cannot_be_read(tmp_path: Path) -> None:
    """A mesh that is there and is none."""
    shipped = Path(load_settings("alexander").urdf).read_text(encoding="utf-8")
    path = tmp_path / "robot.urdf"
    mesh = '<visual><geometry><mesh filename="torn.stl"/></geometry></visual>'
    path.write_text(shipped.replace("</inertial>", "</inertial>" + mesh, 1), "utf-8")
    (tmp_path / "torn.stl").write_text("solid torn\nfacet", encoding="ascii")
    visuals = load_visuals(Robot(load_settings("alexander", [f'urdf="{path}"'])))
    assert {type(s.geometry).__name__ for s in visuals.geometryObjects} == {"Box"}
    assert len(visuals.geometryObjects) == 24


def test_every_link_with_mass_gets_its_box() -> None:
    description = described(arm())
    model = pin.buildModelFromXML(plain_urdf(description))
    visuals = pin.buildGeomFromUrdfString(model, box_text(description), VISUAL)
    assert [s.name for s in visuals.geometryObjects] == ["base_0", "upper_0", "lower_0"]
