"""A recording never takes the place of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from teleop.errors import RecordingError
from teleop.recording import ReferenceRecorder
from wbmpc.robot import Robot


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("mine")
    with pytest.raises(RecordingError, match="exists already"):
        ReferenceRecorder(path, Robot.load("alexander"))
    assert path.read_text() == "mine"
