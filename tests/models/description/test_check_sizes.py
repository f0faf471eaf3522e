"""Robots in grams or millimetres, shapes without a size, and texts to be expanded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from urdf_texts import arm, checked, inertial

from models.description.findings import Finding
from models.description.geometry_text import geometry_text
from models.description.shape_elements import is_drawable
from models.description.urdf_source import parse_urdf
from models.errors import RobotFileError
from wbmpc.settings import load_settings

ALEXANDER = Path(load_settings("alexander").urdf).read_text(encoding="utf-8")


def scaled(text: str, pattern: str, factor: float) -> str:
    """A text with the numbers of some attributes multiplied."""

    def times(found: re.Match[str]) -> str:
        numbers = " ".join(repr(factor * float(n)) for n in found[2].split())
        return f'{found[1]}"{numbers}"'

    return re.sub(rf'({pattern})"([^"]*)"', times, text)


def of_robot(text: str) -> list[Finding]:
    """Findings about the robot as a whole."""
    return [f for f in checked(text).findings if f.where.startswith("robot: ")]


def test_the_shipped_robot_has_the_size_of_one() -> None:
    assert of_robot(ALEXANDER) == []


def test_grams_are_named_as_such() -> None:
    (found,) = of_robot(scaled(ALEXANDER, "<mass value=", 1000.0))
    assert (found.severity, found.where) == ("warning", "robot: mass of all links")
    assert found.value == "6.687e+04 kg"
    assert "masses must be kg; if they are grams it weighs 66.87 kg" in found.rule


def test_a_small_arm_in_grams_is_too_dense() -> None:
    heavy = inertial(mass='<mass value="800"/>')
    (found,) = of_robot(arm(hand=heavy))
    assert "link lower has 800 kg" in found.rule


def test_millimetres_are_named_as_such() -> None:
    (found,) = of_robot(scaled(ALEXANDER, "<origin xyz=", 1000.0))
    assert (found.severity, found.where) == ("warning", "robot: size")
    assert "lengths must be m; if they are millimetres" in found.rule


def shaped(shape: str, kind: str = "visual") -> str:
    return arm(hand=inertial() + f"<{kind}><geometry>{shape}</geometry></{kind}>")


@pytest.mark.parametrize(
    ("shape", "where"),
    [
        ('<box size="0.1 nan 0.1"/>', "box size"),
        ('<box size="0.1 0 0.1"/>', "box size"),
        ('<box size="0.1 0.1"/>', "box size"),
        ("<box/>", "box size"),
        ('<sphere radius="-0.1"/>', "sphere radius"),
        ('<sphere radius="inf"/>', "sphere radius"),
        ('<cylinder radius="0.1" length="long"/>', "cylinder length"),
        ('<mesh filename="" scale="1 0 1"/>', "mesh scale"),
    ],
)
@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_sizes_that_are_none_are_warned(shape: str, where: str, kind: str) -> None:
    report = checked(shaped(shape, kind))
    assert report.ok
    (found,) = [f for f in report.warnings if where in f.where]
    assert found.where == f"link lower: {kind} {where}"
    assert "above zero" in found.rule or "other than zero" in found.rule


@pytest.mark.parametrize(
    "shape", ['<box size="1 1 1"/>', '<mesh filename="" scale="-1 1 1"/>']
)
def test_sizes_that_are_some_are_not(shape: str) -> None:
    assert checked(shaped(shape)).findings == checked(arm()).findings


def test_shapes_without_a_size_are_not_drawn(tmp_path: Path) -> None:
    from urdf_texts import described

    text = shaped('<box size="1 1 1"/>').replace(
        "</visual>",
        '</visual><visual><geometry><box size="0 1 1"/></geometry></visual>',
    )
    drawn = geometry_text(described(text, tmp_path / "robot.urdf"))
    assert drawn.count("<box") == 1
    broken = described(text, tmp_path / "robot.urdf").source.root.iter("visual")
    assert [is_drawable(visual) for visual in broken] == [True, False]


XACRO = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ('<xacro:include filename="a.xacro"/><link name="a"/>', "xacro:include"),
        ('<link name="${prefix}base"/>', "${prefix}base"),
        (
            '<link name="a"><visual><geometry><mesh filename="$(find x)/a.stl"/>'
            "</geometry></visual></link>",
            "$(find x)/a.stl",
        ),
        (
            '<link name="a"><inertial><mass value="${m}"/></inertial></link>',
            "${m}",
        ),
    ],
)
def test_a_xacro_is_one_error_that_says_what_to_do(content: str, first: str) -> None:
    (found,) = checked(XACRO.format(content)).findings
    assert found.severity == "error"
    assert "unprocessed xacro" in found.value and first in found.value
    assert "xacro FILE.xacro > robot.urdf" in found.rule


def test_what_xacro_wrote_is_a_robot_file() -> None:
    expanded = arm().replace("<robot", '<robot xmlns:xacro="http://ros.org/wiki/xacro"')
    assert checked(expanded).findings == checked(arm()).findings


def test_a_xacro_without_its_prefix_is_named_too() -> None:
    text = b'<robot name="x"><xacro:macro name="y"/></robot>'
    with pytest.raises(RobotFileError, match=r"unbound prefix.*unprocessed xacro"):
        parse_urdf(Path("robot.urdf"), text)
