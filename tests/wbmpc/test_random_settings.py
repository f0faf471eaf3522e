"""No settings file ends in anything but a robot or a sentence."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from models.errors import ModelsError
from wbmpc.plant.mujoco_plant import MujocoPlant
from wbmpc.robot import Robot
from wbmpc.settings import load_settings

URDF = Path(load_settings("alexander").urdf)
TEXT = URDF.with_name("settings.toml").read_text(encoding="utf-8")
QUICK = settings(
    max_examples=80,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
VALUES = (
    *("", "0", "-1", "1e308", "nan", "-inf", "1e-320", "true", '""', "[]", "{}"),
    *("[1.0]", "[[]]", '["LEFT_SOLE"]', '"PELVIS_LINK"', "{ SPINE_Z = 1.0 }"),
    *('"\\u0000"', "9223372036854775808", "1979-05-27", "{ a = { b = 1 } }"),
)


@st.composite
def broken_settings(draw: st.DrawFn) -> str:
    """The shipped settings with lines lost, doubled or of another value."""
    lines = TEXT.splitlines()
    for _ in range(draw(st.integers(1, 3))):
        index = draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(("cut", "double", "value", "key", "values")))
        key, equals, value = lines[index].partition(" = ")
        if change == "cut":
            del lines[index]
        elif change == "double":
            lines.insert(index, lines[draw(st.integers(0, len(lines) - 1))])
        elif change == "key":
            lines[index] = draw(st.sampled_from(lines)).partition(" = ")[0] + equals
            lines[index] += value
        elif change == "values":
            lines[index] = key + equals + draw(st.sampled_from(lines))
        elif equals:
            lines[index] = key + equals + draw(st.sampled_from(VALUES))
    return "\n".join(lines).replace('"alexander.urdf"', f'"{URDF.as_posix()}"')


def load_or_refuse(text: str) -> bool:
    """Whether the settings make a robot and a plant."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        path.write_text(text, encoding="utf-8")
        try:
            MujocoPlant(Robot.load(str(path)))
        except ModelsError as error:
            assert str(error)
            return False
        return True


@seed(0)
@QUICK
@given(broken_settings())
def test_broken_settings_are_a_robot_or_a_sentence(text: str) -> None:
    load_or_refuse(text)


@pytest.mark.slow
@seed(1)
@settings(QUICK, max_examples=3000)
@given(broken_settings())
def test_many_broken_settings_are_a_robot_or_a_sentence(text: str) -> None:
    load_or_refuse(text)


def test_the_settings_themselves_are_a_robot() -> None:
    assert load_or_refuse(TEXT.replace('"alexander.urdf"', f'"{URDF.as_posix()}"'))
