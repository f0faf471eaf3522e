"""What `from scenarios import ...` offers; it costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import scenarios


def test_every_name_is_there_and_no_other_is_listed() -> None:
    assert set(scenarios.__all__) == set(scenarios._MODULES)
    assert set(scenarios.__all__) <= set(dir(scenarios))
    for name in scenarios.__all__:
        assert getattr(scenarios, name) is getattr(scenarios, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="scenarios.*no_such_thing"):
        _ = scenarios.no_such_thing


def test_the_names_are_imported_when_they_are_used() -> None:
    code = "import sys, scenarios; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "pinocchio", "wbmpc", "teleop", "ekf", "msgspec"}
