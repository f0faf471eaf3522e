"""Digest of the program text a simulation depends on."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

import ekf
import models
import wbmpc
from scenarios.library.catalogue import registered_scenarios, shipped_modules

WHOLE_PACKAGES = (models, ekf, wbmpc)
RUNNER = "scenarios.run.runner"
REPORTS = "scenarios.report"
MEASURING = (
    "report/metrics/*.py",
    "report/evaluation.py",
    "library/**/*.py",
    "sweep/row.py",
)
SUFFIXES = (".py", ".so", ".toml", ".urdf")


def source_digest() -> str:
    """Changes when a file changes that could change the outcome of a run.

    Everything in models, ekf and wbmpc, the files of the scenarios, and those modules
    that these and the runner import, directly or through others: reports may change
    without making finished runs worthless.
    """
    return _digest(tuple(_registered_files()))


@functools.cache
def measuring_digest() -> str:
    """Changes when a file changes that could change the figures of a finished run."""
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for name in MEASURING for path in folder.glob(name)):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _digest(more: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for path in (*_files(), *more):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for package in WHOLE_PACKAGES:
        folder = Path(str(package.__file__)).parent
        found = (p for p in sorted(folder.rglob("*")) if p.suffix in SUFFIXES)
        yield from found
    starts = [RUNNER, *shipped_modules()]
    yield from sorted(_imported(starts, Path(__file__).parents[1]))


def _registered_files() -> Iterator[Path]:
    """Where the motions of scenarios outside of this project are written."""
    for scenario in registered_scenarios():
        motion = getattr(scenario.motion, "func", scenario.motion)  # of a partial
        path = inspect.getsourcefile(
            motion if inspect.isroutine(motion) else type(motion)
        )
        if path is not None and Path(path).is_file():
            yield Path(path)


def _imported(starts: Iterable[str], folder: Path) -> set[Path]:
    """Files of this package that some modules need, reports left out."""
    waiting, seen = list(starts), set[str]()
    while waiting:
        name = waiting.pop()
        path = _path(name, folder)
        if name in seen or path is None or name.startswith(REPORTS):
            continue
        seen.add(name)
        waiting += _imports(path)
    paths = (_path(name, folder) for name in seen)
    return {path for path in paths if path is not None}


def _path(name: str, folder: Path) -> Path | None:
    package, _, rest = name.partition(".")
    path = folder / f"{rest.replace('.', '/')}.py"
    return path if package == folder.name and rest and path.is_file() else None


def _imports(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names
