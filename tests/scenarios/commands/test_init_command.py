"""`wbmpc init`: what it writes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.cli import main
from wbmpc.robot import Robot
from wbmpc.settings import load_settings


def test_it_writes_settings_a_robot_can_be_built_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = Path(load_settings("alexander").urdf)
    copy = tmp_path / "my robot.urdf"
    copy.write_text(urdf.read_text(encoding="utf-8"), encoding="utf-8")
    out = tmp_path / "proposal"
    assert main(["init", str(copy), "--out", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert result["settings"] == str(out / "settings.toml")
    assert result["mass_kg"] == pytest.approx(66.87, abs=0.01)
    assert result["arms"]["left"]["load_kg"] > 5.0
    assert "can hold" in captured.err
    settings = load_settings(str(out / "settings.toml"))
    assert settings.name == "alexander"
    assert Robot(settings).urdf_path.resolve() == copy
    # Beside one another they can be moved together.
    assert "../my robot.urdf" in (out / "settings.toml").read_text(encoding="utf-8")


def test_an_installed_robot_is_referred_to_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["init", "talos_full", "--out", str(tmp_path)]
    assert main(argv) == 0
    text = (tmp_path / "settings.toml").read_text(encoding="utf-8")
    assert 'urdf = "example-robot-data:talos_full"' in text
    assert "28 joints under control" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["name", "settings"])
def test_it_takes_what_check_takes(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where an installed robot has the name of a shipped one."""
    urdf = Path(load_settings("alexander").urdf)
    robot = "alexander" if kind == "name" else str(urdf.with_name("settings.toml"))
    assert main(["check", robot]) == 0
    assert main(["init", robot, "--out", str(tmp_path / "new")]) == 0
    assert "21 joints under control" in capsys.readouterr().out
    settings = load_settings(str(tmp_path / "new" / "settings.toml"))
    assert Path(settings.urdf).resolve() == urdf.resolve()


def test_settings_are_whole_or_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert main(["init", "alexander", "--out", str(tmp_path / "new")]) == 1
    captured = capsys.readouterr()
    assert "21 joints under control" in captured.out
    assert "cannot be written: No space left on device" in captured.err
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        ("nowhere.urdf", "nowhere.urdf does not exist"),
        ("talo", "did you mean talos"),
        ("go1", "has 3 joints, must have 6"),
    ],
)
def test_what_it_refuses(
    robot: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", robot, "--out", str(tmp_path / "new")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert not (tmp_path / "new").exists()


def test_it_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "settings.toml").write_text("mine", encoding="utf-8")
    argv = ["init", "example-robot-data:romeo", "--out", str(tmp_path)]
    assert main(argv) == 2
    assert "settings.toml exists" in capsys.readouterr().err
    assert (tmp_path / "settings.toml").read_text(encoding="utf-8") == "mine"
