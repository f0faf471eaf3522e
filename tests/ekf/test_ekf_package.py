"""The front door of the package: short, lazy, typed, one error base."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ekf
from ekf import errors

ROOT = Path(ekf.__file__).parent
HEAVY = ("pinocchio", "scipy")


def _seen_by_a_type_checker():
    """Module of each name that the front door imports for type checkers only."""
    tree = ast.parse((ROOT / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {alias.name: node.module for node in block.body for alias in node.names}


def _loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_every_exported_name_exists_and_is_documented():
    assert len(ekf.__all__) == len(set(ekf.__all__)) == 26
    for name in ekf.__all__:
        assert getattr(ekf, name).__doc__
    assert set(ekf.__all__) <= set(dir(ekf))


def test_type_checkers_see_what_is_loaded_later():
    seen = _seen_by_a_type_checker()
    assert set(seen) == set(ekf.__all__)
    for name, module in seen.items():
        assert getattr(ekf, name) is getattr(import_module(module), name)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        ekf.Missing  # noqa: B018


@pytest.mark.parametrize(
    "statement",
    [
        "import ekf",
        "from ekf import EkfError, PriorRegime, SupervisorSettings",
        "from ekf.inertia.log_cholesky import upper_factor",
        "from ekf.supervisor.observability import CHANNELS",
    ],
)
def test_light_names_load_no_heavy_package(statement):
    assert not _loaded_by(statement).intersection(HEAVY)


def test_is_typed():
    assert (ROOT / "py.typed").exists()


def test_errors_have_one_base():
    found = [value for name, value in vars(errors).items() if name.endswith("Error")]
    assert len(found) == 6
    assert all(issubclass(error, ekf.EkfError) for error in found)
