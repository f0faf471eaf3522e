"""Names of files that may be no names at all; files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether there is a file; False for a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder; False for a name that no folder can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is never half there; one of that name is replaced.

    Raises:
        OSError: It cannot be written; nothing is left of it.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
