"""Every text format is read alike with and without a byte order mark."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import numpy as np
import pytest

from models.description.check import check_description
from models.description.reading import read_description
from models.description.repair import write_repaired
from models.files import read_text
from models.toml_file import read_struct, read_toml
from scenarios.studies.estimators.streams.columns import ColumnMapping
from scenarios.studies.estimators.streams.tables import read_table
from teleop.settings import TeleopSettings
from wbmpc.arm.feetech.calibration import read_ranges
from wbmpc.settings import load_settings

URDF = Path(load_settings("alexander").urdf)
MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}


@pytest.fixture(params=MARKED)
def encoding(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def marked(path: Path, text: str, encoding: str) -> Path:
    """A file as editors on other systems save it."""
    path.write_bytes(MARKED[encoding] + text.encode(encoding))
    return path


def test_a_text_is_read_without_its_mark(tmp_path: Path, encoding: str) -> None:
    path = marked(tmp_path / "text", "a = 1\nµ\n", encoding)
    assert read_text(path) == "a = 1\nµ\n"


def test_settings_of_a_robot(tmp_path: Path, encoding: str) -> None:
    text = URDF.with_name("settings.toml").read_text(encoding="utf-8")
    path = marked(tmp_path / "settings.toml", text, encoding)
    (tmp_path / URDF.name).write_bytes(URDF.read_bytes())
    assert load_settings(str(path)).groups == load_settings("alexander").groups


def test_columns_and_teleop_settings(tmp_path: Path, encoding: str) -> None:
    path = marked(tmp_path / "columns.toml", 'q = ["a"]\ntau = ["b"]\n', encoding)
    assert read_struct(path, ColumnMapping).q == ("a",)
    empty = marked(tmp_path / "teleop.toml", "\n", encoding)
    assert read_struct(empty, TeleopSettings) == TeleopSettings()
    assert read_toml(empty) == {}


def test_logs_as_csv(tmp_path: Path, encoding: str) -> None:
    path = marked(tmp_path / "log.csv", "time,q\r\n0.0,1.5\r\n0.1,2.5\r\n", encoding)
    table = read_table(path).columns
    assert list(table) == ["time", "q"]
    np.testing.assert_array_equal(table["q"], [1.5, 2.5])


def test_calibration_as_json(tmp_path: Path, encoding: str) -> None:
    joint = {
        "id": 1,
        "drive_mode": 0,
        "homing_offset": 0,
        "range_min": 1000,
        "range_max": 3000,
    }
    path = marked(tmp_path / "arm.json", json.dumps({"pan": joint}), encoding)
    assert read_ranges(path, ("pan",))[0].range_min > 0


@pytest.mark.parametrize("robot_encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_robot_files_and_their_repaired_copies(
    tmp_path: Path, robot_encoding: str
) -> None:
    text = URDF.read_text(encoding="utf-8").replace('encoding="utf-8"', "")
    wrong = text.replace('effort="80.0"', 'effort="0"', 1)
    path = marked(tmp_path / "robot.urdf", wrong, robot_encoding)
    report = check_description(read_description(path))
    (found,) = report.errors
    assert found.value == "0"
    out = tmp_path / "copy.urdf"
    assert write_repaired(read_description(path), out).report.ok
    assert check_description(read_description(out)).ok
