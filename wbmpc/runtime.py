"""Checks and settings that must come before native libraries are imported.

The released wheels of pin and crocoddyl are only compatible in certain pairs: with
pin 4.1.0, crocoddyl 3.2.1 imports and then crashes at its first contact problem.
OpenMP reads its environment once, when the library is loaded.
"""

from __future__ import annotations

import os
from importlib import metadata

from wbmpc.errors import InstallError

PINS = {
    "pin": "4.0.0",
    "libpinocchio": "4.0.0",
    "crocoddyl": "3.2.1",
    "libcrocoddyl": "3.2.1",
}
"""The pair of native stacks this release is built and tested against."""

_THREADS = {
    "OMP_NUM_THREADS": "1",
    # Matrices here are far too small for a threaded BLAS.
    "OPENBLAS_NUM_THREADS": "1",
    # Threads that wait at a barrier spin; a short spin keeps the tail latency low
    # when something else uses the cores.
    "GOMP_SPINCOUNT": "1000",
}


def set_thread_environment() -> None:
    """Set defaults of the thread pools; what the user has set to numbers stays.

    The libraries complain about anything else on the console, from C.
    """
    for name, value in _THREADS.items():
        given = os.environ.get(name, "")
        if not is_count(given) and given.lower() not in ("infinite", "infinity"):
            os.environ[name] = value


def is_count(text: str) -> bool:
    """Whether a variable of a thread pool holds positive integers, one per level."""
    levels = text.split(",")
    return all(level.strip().isdecimal() and int(level) > 0 for level in levels)


def installed_versions() -> dict[str, str | None]:
    """Version of each pinned package, None where it is missing."""
    return {name: _version(name) for name in PINS}


def check_versions(installed: dict[str, str | None] | None = None) -> None:
    """Refuse a pin/crocoddyl pair that is known to crash.

    Raises:
        InstallError: Any pinned package is missing or has another version.
    """
    found = installed_versions() if installed is None else installed
    wrong = {n: found.get(n) for n, want in PINS.items() if found.get(n) != want}
    if wrong:
        have = ", ".join(f"{n} {v or 'not installed'}" for n, v in wrong.items())
        want = " ".join(f"{n}=={v}" for n, v in PINS.items())
        raise InstallError(
            f"incompatible native packages ({have}); other pairs crash at the first "
            f"contact problem. Install the tested set: pip install {want}"
        )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
