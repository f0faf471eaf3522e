"""Robot files of the installed robot data: reports, and equal in both engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_engines import compare

from models.description.check import check_description
from models.description.findings import Report
from models.description.reading import read_description
from models.installed import installed_urdf
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
