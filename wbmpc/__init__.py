"""Whole-body MPC with response-based costs for humanoids that hold heavy things.

Importing this package sets the environment of the thread pools and refuses a pair of
pin and crocoddyl wheels that is known to crash. The names below are imported when they
are first used; everything else is found by its module.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wbmpc.neighbours import check_neighbours

check_neighbours()

from wbmpc.runtime import check_versions, set_thread_environment  # noqa: E402

set_thread_environment()
check_versions()

if TYPE_CHECKING:
    __version__: str

    from wbmpc.control.inertia_source import InertiaSource, InertiaUpdate
    from wbmpc.control.loop import ControlLoop
    from wbmpc.control.mpc import WholeBodyMpc
    from wbmpc.control.plan import Plan
    from wbmpc.errors import WbmpcError
    from wbmpc.plant.imperfections import HARDWARE_TWIN
    from wbmpc.plant.interface import Measurement, Payload, Plant
    from wbmpc.plant.mock import MockPlant
    from wbmpc.plant.mujoco_plant import MujocoPlant
    from wbmpc.plant.twin_plant import TwinPlant
    from wbmpc.reference import Reference, home_reference
    from wbmpc.robot import Robot

_MODULES = {
    "ControlLoop": "wbmpc.control.loop",
    "HARDWARE_TWIN": "wbmpc.plant.imperfections",
    "InertiaSource": "wbmpc.control.inertia_source",
    "InertiaUpdate": "wbmpc.control.inertia_source",
    "Measurement": "wbmpc.plant.interface",
    "MockPlant": "wbmpc.plant.mock",
    "MujocoPlant": "wbmpc.plant.mujoco_plant",
    "Payload": "wbmpc.plant.interface",
    "Plan": "wbmpc.control.plan",
    "Plant": "wbmpc.plant.interface",
    "Reference": "wbmpc.reference",
    "Robot": "wbmpc.robot",
    "TwinPlant": "wbmpc.plant.twin_plant",
    "WbmpcError": "wbmpc.errors",
    "WholeBodyMpc": "wbmpc.control.mpc",
    "home_reference": "wbmpc.reference",
}

__all__ = [
    "HARDWARE_TWIN",
    "ControlLoop",
    "InertiaSource",
    "InertiaUpdate",
    "Measurement",
    "MockPlant",
    "MujocoPlant",
    "Payload",
    "Plan",
    "Plant",
    "Reference",
    "Robot",
    "TwinPlant",
    "WbmpcError",
    "WholeBodyMpc",
    "home_reference",
]


def __getattr__(name: str) -> Any:
    """A name of `__all__`, imported now; or the version."""
    if name == "__version__":
        return import_module("models.version").installed_version()
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    """Everything this module has, or would have when asked."""
    return sorted({*globals(), *__all__})
