"""Versions of everything a number depends on."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = (
    "wbmpc",
    "pin",
    "libpinocchio",
    "crocoddyl",
    "libcrocoddyl",
    "mujoco",
    "numpy",
    "scipy",
    "msgspec",
)


def installed_versions() -> dict[str, str | None]:
    """Version by package, with Python and the platform; None where not installed."""
    found: dict[str, str | None] = {name: _version(name) for name in PACKAGES}
    found["python"] = platform.python_version()
    found["platform"] = f"{platform.system()} {platform.machine()}"
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
