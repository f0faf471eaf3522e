"""Named experiments on a simulated humanoid, and everything a user sees of them.

The names below are what a script needs for a scenario or an estimator of its own. They
are imported when they are first used; everything else is found by its module.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenarios.library.catalogue import register
    from scenarios.library.motions.gestures import Move, Pose, record_moves
    from scenarios.library.run_settings import run_settings
    from scenarios.library.scenario import Defaults, Scenario
    from scenarios.records.record import RunRecord
    from scenarios.report.evaluation import evaluate, evaluation_text
    from scenarios.run.adaptation import estimator_for
    from scenarios.run.estimators import ESTIMATORS, EstimatorKind
    from scenarios.run.settings import RunSettings

_MODULES = {
    "Defaults": "scenarios.library.scenario",
    "ESTIMATORS": "scenarios.run.estimators",
    "EstimatorKind": "scenarios.run.estimators",
    "Move": "scenarios.library.motions.gestures",
    "Pose": "scenarios.library.motions.gestures",
    "RunRecord": "scenarios.records.record",
    "RunSettings": "scenarios.run.settings",
    "Scenario": "scenarios.library.scenario",
    "estimator_for": "scenarios.run.adaptation",
    "evaluate": "scenarios.report.evaluation",
    "evaluation_text": "scenarios.report.evaluation",
    "record_moves": "scenarios.library.motions.gestures",
    "register": "scenarios.library.catalogue",
    "run_settings": "scenarios.library.run_settings",
}

__all__ = [
    "ESTIMATORS",
    "Defaults",
    "EstimatorKind",
    "Move",
    "Pose",
    "RunRecord",
    "RunSettings",
    "Scenario",
    "estimator_for",
    "evaluate",
    "evaluation_text",
    "record_moves",
    "register",
    "run_settings",
]


def __getattr__(name: str) -> Any:
    """A name of `__all__`, imported now."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    """Everything this module has, or would have when asked."""
    return sorted({*globals(), *__all__})
