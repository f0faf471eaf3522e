"""Shapes for a viewer: what Pinocchio reads itself, and boxes for what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from urdf_texts import arm, checked, described, inertial

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


def feet(path: Path, shape: str, more: str = "") -> list[pin.GeometryObject]:
    """Collision shapes and visuals of the arm's hand."""
    text = arm(hand=inertial() + shape, more=more)
    description = described(text, path / "r.urdf")
    model = pin.buildModelFromXML(plain_urdf(description))
    drawn = geometry_text(description)
    kinds = (pin.GeometryType.COLLISION, VISUAL)
    found = [pin.buildGeomFromUrdfString(model, drawn, k) for k in kinds]
    return [shape for part in found for shape in part.geometryObjects]


BOX = '<geometry><box size="0.2 0.1 0.02"/></geometry>'
RED = '<color rgba="1 0 0 1"/>'


@pytest.mark.parametrize(
    ("shape", "more", "color"),
    [
        (f"<visual>{BOX}<material>{RED}</material></visual>", "", (1, 0, 0)),
        (f'<visual>{BOX}<material name="">{RED}</material></visual>', "", (1, 0, 0)),
        (f'<visual>{BOX}<material name="red"/></visual>', "", (0.9, 0.9, 0.9)),
        (
            f'<visual>{BOX}<material name="red"/></visual>',
            f'<material name="red">{RED}</material>' * 2,
            (1, 0, 0),
        ),
        (
            f'<visual>{BOX}<material name="red"/></visual>'
            f'<visual>{BOX}<material name="red">{RED}</material></visual>',
            f"<material>{RED}</material>",
            (1, 0, 0),
        ),
        (
            f'<visual>{BOX}<material name="m"><color rgba="a b"/></material></visual>',
            "",
            (0.9, 0.9, 0.9),
        ),
        (f'<visual><origin xyz="0\t0\t0"/>{BOX}</visual>', "", (0.9, 0.9, 0.9)),
        (f"<collision>{BOX}</collision><collision/><visual/>", "", (0.9, 0.9, 0.9)),
    ],
)
def test_one_odd_thing_takes_no_shape_away(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    shape: str,
    more: str,
    color: tuple[float, float, float],
) -> None:
    """And no text of the library that reads them is shown."""
    found = feet(tmp_path, shape, more)
    assert len(found) == shape.count(BOX)
    for item in found:
        np.testing.assert_allclose(item.geometry.halfSide, [0.1, 0.05, 0.01])
        np.testing.assert_allclose(item.meshColor[:3], color, atol=1e-6)
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_a_capsule_is_a_cylinder_with_round_ends(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lying = '<origin xyz="0.03 0.04 -0.05" rpy="0 1.5707963267948966 0"/>'
    solid = '<geometry><capsule radius="0.01" length="0.18"/></geometry>'
    shapes = feet(tmp_path, f"<collision>{lying}{solid}</collision>")
    kinds = [type(shape.geometry).__name__ for shape in shapes]
    assert kinds == ["Cylinder", "Sphere", "Sphere"]
    cylinder, near, far = shapes
    assert (cylinder.geometry.radius, cylinder.geometry.halfLength) == (0.01, 0.09)
    ends = [end.placement.translation for end in (near, far)]
    np.testing.assert_allclose(
        ends, [[-0.06, 0.04, -0.05], [0.12, 0.04, -0.05]], atol=1e-12
    )
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


@pytest.mark.parametrize(
    ("shape", "where", "value"),
    [
        ("<geometry><ellipsoid/></geometry>", "geometry", "'ellipsoid'"),
        ("<geometry/>", "geometry", "missing"),
        ("", "geometry", "missing"),
        (f'<origin xyz="0 0"/>{BOX}', "origin xyz", "'0 0'"),
        (f'<origin rpy="0 nan 0"/>{BOX}', "origin rpy", "'0 nan 0'"),
    ],
)
@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_what_is_not_read_is_a_finding_and_nothing_else(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    kind: str,
    shape: str,
    where: str,
    value: str,
) -> None:
    element = f"<{kind}>{shape}</{kind}>"
    assert feet(tmp_path, element + f"<visual>{BOX}</visual>") != []
    assert capfd.readouterr().err == ""
    (found,) = checked(arm(hand=inertial() + element)).warnings
    assert found.where == f"link lower: {kind} {where}"
    assert found.value == value
    assert "pictures do without" in found.rule
