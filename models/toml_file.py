"""TOML files as tables and as typed settings."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from models.errors import SettingsError

T = TypeVar("T")


def read_toml(path: Path) -> dict[str, Any]:
    """Table of a file.

    Raises:
        SettingsError: It can not be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not a TOML file: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path}: not a TOML file: nested too deeply") from None
    except OSError as error:
        raise SettingsError(f"{path} can not be read: {error.strerror}") from None


def read_struct(path: Path, kind: type[T]) -> T:
    """A file as a struct that knows its keys and ranges.

    Raises:
        SettingsError: As `read_toml`; an unknown key, a wrong type or range.
    """
    try:
        return msgspec.convert(read_toml(path), kind)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {error}") from None
