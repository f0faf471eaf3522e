"""Loads what a run loads and prints which files that were; run with `python -m`.

In a process of its own: a foreign library may end it.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path

NEEDED = (
    "numpy scipy.linalg scipy.spatial eigenpy pinocchio crocoddyl coal mujoco msgspec "
    "tyro tqdm matplotlib meshcat mcap models ekf wbmpc teleop scenarios"
).split()
"""In an order in which they load."""

_MAPPED = Path("/proc/self/maps")


def loaded_files() -> dict[str, object]:
    """Files of loaded modules, of mapped libraries, and what did not load."""
    failed = dict[str, str]()
    for name in NEEDED:
        try:
            import_module(name)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    modules = {
        name: os.path.abspath(file)
        for name, module in sys.modules.items()
        if isinstance(file := getattr(module, "__file__", None), str)
    }
    return {"failed": failed, "modules": modules, "libraries": _libraries()}


def _libraries() -> list[str]:
    """Mapped shared libraries; none where the system does not tell."""
    try:
        lines = _MAPPED.read_text(errors="replace").splitlines()
    except OSError:
        return []
    paths = {line.split(None, 5)[-1] for line in lines if line.count(" ") > 4}
    return sorted(p for p in paths if p.startswith("/") and ".so" in p)


if __name__ == "__main__":
    print(json.dumps(loaded_files()))
