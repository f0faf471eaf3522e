"""What is installed, from what, and which package may import which."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Container, Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module, metadata, resources
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from models import robot_names
from models.installed import is_installed_name
from wbmpc.runtime import PINS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

MAY_IMPORT = {
    "models": {"models"},
    "ekf": {"ekf"},
    "wbmpc": {"wbmpc", "models"},
    "teleop": {"teleop", "wbmpc", "models"},
    "scenarios": {"scenarios", "teleop", "wbmpc", "ekf", "models"},
}
"""Imports go one way: packages of this project that each of them may use."""

DISTRIBUTION_OF = {
    "PIL": "pillow",
    "example_robot_data": "example-robot-data-loaders",
    "pinocchio": "pin",
    "rerun": "rerun-sdk",
    "scservo_sdk": "ftservo-python-sdk",
    "serial": "pyserial",
    "umsgpack": "u-msgpack-python",
    "zenoh": "eclipse-zenoh",
}
"""Distributions whose name is not that of the package they hold."""

NOT_IN_TRACKED_FILES = {
    # Written in pieces, so that this file does not find itself.
    "registry host": r"py"
    r"pi\.org|pythonhosted\.|npm"
    r"js\.(org|com)"
    r"|deb\.debian\.|\bindex-url\s*=",
    "path of a machine": r"(?<![\w./])/(?:work|root|home|tmp|opt|Users)/",
}


def imported(source: str, package: str) -> Iterator[str]:
    """Top-level names that a module imports, `import_module("...")` included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield package if node.level else (node.module or "").split(".")[0]
        elif isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", None))
            name = getattr(node.args[0], "value", None)
            if called == "import_module" and isinstance(name, str):
                yield name.split(".")[0]


def modules() -> dict[str, Path]:
    """Every module of the project by its dotted name."""
    files = (path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py"))
    dotted = {path: path.relative_to(ROOT).with_suffix("").parts for path in files}
    return {".".join(parts).removesuffix(".__init__"): p for p, parts in dotted.items()}


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Everything in a module that importing it runs; not what only types need."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(
            child.test
        )
        yield child
        if not typing_only:
            yield from run_on_import(child)


def needed_on_import(source: str, known: Container[str]) -> set[str]:
    """Those modules that a module names in imports that run when it is imported."""
    names: set[str] = set()
    for node in run_on_import(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            of_package = {f"{node.module}.{alias.name}" for alias in node.names}
            modules_of_it = {name for name in of_package if name in known}
            names |= modules_of_it
            if len(modules_of_it) < len(of_package):
                names.add(node.module)
    return {name for name in names if name in known}


def imported_by(package: str) -> set[str]:
    files = (ROOT / package).rglob("*.py")
    return {n for f in files for n in imported(f.read_text(encoding="utf-8"), package)}


def requirements() -> list[Requirement]:
    """Everything pyproject.toml asks for: to run, to develop, to build."""
    project = PROJECT["project"]
    texts = [
        *project["dependencies"],
        *(
            text
            for extra in project["optional-dependencies"].values()
            for text in extra
        ),
        *PROJECT["build-system"]["requires"],
    ]
    return [Requirement(text) for text in texts]


def constraint_lines() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def constraints() -> dict[str, str]:
    """Version by canonical name."""
    split = (line.split("==") for line in constraint_lines())
    return {canonicalize_name(name): version for name, version in split}


def git_files(*arguments: str) -> list[str]:
    """Names that `git ls-files` lists; skips the test outside a git work tree."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git work tree")
    return [n for n in done.stdout.split("\0") if n and (ROOT / n).is_file()]


def test_the_reader_of_imports_sees_every_form() -> None:
    source = "import a.b as c\nfrom d.e import f\nfrom . import g\n"
    source += "def h():\n  import i\n  importlib.import_module('j.k')\n"
    assert set(imported(source, "own")) == {"a", "d", "own", "i", "j"}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_go_one_way(package: str) -> None:
    assert imported_by(package) & MAY_IMPORT.keys() <= MAY_IMPORT[package]


def test_the_reader_of_circles_sees_what_importing_runs() -> None:
    source = "from typing import TYPE_CHECKING\nimport a\nfrom p import b, c\n"
    source += "if TYPE_CHECKING:\n  import d\ntry:\n  import e\nfinally:\n  pass\n"
    source += "def f():\n  import g\n"
    known = {"a", "p", "p.b", "d", "e", "g"}
    assert needed_on_import(source, known) == {"a", "p", "p.b", "e"}
    assert needed_on_import("from p import b", known) == {"p.b"}


def test_no_module_is_part_of_an_import_circle() -> None:
    known = modules()
    needs = {
        name: needed_on_import(path.read_text(encoding="utf-8"), known)
        for name, path in known.items()
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_ekf_needs_numpy_scipy_and_pinocchio_only() -> None:
    allowed = {"ekf", "numpy", "pinocchio", "scipy"} | sys.stdlib_module_names
    assert imported_by("ekf") <= allowed


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_what_is_imported_is_declared(package: str) -> None:
    own = MAY_IMPORT.keys() | sys.stdlib_module_names
    extras = PROJECT["project"]["optional-dependencies"]
    texts = [*PROJECT["project"]["dependencies"]]
    texts += [text for extra in extras.keys() - {"dev"} for text in extras[extra]]
    declared = {canonicalize_name(Requirement(text).name) for text in texts}
    needed = {DISTRIBUTION_OF.get(n, n) for n in imported_by(package) - own}
    assert {canonicalize_name(name) for name in needed} <= declared


def test_constraints_are_exact_versions_of_distinct_packages() -> None:
    lines = constraint_lines()
    odd = [line for line in lines if not re.fullmatch(r"[\w.-]+==\d[\w.]*", line)]
    assert not odd
    assert len(constraints()) == len(lines)


def test_constraints_hold_the_pins() -> None:
    assert PINS.items() <= constraints().items()


def test_dependencies_hold_the_pins() -> None:
    assert {f"{n}=={v}" for n, v in PINS.items()} <= set(
        PROJECT["project"]["dependencies"]
    )


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_constraints_satisfy_the_requirement(requirement: Requirement) -> None:
    version = constraints()[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version)


def test_constraints_cover_what_the_requirements_bring_along() -> None:
    """A free transitive name could bring another ABI of the native wheels."""
    waiting, seen = requirements(), set()
    while waiting:
        requirement = waiting.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        waiting += brought_along(requirement)
    assert {name for name, _ in seen} <= constraints().keys()


def brought_along(requirement: Requirement) -> list[Requirement]:
    """Requirements of an installed package, with the extras asked for."""
    try:
        texts = metadata.requires(requirement.name) or []
    except metadata.PackageNotFoundError:
        return []
    extras = ("", *requirement.extras)
    found = [Requirement(text) for text in texts]
    return [
        r
        for r in found
        if r.marker is None or any(r.marker.evaluate({"extra": e}) for e in extras)
    ]


def test_cmake_asks_for_the_constrained_versions() -> None:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    exact = re.findall(r"find_package\((\w+) ([\d.]+) EXACT", text)
    assert {"crocoddyl", "eigenpy"} <= {name for name, _ in exact}
    assert dict(exact).items() <= constraints().items()


@pytest.mark.parametrize("what", NOT_IN_TRACKED_FILES)
def test_no_tracked_file_names_a(what: str) -> None:
    pattern = re.compile(NOT_IN_TRACKED_FILES[what])
    found = []
    for name in git_files():
        text = (ROOT / name).read_bytes().decode("utf-8", errors="ignore")
        found += [f"{name}: {match[0]}" for match in pattern.finditer(text)]
    assert not found


def test_no_lock_file_is_tracked() -> None:
    """It would hold the address of the registry in every entry."""
    assert not [name for name in git_files() if name.endswith("uv.lock")]


def test_the_wheel_holds_the_packages() -> None:
    assert set(PROJECT["tool"]["scikit-build"]["wheel"]["packages"]) == set(MAY_IMPORT)
    missing = [
        f"{package}/{name}"
        for package in MAY_IMPORT
        for name in ("__init__.py", "py.typed")
        if not (ROOT / package / name).is_file()
    ]
    assert not missing


@pytest.mark.parametrize("robot", robot_names())
def test_robot_files_are_package_data(robot: str) -> None:
    folder = resources.files("models") / robot
    settings = tomllib.loads((folder / "settings.toml").read_text(encoding="utf-8"))
    assert is_installed_name(settings["urdf"]) or (folder / settings["urdf"]).is_file()


def test_the_command_exists() -> None:
    module, _, function = PROJECT["project"]["scripts"]["wbmpc"].partition(":")
    copies = PROJECT["tool"]["scikit-build"]["wheel"]["force-include"]
    (source,) = [path for path, copy in copies.items() if copy == f"{module}.py"]
    dotted = source.removesuffix(".py").replace("/", ".")
    assert callable(getattr(import_module(dotted), function))


def test_the_command_starts_in_a_module_that_nobody_else_has() -> None:
    """A user's own `scenarios` may come first on the path."""
    module = PROJECT["project"]["scripts"]["wbmpc"].partition(":")[0]
    assert module not in MAY_IMPORT.keys() | sys.stdlib_module_names
    assert module.startswith("wbmpc_")


def test_the_wheel_holds_every_file_but_the_sources_of_the_native_part(
    tmp_path: Path,
) -> None:
    """Without the native part, so that nothing is compiled."""
    pytest.importorskip("scikit_build_core")
    expected = {
        name
        for name in git_files("--cached", "--others", "--exclude-standard", *MAY_IMPORT)
        if not name.endswith((".hpp", ".cpp"))
    }
    code = "from scikit_build_core.build import build_wheel as build; import sys; "
    code += "build(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "WBMPC_NATIVE": "0"},
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    held = {name for name in names if name.split("/")[0] in MAY_IMPORT}
    assert held == expected
    assert "wbmpc_launch.py" in names
