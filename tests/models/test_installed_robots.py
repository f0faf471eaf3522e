"""Robot files of the installed robot data: reports, and equal in both engines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from two_engines import compare

from models.description.check import check_description
from models.description.findings import Report
from models.description.reading import read_description
from models.errors import SettingsError, UnknownNameError
from models.installed import installed_urdf
from models.lookup import find_urdf
from wbmpc.errors import RobotError
from wbmpc.robot_model import load_floating

FOLDER = installed_urdf("example-robot-data:g1").parents[2]


@pytest.fixture(scope="module")
def reports() -> dict[Path, Report]:
    """A report of every file, by path."""
    files = sorted(FOLDER.glob("**/*.urdf"))
    return {path: check_description(read_description(path)) for path in files}


def test_every_file_has_a_report(reports: dict[Path, Report]) -> None:
    """As docs/robots.md says."""
    assert len(reports) == 77
    assert sum(report.ok for report in reports.values()) == 36


def test_files_without_errors_are_the_same_robot_in_both_engines(
    reports: dict[Path, Report],
) -> None:
    for path, report in reports.items():
        if report.ok:
            compare(load_floating(path, {}), samples=1)


def test_files_with_errors_are_refused_with_the_first(
    reports: dict[Path, Report],
) -> None:
    for path, report in reports.items():
        if not report.ok:
            with pytest.raises(RobotError) as caught:
                load_floating(path, {})
            assert str(caught.value).startswith(f"{path}: {report.errors[0].where}")


def test_asymmetric_placeholders_are_found(reports: dict[Path, Report]) -> None:
    (path,) = (path for path in reports if path.name == "alex_nub_hands.urdf")
    found = {f.where: f.value for f in reports[path].warnings}
    pair = "joint LeftElbowPitch and joint RightElbowPitch: effort limit"
    assert found[pair] == "80 against 1000"
    assert found["joint RightElbowPitch: effort limit"] == "1000"


def loaded_with(pinocchio: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Another package of that name comes first, and the robot data is loaded anew."""
    (folder / "pinocchio").mkdir()
    (folder / "pinocchio" / "__init__.py").write_text(pinocchio, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    for name in [n for n in sys.modules if n.split(".")[0] == "pinocchio"]:
        monkeypatch.delitem(sys.modules, name)
    for name in [n for n in sys.modules if n.startswith("example_robot_data")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize(
    "pinocchio", ['raise ImportError("libboost.so: cannot open")', "x = 1"]
)
@pytest.mark.parametrize("robot", ["g1", "panda", "example-robot-data:panda"])
def test_a_broken_pinocchio_is_not_blamed_on_the_robot_data(
    robot: str, pinocchio: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loaded_with(pinocchio, monkeypatch, tmp_path)
    with pytest.raises(SettingsError) as caught:
        find_urdf(robot)
    assert "example-robot-data is installed, but cannot be loaded" in str(caught.value)
    assert "wbmpc doctor" in str(caught.value)
    assert "pip install" not in str(caught.value)


def test_robot_data_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("models.installed.is_installed", lambda: False)
    monkeypatch.setattr("models.lookup.is_installed", lambda: False)
    for robot in ("g1", "example-robot-data:panda"):
        with pytest.raises(SettingsError, match="need that package; pip install"):
            find_urdf(robot)
    with pytest.raises(UnknownNameError, match="unknown robot 'pandah'"):
        find_urdf("pandah")
