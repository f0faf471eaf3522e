"""Repaired copies: what is changed is listed, what cannot be repaired is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from urdf_texts import LIMIT, SPHERE, arm, inertial, joint, link
from urdf_texts import robot as robot_text

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
