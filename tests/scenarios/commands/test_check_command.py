"""`wbmpc check` as a user types it, and what other commands make of bad robot files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scenarios.cli import main
from wbmpc.settings import load_settings

URDF = Path(load_settings("alexander").urdf)
SETTINGS = URDF.with_name("settings.toml")
TEXT = URDF.read_text(encoding="utf-8")


def broken(folder: Path, old: str, new: str) -> Path:
    """The shipped robot file with one thing exchanged, beside its settings."""
    assert old in TEXT
    path = folder / "alexander.urdf"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    (folder / "settings.toml").write_bytes(SETTINGS.read_bytes())
    return path


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    """Exit code and the JSON object."""
    code = main(["check", *argv, "--json"])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, json.loads(captured.out)


@pytest.mark.parametrize("robot", ["alexander", str(URDF), str(SETTINGS)])
def test_the_shipped_robot_passes(
    robot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result = checked(capsys, robot)
    assert code == 0
    assert result["ok"] is True
    assert {f["severity"] for f in result["findings"]} == {"warning"}


@pytest.mark.parametrize(
    "robot", ["g1", "example-robot-data:g1", "g1_description", "example-robot-data:go2"]
)
def test_installed_robots_are_found_by_name(
    robot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, result = checked(capsys, robot)
    assert (code, result["ok"]) == (0, True)
    assert result["file"].endswith(".urdf")


def test_errors_are_exit_code_1_with_place_value_and_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = broken(tmp_path, 'effort="80.0"', 'effort="0"')
    code, result = checked(capsys, str(path))
    assert (code, result["ok"]) == (1, False)
    assert result["file"] == str(path)
    (error,) = [f for f in result["findings"] if f["severity"] == "error"]
    assert error == {
        "severity": "error",
        "where": "joint LEFT_SHOULDER_Z: effort limit",
        "value": "0",
        "rule": "must be finite and > 0",
    }


def test_text_has_the_file_first_and_the_verdict_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = broken(tmp_path, 'effort="80.0"', 'effort="0"')
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(path)
    assert lines[1].startswith("  error  joint LEFT_SHOULDER_Z: effort limit: 0")
    assert lines[-1] == "1 error, 2 warnings: NOT usable"
    kinds = [line.split()[0] for line in lines if not line.startswith(" " * 9)][1:-1]
    assert kinds == sorted(kinds)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alexandre", "did you mean alexander"),
        ("nothing.urdf", "does not exist"),
        ("no/such/folder/robot.urdf", "does not exist"),
        (".", "does not exist, or is no file"),
        ("nothing.toml", "nothing.toml"),
        ("x" * 5000, "unknown robot"),
        ("x" * 5000 + ".toml", "unknown robot"),
    ],
)
def test_what_cannot_be_read_is_exit_code_2(
    name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    code, result = checked(capsys, name)
    assert (code, result["ok"]) == (2, False)
    assert words in result["findings"][0]["rule"]


@pytest.mark.parametrize("content", ["hello", "<robot", "<mujoco/>", ""])
def test_what_is_no_urdf_is_exit_code_2(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(content, encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert "is not a usable URDF" in capsys.readouterr().err


def test_fix_writes_a_copy_and_lists_what_it_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = broken(tmp_path, 'effort="80.0"', 'effort="0"')
    copy = tmp_path / "fixed.urdf"
    code, result = checked(capsys, str(path), "--fix", str(copy))
    assert code == 1
    assert result["repaired"]["file"] == str(copy)
    assert result["repaired"]["report"]["ok"] is True
    (repair,) = result["repaired"]["repairs"]
    assert (repair["old"], repair["new"]) == ("0", "80")
    assert checked(capsys, str(copy))[0] == 0
    assert main(["check", str(path), "--fix", str(tmp_path / "other.urdf")]) == 1
    text = capsys.readouterr().out
    assert "0 -> 80 (that of joint RIGHT_SHOULDER_Z)" in text
    assert "not repaired: 0 errors" in text


def test_fix_does_not_write_over_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = broken(tmp_path, 'effort="80.0"', 'effort="0"')
    before = path.read_bytes()
    assert main(["check", str(path), "--fix", str(path)]) == 2
    assert "exists; name a new file" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "where", "words"),
    [
        ("LEFT_ANKLE_Y = -0.4", "LEFT_ANKLE_Y = -4.0", "home.LEFT_ANKLE_Y", "limits"),
        ("LEFT_KNEE_Y = 0.8", "LEFT_KNEE_Y = 0.4", "home", "inside the floor"),
        ('"NECK_Y"]', "]", "settings", "NECK_Y"),
        ('"SPINE_Z"]', '"SPINE_Z"]\nwelded = ["TAIL"]', "groups.welded", "'TAIL'"),
        ('"LEFT_SOLE"', '"LEFT_SOUL"', "left_sole.frame", "did you mean LEFT_SOLE"),
        ("kp = [100.0]", "kp = [100.0, 1.0]", "pelvis_orientation.kp", "1 or 3"),
        ("gain = [5.0]", "gain = [5.0, 1.0]", "angular_momentum.gain", "1 or 3"),
        ("velocity = [1e-2]", "velocity = []", "lower_body_state.velocity", ">= 1"),
        ("nodes = 30", "nodes = -3", "settings: mpc.nodes", "`int` >= 1"),
        ("nodes = 30", 'nodes = "many"', "settings: mpc.nodes", "Expected `int`"),
        ("tick_dt_s = 0.01", "tick_dt_s = 0.0105", "settings", "multiple of"),
        ("nodes = 30", 'disabled = ["sway"]', "mpc.disabled", "center_of_mass"),
        ('"alexander.urdf"', '"lost.urdf"', "settings: urdf", "no such robot file"),
        (
            '"alexander.urdf"',
            '"example-robot-data:taloss"',
            "settings: urdf",
            "did you mean example-robot-data:talos",
        ),
        ('root_link = "PELVIS_LINK"', "", "settings: root_link", "must be given"),
        (
            "nodes = 30",
            "baumgarte = [0.0, 200.0]",
            "settings: mpc.baumgarte",
            "unstable at nodes of 0.02 s",
        ),
    ],
)
def test_settings_that_do_not_fit_their_file(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    where: str,
    words: str,
) -> None:
    broken(tmp_path, "<robot", "<robot")
    path = tmp_path / "settings.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    code, result = checked(capsys, str(path))
    assert code == 1
    errors = [f for f in result["findings"] if f["severity"] == "error"]
    assert any(where in e["where"] and words in e["rule"] for e in errors), errors


RUNS = (
    ["run", "window_washing", "--no-files", "--robot"],
    ["compare", "window_washing", "--no-files", "--robot"],
    ["bench", "--no-files", "--robot"],
    ["tipping", "--robot"],
)


@pytest.mark.parametrize("argv", RUNS, ids=lambda argv: argv[0])
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('<mass value="', '<mass value="nan', ("mass", "must be a finite number")),
        ('xyz="', 'xyz="0 0 0 ', ("xyz", "must have 3")),
        ('effort="80.0"', 'effort="0"', ("effort limit 0", "must be finite and > 0")),
        ('<parent link="', '<parent link="NO_', ("parent link NO_", "did you mean")),
        ('type="revolute"', 'type="planar"', ("type planar", "not supported")),
    ],
)
def test_commands_refuse_bad_robot_files_in_one_sentence(
    argv: list[str],
    old: str,
    new: str,
    told: tuple[str, ...],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = broken(tmp_path, old, new)
    assert main([*argv, str(tmp_path / "settings.toml")]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    (sentence,) = captured.err.strip().splitlines()
    for words in (str(path), *told):
        assert words in sentence


def test_tabs_are_no_reason_to_refuse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(tmp_path, 'xyz="0 ', 'xyz="0\t')
    code, result = checked(capsys, str(tmp_path / "settings.toml"))
    assert code == 0
    values = [f["value"] for f in result["findings"]]
    assert any(v.startswith("1 vectors with unusual white space") for v in values)


def test_meshes_are_looked_for_in_the_folders_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = (
        '<visual><geometry><mesh filename="package://sdk/a.stl"/></geometry></visual>'
    )
    path = broken(tmp_path, "</inertial>", "</inertial>" + mesh)
    other, folder = tmp_path / "other", tmp_path / "packages"
    (folder / "sdk").mkdir(parents=True)
    other.mkdir()
    (folder / "sdk" / "a.stl").touch()
    missing = [f["where"] for f in checked(capsys, str(path))[1]["findings"]]
    assert "meshes" in missing
    argv = ("--meshes", str(other), "--meshes", str(folder), str(path))
    code, result = checked(capsys, *argv)
    assert code == 0
    assert "meshes" not in [f["where"] for f in result["findings"]]


def test_runs_say_what_may_be_a_placeholder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from scenarios.commands.run_options import load_robot
    from scenarios.run.settings import RunSettings

    load_robot(RunSettings())
    assert capsys.readouterr().err == ""
    path = broken(tmp_path, 'effort="80.0"', 'effort="1000"')
    load_robot(RunSettings(robot=str(tmp_path / "settings.toml")))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"wbmpc: {path}: joint LEFT_SHOULDER_Z: effort limit 1000: ")
    assert "looks like a placeholder" in line


def test_a_run_on_a_robot_file_alone_says_what_it_needs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "window_washing", "--robot", str(URDF)]) == 2
    assert f"wbmpc init {URDF}" in capsys.readouterr().err
