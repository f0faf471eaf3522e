"""Single settings changed by `key.path=value`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

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
    parents, leaf = _descend(table, key.strip())
    parents[leaf] = _parse_value(text.strip(), key)
    return to_struct(table, type(settings), f"override {assignment!r}")


def _descend(table: dict[str, Any], key: str) -> tuple[dict[str, Any], str]:
    *path, leaf = key.split(".")
    node = table
    for name in (*path, leaf):
        if not isinstance(node, Mapping) or name not in node:
            choices = node.keys() if isinstance(node, Mapping) else ()
            raise UnknownNameError("settings key", key, choices)
        if name is not leaf:
            node = node[name]
    return node, leaf


def _parse_value(text: str, key: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        if re.fullmatch(r"[\w./-]+", text):
            return text
        raise SettingsError(f"override {key}: {text!r} is not a TOML value") from None
