"""Finds what a user calls a robot: a file, a shipped robot, or an installed one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from models.catalogue import robot_names, settings_path, urdf_path
from models.errors import RobotFileError, UnknownNameError
from models.files import is_file
from models.installed import (
    PREFIX,
    installed_robot_names,
    installed_urdf,
    is_installed,
)
from models.toml_file import read_struct

_SUFFIXES = ("_description", "_data")


class _UrdfOnly(msgspec.Struct):
    """The one key of a settings file that is asked for here."""

    urdf: str


def find_urdf(name: str) -> Path:
    """URDF of a path, or of a robot by name.

    Args:
        name: Path of a URDF, or of settings, which name theirs;
            a shipped robot; `example-robot-data:NAME`; NAME alone; or the name of a
            description package, such as g1_description.

    Raises:
        RobotFileError: It looks like a path and nothing is there.
        SettingsError: Settings that cannot be read, or name no URDF.
        UnknownNameError: There is no such robot.
    """
    path = Path(name)
    if is_file(path):
        return _urdf_of(name) if path.suffix == ".toml" else path
    if name.startswith(".") or path.suffix or len(path.parts) != 1:
        raise RobotFileError(f"robot file {path} does not exist, or is no file")
    if name in robot_names():
        return _urdf_of(name)
    return installed_urdf(f"{PREFIX}{_known(name)}")


def _urdf_of(robot: str) -> Path:
    """URDF of a robot with settings."""
    path = settings_path(robot)
    return urdf_path(path, read_struct(path, _UrdfOnly).urdf)


def _known(name: str) -> str:
    short = name.removeprefix(PREFIX)
    for suffix in _SUFFIXES:
        short = short.removesuffix(suffix)
    names = installed_robot_names() if is_installed() else ()
    if short not in names:
        if name.startswith(PREFIX) and not names:
            installed_urdf(name)  # says what is missing
        paths = ("PATH/robot.urdf", "PATH/settings.toml")
        raise UnknownNameError("robot", name, {*robot_names(), *names, *paths})
    return short
