"""What `from wbmpc import ...` offers, and that it costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import wbmpc

HEAVY = ("pinocchio", "crocoddyl", "mujoco", "numpy")


def test_every_name_is_there_and_no_other_is_listed() -> None:
    assert set(wbmpc.__all__) == set(wbmpc._MODULES)
    assert set(wbmpc.__all__) <= set(dir(wbmpc))
    for name in wbmpc.__all__:
        found = getattr(wbmpc, name)
        home = getattr(found, "__module__", None)
        assert home is None or home.startswith("wbmpc.")
        assert getattr(wbmpc, name) is found


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="wbmpc.*no_such_thing"):
        _ = wbmpc.no_such_thing
    with pytest.raises(ImportError):
        exec("from wbmpc import no_such_thing")


def loaded_after(statement: str) -> set[str]:
    """Modules of a fresh interpreter after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_names_are_imported_when_they_are_used() -> None:
    bare = loaded_after("import wbmpc")
    assert not bare & set(HEAVY)
    assert "wbmpc.robot" not in bare
    assert {"wbmpc.robot", "pinocchio"} <= loaded_after("from wbmpc import Robot")


def test_the_loop_needs_no_estimator_no_simulator_and_no_scenario() -> None:
    modules = loaded_after("from wbmpc import ControlLoop")
    packages = {name.partition(".")[0] for name in modules}
    assert not packages & {"ekf", "mujoco", "scenarios", "teleop"}
    ours = [n for n in modules if n.partition(".")[0] in ("models", "wbmpc")]
    assert len(ours) < 70
