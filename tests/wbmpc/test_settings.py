"""Settings: read, refused, overridden; and every one of them changes something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from models import robot_names
from models.errors import SettingsError, UnknownNameError
from wbmpc.settings import load_settings


def test_every_shipped_robot_loads() -> None:
    assert "alexander" in robot_names()
    for name in robot_names():
        settings = load_settings(name)
        assert Path(settings.urdf).is_file()
        assert settings.name == name


def test_override_changes_one_value_only() -> None:
    before = load_settings("alexander")
    after = load_settings("alexander", ["mpc.nodes=20"])
    assert (before.mpc.nodes, after.mpc.nodes) == (30, 20)
    assert msgspec.structs.replace(after, mpc=before.mpc) == before


def test_list_override() -> None:
    settings = load_settings("alexander", ["mpc.costs.center_of_mass.kp=[1, 2, 3]"])
    assert settings.mpc.costs.center_of_mass.kp == (1.0, 2.0, 3.0)


def test_unknown_robot_names_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="unknown robot 'alexandre'.*alexander"):
        load_settings("alexandre")


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("mpc.costs.centre_of_mass.weight=1", "did you mean center_of_mass"),
        ("mpc.node=20", "did you mean nodes"),
        ("mpc.nodes.deep=20", "unknown settings key"),
    ],
)
def test_unknown_key_names_the_nearest(assignment: str, words: str) -> None:
    with pytest.raises(UnknownNameError, match=words):
        load_settings("alexander", [assignment])


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("mpc.nodes=many", "Expected `int`"),
        ("mpc.nodes=1.5", "Expected `int`"),
        ("mpc.nodes", "expected key.path=value"),
        ("mpc.nodes=[", "not a TOML value"),
        ("mpc.nodes=0", "`int` >= 1"),
        ("mpc.nodes=1000000", "`int` <= 1000"),
        ("mpc.threads=1000000", "`int` <= 256"),
        ("mpc.regularization=-1", "`float` > 0"),
        ("mpc.tick_dt_s=0", ">= 0.001"),
        ("mpc.costs.torque.weight=-1e-3", "`float` >= 0"),
        ("mpc.costs.torque.weight=nan", "mpc.costs.torque.weight is nan"),
        ("mpc.costs.center_of_mass.kp=[1, inf, 1]", r"kp\[1\] is inf"),
        ("estimator.torque_arms=0", "`float` > 0"),
    ],
)
def test_bad_value_names_key_and_rule(assignment: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        load_settings("alexander", [assignment])


def test_a_file_with_a_misspelt_key_is_refused(tmp_path: Path) -> None:
    source = Path(load_settings("alexander").urdf).with_name("settings.toml")
    text = source.read_text(encoding="utf-8").replace("node_dt_s", "node_dt")
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match="node_dt"):
        load_settings(str(path))


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    path.write_text("name = = 3", encoding="utf-8")
    with pytest.raises(SettingsError, match="not a TOML file"):
        load_settings(str(path))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "node_dt_s = 0.02",
            "node_dt = 0.02",
            "settings.toml: mpc.node_dt: unknown key; did you mean node_dt_s",
        ),
        (
            "nodes = 30",
            'nodes = "many"',
            "settings.toml: mpc.nodes is 'many': Expected `int`, got `str`",
        ),
        ("nodes = 30", "nodes = -3", "mpc.nodes is -3: Expected `int` >= 1"),
        ('["SPINE_Z"]', "[7]", r"groups.spine\[0\] is 7: Expected `str`, got `int`"),
        (
            'name = "alexander"',
            "nam = 1",
            "settings.toml: nam: unknown key; did you mean name",
        ),
        ('urdf = "alexander.urdf"', "", "settings.toml: urdf: missing, must be given"),
        ("friction = 0.8", "friction = nan", "plant.friction is nan"),
    ],
)
def test_a_wrong_file_is_refused_with_key_value_and_rule(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    source = Path(load_settings("alexander").urdf).with_name("settings.toml")
    text = source.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "settings.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SettingsError, match=words):
        load_settings(str(path))


@pytest.mark.parametrize("content", [b"a = " + b"[" * 100_000, b"\xff\xfe", b"\x00"])
def test_bytes_that_are_no_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match="settings.toml: not a TOML file"):
        load_settings(str(path))


def test_reading_settings_needs_no_native_package() -> None:
    """Crocoddyl alone takes most of a second to import."""
    code = "import sys, wbmpc.settings as s; s.load_settings('alexander'); "
    code += "print({'crocoddyl', 'pinocchio', 'mujoco', 'scipy'} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
