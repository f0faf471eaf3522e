"""Digest of the program text a simulation depends on."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

import ekf
import models
import wbmpc

WHOLE_PACKAGES = (models, ekf, wbmpc)
START = "scenarios.run.runner"
SUFFIXES = (".py", ".so", ".toml", ".urdf")


@functools.cache
def source_digest() -> str:
    """Changes when a file changes that could change the outcome of a run.

    Everything in models, ekf and wbmpc, and those modules of scenarios that the runner
    imports, directly or through others: reports may change without making finished
    runs worthless.
    """
    digest = hashlib.sha256()
    for path in _files():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for package in WHOLE_PACKAGES:
        folder = Path(str(package.__file__)).parent
        found = (p for p in sorted(folder.rglob("*")) if p.suffix in SUFFIXES)
        yield from found
    yield from sorted(_imported(START, Path(__file__).parents[1]))


def _imported(start: str, folder: Path) -> set[Path]:
    """Files of this package that a module needs."""
    waiting, seen = [start], set[str]()
    while waiting:
        name = waiting.pop()
        path = _path(name, folder)
        if name in seen or path is None:
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
