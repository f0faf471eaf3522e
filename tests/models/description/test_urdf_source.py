"""Reading a robot file: any white space of XML, and sentences for what is none."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest
from urdf_texts import arm, checked, described, joint

from models.description.reading import read_description
from models.description.urdf_source import MAX_BYTES, parse_urdf
from models.errors import RobotFileError


@pytest.mark.parametrize(
    "vector", ["0\t0\t0.2", "0\n0 0.2", "\t0 \r\n 0   0.2 ", "0&#9;0&#x0A;0.2"]
)
def test_white_space_of_any_kind_parts_numbers(vector: str) -> None:
    elbow = joint("elbow", "upper", "lower", origin=f'xyz="{vector}"')
    odd, plain = described(arm(elbow=elbow)), described(arm())
    np.testing.assert_array_equal(
        odd.joints["elbow"].pose.xyz_m, plain.joints["elbow"].pose.xyz_m
    )
    (found,) = checked(arm(elbow=elbow)).findings
    assert found.severity == "warning"
    assert found.value.startswith("1 vectors with unusual white space")


def test_odd_vectors_are_counted_outside_comments() -> None:
    elbow = joint("elbow", "upper", "lower", origin='xyz="0\t0\t0.2" rpy="0\t0 0"')
    comment = '<!-- <origin xyz="1\t2\t3"/> -->'
    found = checked(arm(elbow=elbow, more=comment)).findings[0]
    assert found.value.startswith("2 vectors")
    assert 'xyz="0\\t0\\t0.2"' in found.value


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    content = arm(elbow=joint("elbow", "upper", "lower", origin='xyz="0\t0\t1"'))
    path.write_text(content, encoding="utf-8")
    path.chmod(stat.S_IRUSR)
    read_description(path)
    assert path.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not XML: no element found"),
        (b"hello", "not XML: syntax error"),
        (b"<robot>", "not XML"),
        (b"\x00\x01\x02", "not XML"),
        (b"<robot>" + b"<a>" * 9999 + b"</a>" * 9999 + b"</robot>", "nested more"),
        (b"<mujoco/>", "its root element is <mujoco>"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "not XML"),
    ],
)
def test_what_is_no_urdf(content: bytes, words: str) -> None:
    with pytest.raises(RobotFileError, match=f"x.urdf is not a usable URDF: .*{words}"):
        parse_urdf(Path("x.urdf"), content)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RobotFileError, match="nothing.urdf does not exist"):
        read_description(tmp_path / "nothing.urdf")
    with pytest.raises(RobotFileError, match="is no file"):
        read_description(tmp_path)
    large = tmp_path / "large.urdf"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(RobotFileError, match="must be at most"):
        read_description(large)


def test_a_bomb_of_entities_is_refused() -> None:
    entities = '<!ENTITY a "0123456789">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">'
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    text = f"<!DOCTYPE robot [{entities}]><robot name='&i;'/>"
    with pytest.raises(RobotFileError, match="not XML"):
        parse_urdf(Path("x.urdf"), text.encode())
