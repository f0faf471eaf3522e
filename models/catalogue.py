"""The shipped robots, and where settings files and robot files are."""

from __future__ import annotations

from pathlib import Path

from models.errors import SettingError, SettingsError, UnknownNameError
from models.files import is_file
from models.installed import installed_urdf, is_installed_name

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


def urdf_path(settings_file: Path, urdf: str) -> Path:
    """Where the `urdf` of a settings file is; it need not be there.

    Raises:
        SettingError: An installed robot that does not exist.
        SettingsError: Installed robots are missing altogether.
    """
    if not is_installed_name(urdf):
        return settings_file.parent / urdf
    try:
        return installed_urdf(urdf)
    except UnknownNameError as error:
        raise SettingError("urdf", urdf, error.rule, str(settings_file)) from None
