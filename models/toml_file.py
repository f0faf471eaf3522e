"""TOML files as tables and as typed settings."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from models.errors import SettingError, SettingsError, near_names
from models.files import read_text

T = TypeVar("T")


def read_toml(path: Path) -> dict[str, Any]:
    """Table of a file.

    Raises:
        SettingsError: It cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise SettingsError(f"{path}: not a TOML file: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path}: not a TOML file: nested too deeply") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None


def read_struct(path: Path, kind: type[T]) -> T:
    """A file as a struct that knows its keys and ranges.

    Raises:
        SettingsError: As `read_toml` and `to_struct`.
    """
    return to_struct(read_toml(path), kind, str(path))


def to_struct(table: dict[str, Any], kind: type[T], source: str) -> T:
    """A table as a struct that knows its keys and ranges.

    Args:
        table: As read.
        kind: Type of the struct.
        source: Where the table is from, for messages.

    Raises:
        SettingError: An unknown key, a wrong type or range, or no finite number.
    """
    for key, value in _numbers(table):
        if not math.isfinite(value):
            raise SettingError(key, value, "must be a finite number", source)
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise _setting_error(str(error), table, kind).inside(source) from None


def _setting_error(problem: str, table: dict[str, Any], kind: Any) -> SettingError:
    """Key, value and rule of what msgspec says, which ends with a path to the key."""
    rule, _, path = problem.partition(" - at `$")
    key = path.strip(".`")
    unknown = re.search(r"unknown field `(.*)`", rule)
    if unknown:
        near = near_names(unknown[1], _keys(kind))
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return SettingError(_joined(key, unknown[1]), None, f"unknown key{hint}")
    missing = re.search(r"missing required field `(.*)`", rule)
    if missing:
        return SettingError(_joined(key, missing[1]), None, "missing, must be given")
    return SettingError(key or "the file", _value_at(table, key), rule)


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _value_at(table: Any, key: str) -> Any:
    """The value of a dotted key with indices; None where msgspec does not tell it."""
    node = table
    for part in re.findall(r"[^.\[\]]+", key):
        if isinstance(node, list) and part.isdigit() and int(part) < len(node):
            node = node[int(part)]
        elif isinstance(node, Mapping) and part in node:
            node = node[part]
        else:
            return None
    return None if isinstance(node, Mapping) else node


def _keys(kind: Any) -> set[str]:
    """Keys that a struct has, of every level."""
    found: set[str] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(kind)]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            found |= {field.encode_name for field in kind.fields}
            waiting += [field.type for field in kind.fields]
        elif isinstance(kind, msgspec.inspect.DictType):
            waiting.append(kind.value_type)
    return found


def _numbers(node: Any, key: str = "") -> Iterator[tuple[str, float]]:
    """Every floating-point number of a table with its dotted key."""
    if isinstance(node, Mapping):
        children = [(f"{key}.{name}".lstrip("."), node[name]) for name in node]
    elif isinstance(node, list | tuple):
        children = [(f"{key}[{i}]", value) for i, value in enumerate(node)]
    else:
        children = []
        if isinstance(node, float):
            yield key, node
    for name, child in children:
        yield from _numbers(child, name)
