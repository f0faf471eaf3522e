"""Files by name: texts of any encoding, and files that are whole or not there."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks that editors write before a text; a mark of UTF-32 begins with one
of UTF-16."""


def text_encoding(path: Path) -> str:
    """How a text file is encoded: as its byte order mark says, else UTF-8.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as stream:
        start = stream.read(5)
    for mark, name in _MARKS:
        # Two stray bytes alone are no empty text of two bytes a letter.
        if start.startswith(mark) and (mark == codecs.BOM_UTF8 or start != mark):
            return name
    return "utf-8"


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        OSError: It cannot be read.
        UnicodeDecodeError: It is no text.
    """
    return path.read_text(encoding=text_encoding(path))


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
