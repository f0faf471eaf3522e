"""`wbmpc init`: what it writes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from stick import Stick

from scenarios.cli import main
from scenarios.library.run_settings import default_load, run_settings
from wbmpc.errors import RobotError
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


def initiated(
    stick: Stick, folder: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, Any, str]:
    """Exit code, JSON object and words of `init` for a robot."""
    path = folder / "stick.urdf"
    path.write_text(stick.text(), encoding="utf-8")
    code = main(["init", str(path), "--out", str(folder / "out"), "--json", *more])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, json.loads(captured.out) if captured.out else None, captured.err


def test_init_and_run_tell_one_strength(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of arms that cannot hold themselves stretched out, but can wash."""
    weak = Stick(
        replace=(
            ('upper="2.0" effort="70.0"', 'upper="2.0" effort="14.0"'),
            ('upper="2.0" effort="70.0"', 'upper="2.0" effort="14.0"'),
            ('upper="0.1" effort="50.0"', 'upper="0.1" effort="9.0"'),
        )
    )
    code, result, _ = initiated(weak, tmp_path, capsys)
    assert code == 0
    for scenario in ("window_washing", "standing"):
        settings = run_settings(scenario, robot=result["settings"])
        theirs = default_load(settings)
        assert result["loads"][scenario] == msgspec.to_builtins(theirs)
        assert settings.payload_kg == theirs.load_kg
    washing = result["loads"]["window_washing"]["strength"]
    assert result["arms"]["left"] == washing
    assert 0.0 < washing["load_kg"] < washing["full_load_kg"]


def test_what_is_suggested_can_be_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result, words = initiated(Stick(), tmp_path, capsys)
    assert (code, result["refused"]) == (0, {})
    assert f"try: wbmpc run window_washing --robot {result['settings']}" in words


def test_a_scenario_that_is_refused_is_not_suggested(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(robot: Robot, motion: object) -> None:
        raise RobotError(f"{robot.settings.name}: cannot follow {motion}"[:60])

    monkeypatch.setattr("scenarios.library.motions.washing._check_path", refuse)
    code, result, words = initiated(Stick(), tmp_path, capsys)
    assert code == 0
    assert "cannot follow WashingMotion" in result["refused"]["window_washing"]
    assert "try: wbmpc run balance --robot" in words


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('upper="0.1" effort="50.0"', 'upper="-9" effort="50.0"', "position limits"),
        ('<mass value="1.2"/>', '<mass value="-1"/>', "mass -1: must be above zero"),
        ('effort="160.0"', 'effort="-1"', "joint l_knee: effort limit -1"),
    ],
)
def test_it_checks_first_as_every_command_does(
    old: str,
    new: str,
    words: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "stick.urdf"
    path.write_text(Stick(replace=((old, new),)).text(), encoding="utf-8")
    assert main(["init", str(path), "--out", str(tmp_path / "out")]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    (sentence,) = captured.err.strip().splitlines()
    assert words in sentence
    assert str(path) in sentence
    assert not (tmp_path / "out").exists()
    assert main(["check", str(path)]) == 1


def test_meshes_of_feet_are_found_where_they_are_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = '<mesh filename="package://sdk/foot.stl"/>'
    stick = Stick(foot=f"<collision><geometry>{mesh}</geometry></collision>")
    code, result, words = initiated(stick, tmp_path, capsys)
    assert (code, result) == (2, None)
    assert "package://sdk/foot.stl" in words
    assert "--meshes FOLDER" in words
    folder = tmp_path / "packages" / "sdk"
    folder.mkdir(parents=True)
    corners = ["-0.08 -0.05 -0.06", "0.14 -0.05 -0.06", "0.14 0.05 -0.06"]
    facet = " ".join(f"vertex {corner}" for corner in corners)
    solid = f"facet normal 0 0 0 outer loop {facet} endloop endfacet"
    (folder / "foot.stl").write_text(f"solid f\n{solid}\nendsolid f\n", "ascii")
    meshes = ("--meshes", str(folder.parent))
    code, result, _ = initiated(stick, tmp_path, capsys, *meshes)
    assert code == 0
    sole = load_settings(result["settings"]).left_sole
    assert (sole.half_length_m, sole.half_width_m) == (0.11, 0.05)


def test_a_robot_rooted_at_its_torso_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result, _ = initiated(Stick(root="torso"), tmp_path, capsys)
    assert code == 0
    argv = ["run", "standing", "--robot", result["settings"], "--no-files"]
    more = ["--duration", "1.5", "--at", "0.5", "--payload", "2", "--json"]
    assert main([*argv, *more]) == 0
    assert json.loads(capsys.readouterr().out)["fell"] is False
    assert main(["check", result["settings"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []
