"""Finds a robot's settings by name or path and applies overrides to them."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import msgspec.inspect

from models.errors import (
    SettingError,
    SettingsError,
    UnknownNameError,
    near_names,
)
from models.files import is_file
from models.installed import installed_urdf, is_installed_name
from models.settings import RobotSettings
from models.toml_file import read_toml

_HERE = Path(__file__).resolve().parent


def robot_names() -> tuple[str, ...]:
    """Robots this package ships."""
    return tuple(sorted(p.parent.name for p in _HERE.glob("*/settings.toml")))


def settings_path(robot: str) -> Path:
    """Settings file of a shipped robot, or `robot` itself if it is a TOML file.

    Raises:
        UnknownNameError: Neither a shipped robot nor an existing TOML file.
        SettingsError: A robot file without settings.
    """
    if robot in robot_names():
        return _HERE / robot / "settings.toml"
    path = Path(robot)
    if path.suffix == ".toml" and is_file(path):
        return path.resolve()
    if path.suffix == ".urdf" and is_file(path):
        raise SettingsError(
            f"{robot} is a robot file; a run needs settings for it: wbmpc "
            f"init {robot} --out FOLDER"
        )
    raise UnknownNameError("robot", robot, (*robot_names(), "PATH/settings.toml"))


def load_settings(robot: str, overrides: Sequence[str] = ()) -> RobotSettings:
    """Read a robot's settings.

    Args:
        robot: Name of a shipped robot or path of a settings file.
        overrides: `key.path=value` assignments, the value in TOML syntax, applied in
            order; only keys that the settings know are taken.

    Raises:
        SettingsError: Bad TOML, unknown key, or a value of the wrong type.
        UnknownNameError: Unknown robot.
    """
    path = settings_path(robot)
    table = read_toml(path)
    settings = _convert(table, str(path))
    for assignment in overrides:
        settings = override(settings, assignment)
    return msgspec.structs.replace(settings, urdf=str(_urdf_path(path, settings.urdf)))


def _urdf_path(settings_file: Path, urdf: str) -> Path:
    if not is_installed_name(urdf):
        return settings_file.parent / urdf
    try:
        return installed_urdf(urdf)
    except UnknownNameError as error:
        raise SettingError("urdf", urdf, error.rule, str(settings_file)) from None


def override(settings: RobotSettings, assignment: str) -> RobotSettings:
    """Return settings with one `key.path=value` applied.

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
    return _convert(table, f"override {assignment!r}")


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


def _convert(table: dict[str, Any], source: str) -> RobotSettings:
    for key, value in _numbers(table):
        if not math.isfinite(value):
            raise SettingError(key, value, "must be a finite number", source)
    try:
        return msgspec.convert(table, RobotSettings)
    except msgspec.ValidationError as error:
        raise _setting_error(str(error), table).inside(source) from None


def _setting_error(problem: str, table: dict[str, Any]) -> SettingError:
    """Key, value and rule of what msgspec says, which ends with a path to the key."""
    rule, _, path = problem.partition(" - at `$")
    key = path.strip(".`")
    unknown = re.search(r"unknown field `(.*)`", rule)
    if unknown:
        near = near_names(unknown[1], setting_names())
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


def setting_names() -> set[str]:
    """Keys that settings have, of every level."""
    found: set[str] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(RobotSettings)]
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
