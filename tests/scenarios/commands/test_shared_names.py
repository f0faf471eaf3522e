"""A robot whose joints are called like its links does what it did before."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.description.reading import read_description
from scenarios.cli import main
from wbmpc.robot import Robot
from wbmpc.settings import load_settings

URDF = Path(load_settings("alexander").urdf)


def renamed(text: str, names: dict[str, str]) -> str:
    """Words exchanged, all at once."""
    return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped robot with every moving joint called like the link it moves."""
    path = tmp_path_factory.mktemp("robot")
    joints = read_description(URDF).joints.values()
    names = {j.name: j.child for j in joints if j.moves}
    text = URDF.read_text(encoding="utf-8")
    text = re.sub(
        r'<joint\s+name="(\w+)"',
        lambda m: m[0].replace(m[1], names.get(m[1], m[1])),
        text,
    )
    (path / URDF.name).write_text(text, encoding="utf-8")
    settings = URDF.with_name("settings.toml").read_text(encoding="utf-8")
    (path / "settings.toml").write_text(renamed(settings, names), encoding="utf-8")
    return path


def result(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    """The JSON object of a command that ends well."""
    assert main([*argv, "--json"]) == 0
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return json.loads(captured.out)


def test_the_models_are_the_same(folder: Path) -> None:
    ours, theirs = Robot.load(str(folder / "settings.toml")), Robot.load("alexander")
    assert ours.joint_names != theirs.joint_names
    np.testing.assert_array_equal(ours.home_q_full, theirs.home_q_full)
    for side in ("left", "right"):
        link = ours.arms[side].link
        assert ours.link_joint(link) == theirs.link_joint(theirs.arms[side].link)


def test_check_and_init_take_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = result(capsys, "check", "alexander")
    assert result(capsys, "check", str(folder / "settings.toml"))["ok"]
    assert len(result(capsys, "check", str(folder / URDF.name))["findings"]) == len(
        plain["findings"]
    )
    new = result(capsys, "init", str(folder / URDF.name), "--out", str(tmp_path / "a"))
    old = result(capsys, "init", str(URDF), "--out", str(tmp_path / "b"))
    for key in ("mass_kg", "com_height_m", "joints", "standing_torque_share"):
        assert new[key] == old[key], key
    loads = [n["arms"]["left"]["load_kg"] for n in (new, old)]
    assert loads[0] == loads[1]


@pytest.mark.parametrize("plant", ["clean", "hardware_twin"])
def test_a_run_of_it_is_the_run_of_the_other(
    folder: Path, plant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ("run", "window_washing", "--no-files", "--no-twin", "--plant", plant)
    more = ("--duration", "0.5", "--at", "0.25", "--payload", "2")
    robots = ("alexander", str(folder / "settings.toml"))
    runs = [result(capsys, *argv, *more, "--robot", r) for r in robots]
    for a, b in zip(runs[0]["tip"].values(), runs[1]["tip"].values(), strict=True):
        assert a == b
    for a, b in zip(runs[0]["links"].values(), runs[1]["links"].values(), strict=True):
        assert a == b
