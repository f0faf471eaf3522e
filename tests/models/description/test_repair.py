"""Repaired copies: what is changed is listed, what cannot be repaired is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from urdf_texts import LIMIT, SPHERE, arm, inertial, joint, link
from urdf_texts import robot as robot_text

from models.description.meshes import missing_meshes
from models.description.reading import read_description
from models.description.repair import Repaired, write_repaired
from models.errors import RobotFileError


def repaired(text: str, folder: Path) -> Repaired:
    """The repaired copy of a text; the text itself stays as it is."""
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    result = write_repaired(read_description(path), folder / "copy.urdf")
    assert path.read_text(encoding="utf-8") == text
    return result


@pytest.mark.parametrize(
    ("content", "where", "old"),
    [
        (inertial('<mass value="0"/>'), "link lower: mass", "0"),
        (inertial('<mass value="nan"/>'), "link lower: mass", "nan"),
        (inertial(tensor=""), "link lower: inertia", "missing"),
        (
            inertial('<mass value="1"/>', SPHERE.replace('izz="0.01"', 'izz="0.03"')),
            "link lower: inertia",
            "ixx 0.01, ixy 0, ixz 0, iyy 0.01, iyz 0, izz 0.03",
        ),
        (
            inertial(tensor=SPHERE.replace("0.01", "0")),
            "link lower: inertia",
            "ixx 0, ixy 0, ixz 0, iyy 0, iyz 0, izz 0",
        ),
        (
            inertial(tensor=SPHERE.replace('izz="0.01"', 'izz="x"')),
            "link lower: inertia",
            "ixx 0.01, ixy 0, ixz 0, iyy 0.01, iyz 0, izz x",
        ),
    ],
)
def test_bodies_are_made_possible(
    tmp_path: Path, content: str, where: str, old: str
) -> None:
    result = repaired(arm(hand=content), tmp_path)
    (repair,) = result.repairs
    assert (repair.where, repair.old) == (where, old)
    assert repair.new not in ("", repair.old)
    assert repair.reason
    assert result.report.ok
    assert read_description(Path(result.file)).links["lower"].body is not None


def test_a_mass_is_taken_from_the_other_side(tmp_path: Path) -> None:
    text = robot_text(
        link("base"),
        link("left_arm", inertial('<mass value="2.5"/>')),
        link("right_arm", inertial('<mass value="-1"/>')),
        joint("left_shoulder", "base", "left_arm", origin='xyz="0 0.2 0"'),
        joint("right_shoulder", "base", "right_arm", origin='xyz="0 -0.2 0"'),
    )
    (repair,) = repaired(text, tmp_path).repairs
    assert (repair.new, repair.reason) == ("2.5", "mass of link left_arm")


def test_torques_are_taken_from_the_other_side_and_limits_exchanged(
    tmp_path: Path,
) -> None:
    right = LIMIT.replace("50", "1000").replace('"1"', '"-2"')
    text = robot_text(
        link("base"),
        link("left_arm"),
        link("right_arm"),
        joint("left_shoulder", "base", "left_arm", origin='xyz="0 0.2 0"'),
        joint(
            "right_shoulder", "base", "right_arm", origin='xyz="0 -0.2 0"', limit=right
        ),
    )
    result = repaired(text, tmp_path)
    assert [(r.where, r.old, r.new) for r in result.repairs] == [
        (
            "joint right_shoulder: position limits",
            "lower -1, upper -2",
            "lower -2, upper -1",
        ),
        ("joint right_shoulder: effort limit", "1000", "50"),
    ]
    assert result.report.ok


def test_what_nothing_speaks_for_is_left_and_said(tmp_path: Path) -> None:
    elbow = joint("elbow", "upper", "lower", limit=LIMIT.replace("50", "0"))
    result = repaired(arm(hand="", elbow=elbow), tmp_path)
    assert result.repairs == ()
    left = {finding.where for finding in result.report.errors}
    assert left == {"link lower: mass", "joint elbow: effort limit"}


NOWHERE = '<inertial><origin xyz="0 0 0"/>{}<inertia {}/></inertial>'
"""A body that says nothing of the size of its link."""


@pytest.mark.parametrize(
    "content",
    [
        inertial('<mass value="1.5O"/>'),
        inertial('<mass value="1,5"/>'),
        inertial('<mass value="2 kg"/>'),
        inertial('<mass value="-1.5"/>'),
        NOWHERE.format('<mass value="0"/>', SPHERE),
        NOWHERE.format('<mass value="nan"/>', SPHERE),
        NOWHERE.format("", SPHERE),
    ],
)
def test_a_mass_without_a_ground_in_the_file_is_not_invented(
    tmp_path: Path, content: str
) -> None:
    result = repaired(arm(hand=content), tmp_path)
    assert result.repairs == ()
    assert {f.where for f in result.report.errors} == {"link lower: mass"}


def test_a_tensor_without_a_ground_is_not_invented(tmp_path: Path) -> None:
    for tensor in ('ixx="x"', "", SPHERE.replace("0.01", "0")):
        content = NOWHERE.format('<mass value="1"/>', tensor)
        result = repaired(arm(hand=content), tmp_path)
        assert result.repairs == ()
        assert any(f.where.startswith("link lower") for f in result.report.errors)
        (tmp_path / "copy.urdf").unlink()


@pytest.mark.parametrize(
    ("solid", "radius"),
    [
        ('<box size="0.1 0.3 0.2"/>', 0.15),
        ('<sphere radius="0.15"/>', 0.15),
        ('<cylinder radius="0.05" length="0.3"/>', 0.15),
        ('<capsule radius="0.15" length="0.1"/>', 0.15),
    ],
)
def test_a_shape_tells_the_size_of_a_link(
    tmp_path: Path, solid: str, radius: float
) -> None:
    content = NOWHERE.format('<mass value="0"/>', SPHERE)
    shape = f"<collision><geometry>{solid}</geometry></collision>"
    (repair,) = repaired(arm(hand=content + shape), tmp_path).repairs
    assert float(repair.new) == pytest.approx(0.01 / (0.4 * radius**2), rel=1e-4)
    assert repair.reason == "of a sphere of 0.15 m radius with this inertia"


MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


@pytest.mark.parametrize(
    "name", ["package://sdk/a b.stl", "../a%20b.stl", "../a b.stl"]
)
def test_a_copy_in_another_folder_finds_its_meshes(tmp_path: Path, name: str) -> None:
    (tmp_path / "sdk" / "urdf").mkdir(parents=True)
    (tmp_path / "sdk" / "a b.stl").touch()
    (tmp_path / "out" / "deep").mkdir(parents=True)
    path = tmp_path / "sdk" / "urdf" / "robot.urdf"
    text = arm(hand=inertial() + MESH.format(name))
    path.write_text(text, encoding="utf-8")
    assert missing_meshes(read_description(path)) == ()
    beside = write_repaired(read_description(path), path.with_name("copy.urdf"))
    assert beside.repairs == ()
    out = tmp_path / "out" / "deep" / "copy.urdf"
    result = write_repaired(read_description(path), out)
    assert missing_meshes(read_description(out)) == ()
    found = [(r.where, r.old) for r in result.repairs]
    # A package is found from any folder below the one it lies in.
    assert found == ([] if name.startswith("package") else [("meshes", name)])


def test_a_copy_finds_packages_that_only_an_option_told(tmp_path: Path) -> None:
    packages, other = tmp_path / "packages", tmp_path / "other"
    (packages / "sdk").mkdir(parents=True)
    other.mkdir()
    for name in "ab":
        (packages / "sdk" / f"{name}.stl").touch()
    path, out = tmp_path / "robot.urdf", other / "copy.urdf"
    shapes = "".join(MESH.format(f"package://sdk/{n}.stl") for n in ("a", "b", "lost"))
    path.write_text(arm(hand=inertial() + shapes), encoding="utf-8")
    result = write_repaired(read_description(path), out, [packages])
    (repair,) = result.repairs
    assert repair.old == "package://sdk/a.stl (and 1 more)"
    assert repair.new == "../packages/sdk/a.stl (and 1 more)"
    assert missing_meshes(read_description(out)) == ("package://sdk/lost.stl",)


def test_limits_that_are_no_numbers_are_not_exchanged(tmp_path: Path) -> None:
    elbow = joint("elbow", "upper", "lower", limit=LIMIT.replace('"-1"', '"x"'))
    result = repaired(arm(elbow=elbow), tmp_path)
    assert result.repairs == ()
    assert [f.value for f in result.report.errors] == ["'x'"]


def test_white_space_and_comments(tmp_path: Path) -> None:
    elbow = joint("elbow", "upper", "lower", origin='xyz="0\t0\t0.2"')
    result = repaired(arm(elbow=elbow, more="<!-- by hand -->"), tmp_path)
    (repair,) = result.repairs
    assert repair.old == "1 vectors with unusual white space"
    copy = Path(result.file).read_text(encoding="utf-8")
    assert "\t" not in copy
    assert "<!-- by hand -->" in copy
    assert result.report.findings == ()


def test_a_file_that_exists_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(arm(), encoding="utf-8")
    with pytest.raises(RobotFileError, match="exists; name a new file"):
        write_repaired(read_description(path), path)
    with pytest.raises(RobotFileError, match="there is no folder"):
        write_repaired(read_description(path), tmp_path / "nowhere" / "copy.urdf")
