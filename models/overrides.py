"""Single settings changed by `key.path=value`."""

from __future__ import annotations

import re
import tomllib
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from models.errors import SettingsError, UnknownNameError
from models.toml_file import to_struct

T = TypeVar("T", bound=msgspec.Struct)


def override(settings: T, assignment: str) -> T:
    """Return settings with one `key.path=value` applied, the value in TOML syntax.

    Raises:
        SettingsError: Not an assignment, bad value, or a value of the wrong type.
        UnknownNameError: A key that does not exist at its level.
    """
    key, separator, text = assignment.partition("=")
    if not separator:
        raise SettingsError(f"override {assignment!r}: expected key.path=value")
    table = msgspec.to_builtins(settings)
    parents, leaf = _descend(table, key.strip(), type(settings))
    parents[leaf] = _parse_value(text.strip(), key)
    return to_struct(table, type(settings), f"override {assignment!r}")


def _descend(table: dict[str, Any], key: str, kind: type) -> tuple[dict[str, Any], str]:
    """The innermost table of a key, and its name there.

    A key must be there already, except in a table of anything, whose reader checks it.
    """
    *path, leaf = key.split(".")
    node, shape = table, msgspec.inspect.type_info(kind)
    for depth, name in enumerate((*path, leaf)):
        if not isinstance(node, dict) or not (name in node or _takes_any(shape)):
            choices = node.keys() if isinstance(node, dict) else ()
            raise UnknownNameError("settings key", key, choices)
        if depth < len(path):
            node, shape = node.setdefault(name, {}), _below(shape, name)
    return node, leaf


def _takes_any(shape: msgspec.inspect.Type) -> bool:
    values = getattr(shape, "value_type", shape)
    return isinstance(values, msgspec.inspect.AnyType)


def _below(shape: msgspec.inspect.Type, name: str) -> msgspec.inspect.Type:
    """Type of an entry of a struct or table."""
    if isinstance(shape, msgspec.inspect.StructType):
        return next(f.type for f in shape.fields if f.encode_name == name)
    return getattr(shape, "value_type", shape)


def _parse_value(text: str, key: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        if re.fullmatch(r"[\w./-]+", text):
            return text
        raise SettingsError(f"override {key}: {text!r} is not a TOML value") from None
