"""Names of files that may be no names at all."""

from __future__ import annotations

from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether there is a file; False for a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
