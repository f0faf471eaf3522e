"""The package stands alone: Pinocchio and NumPy only, typed, one error base."""

import ast
import sys
from pathlib import Path

import ekf

ROOT = Path(ekf.__file__).parent


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def test_imports_pinocchio_and_numpy_only():
    allowed = {"ekf", "numpy", "pinocchio"} | sys.stdlib_module_names
    found = {name for path in ROOT.rglob("*.py") for name in _imports(path)}
    assert found <= allowed


def test_every_exported_name_exists_and_is_documented():
    for name in ekf.__all__:
        assert getattr(ekf, name).__doc__


def test_is_typed():
    assert (ROOT / "py.typed").exists()


def test_errors_have_one_base():
    errors = [value for name, value in vars(ekf).items() if name.endswith("Error")]
    assert len(errors) == 6
    assert all(issubclass(error, ekf.EkfError) for error in errors)
