"""Checks a robot file, and settings for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from models import robot_names
from models.catalogue import settings_path
from models.description.check import ALL, check_description
from models.description.check.shapes import check_shapes
from models.description.findings import Report, error, report
from models.description.plain_urdf import weld
from models.description.reading import Description, read_description
from models.description.reroot import rerooted
from models.errors import ModelsError, SettingError
from models.files import is_file
from models.lookup import find_urdf
from wbmpc.settings import RobotSettings, load_settings


def read_robot(name: str) -> tuple[RobotSettings | None, Description]:
    """Settings, if the name has any, and the robot file.

    Raises:
        SettingError: A setting cannot be used.
        ModelsError: Unknown name, or a file that cannot be read.
    """
    if name not in robot_names() and Path(name).suffix != ".toml":
        return None, read_description(find_urdf(name))
    settings = load_settings(name)
    if not is_file(Path(settings.urdf)):
        rule = "there is no such robot file"
        raise SettingError("urdf", settings.urdf, rule, str(settings_path(name)))
    return settings, read_description(Path(settings.urdf))


def check_robot(
    settings: RobotSettings | None, description: Description, folders: Sequence[Path]
) -> Report:
    """Everything that is wrong with a robot file, and with settings for it.

    Args:
        settings: What drives the robot; None: the file alone.
        description: The robot file.
        folders: Where packages of package:// meshes are looked for.
    """
    rules = [rule for rule in ALL if rule is not check_shapes]
    rules.append(partial(check_shapes, folders=folders))
    if settings is None:
        return check_description(description, rules)
    try:
        welded = _welded(settings, description)
    except ModelsError as problem:
        unfit = error("settings: groups.welded", "unusable", str(problem))
        found = check_description(description, rules)
        return report(found.file, (*found.findings, unfit))
    found = check_description(welded, rules)
    if not found.ok:
        return found
    # Importing the package that drives the robot checks the native wheels.
    from scenarios.run.robot_fit import check_fit

    return report(found.file, (*found.findings, *check_fit(settings)))


def _welded(settings: RobotSettings, description: Description) -> Description:
    """The robot as settings leave it, if its links form a tree.

    Raises:
        ModelsError: A joint that cannot be welded.
    """
    if not check_description(description, ()).ok:
        return description
    names, root = settings.groups.welded, settings.root_link
    welded = weld(description, {name: settings.home.get(name, 0.0) for name in names})
    return rerooted(welded, root) if root in welded.links else welded
