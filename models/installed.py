"""Robot files of the installed package `example-robot-data`, by name."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models.errors import SettingsError, UnknownNameError

PREFIX = "example-robot-data:"


def is_installed_name(urdf: str) -> bool:
    """Whether a `urdf` setting names an installed robot instead of a file."""
    return urdf.startswith(PREFIX)


def is_installed() -> bool:
    """Whether the package is there, sound or not."""
    return find_spec("example_robot_data") is not None


def installed_robot_names() -> tuple[str, ...]:
    """Names that may follow `example-robot-data:`; those with a URDF.

    Raises:
        SettingsError: The package is not installed, or cannot be loaded.
    """
    return tuple(sorted(name for name, _ in _loaders() if name))


def installed_urdf(urdf: str) -> Path:
    """URDF file of `example-robot-data:NAME`.

    Raises:
        SettingsError: The package is not installed, or is a slim one without models.
        UnknownNameError: It has no such robot.
    """
    name = urdf.removeprefix(PREFIX)
    loaders = dict(_loaders())
    if name not in loaders:
        choices = (f"{PREFIX}{known}" for known in loaders)
        raise UnknownNameError("installed robot", f"{PREFIX}{name}", choices)
    from example_robot_data.robots_loader import getModelPath

    try:
        return (Path(getModelPath(loaders[name])) / loaders[name]).resolve()
    except OSError:
        raise SettingsError(
            f"{urdf}: example-robot-data is installed without its models; "
            "pip install 'example-robot-data==5.0.0'"
        ) from None


def name_of_installed(urdf: Path) -> str:
    """`example-robot-data:NAME` of a URDF file of the package.

    Raises:
        UnknownNameError: It is none of its robots.
    """
    for name, below in _loaders():
        if urdf.as_posix().endswith(f"/{below}"):
            return f"{PREFIX}{name}"
    raise UnknownNameError("installed robot file", urdf.name, installed_robot_names())


def installed_rotor_inertia_kgm2(urdf: str) -> dict[str, float]:
    """Reflected rotor inertia by joint name, where the package has it in an SRDF.

    The rotor's inertia times the square of the gear ratio. The attribute that holds it
    is called `mass` there.
    """
    path = installed_urdf(urdf)
    loader = _robots()[urdf.removeprefix(PREFIX)]
    srdf = path.parents[1] / loader.srdf_subpath / loader.srdf_filename
    if not (loader.has_rotor_parameters and srdf.is_file()):
        return {}
    joints = ET.parse(srdf).getroot().iterfind("rotor_params/joint")
    return {
        joint.attrib["name"]: float(joint.attrib["mass"])
        * float(joint.attrib["gear_ratio"]) ** 2
        for joint in joints
    }


def _loaders() -> list[tuple[str, str]]:
    """Name and URDF path below the package's models of every robot with a URDF."""
    return [
        (name, f"{loader.path}/{loader.urdf_subpath}/{loader.urdf_filename}")
        for name, loader in _robots().items()
        if loader.urdf_filename
    ]


def _robots() -> dict[str, Any]:
    """The package's own table."""
    if not is_installed():
        raise SettingsError(
            "robots named example-robot-data:NAME need that package; "
            "pip install 'example-robot-data==5.0.0'"
        )
    try:
        from example_robot_data.robots_loader import ROBOTS
    except Exception as problem:  # it imports Pinocchio, which may be any package
        what = f"{type(problem).__name__}: {problem}".splitlines()[0]
        raise SettingsError(
            f"example-robot-data is installed, but cannot be loaded ({what}); it "
            "needs a sound Pinocchio: wbmpc doctor tells what is wrong"
        ) from None
    robots: dict[str, Any] = ROBOTS
    return robots
