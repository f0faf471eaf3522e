"""Compiled twins of parts of Crocoddyl and of `wbmpc.residuals`, or why not.

The extension module is compiled when the package is installed. Without it everything
runs on the Python residuals and Crocoddyl's own classes, slower: choose with

    residuals = native if native.AVAILABLE else python_residuals

The residuals have the names, arguments and results of their Python twins. They read
what `crocoddyl.DifferentialActionModelContactFwdDynamics` has computed at a node and
are meant for it; the Python ones work in any action model with joint data.

`DifferentialActionModelFused` takes the place of that action model where `fusable`
agrees, and `SolverFDDP` that of `crocoddyl.SolverFDDP`: the same numbers, faster.
`kernels()` names the variant of their compiled kernels that this processor runs.
"""

from __future__ import annotations

import importlib
from typing import Any

# Before the extension: it loads the libraries that the extension links to.
import crocoddyl

AVAILABLE: bool
"""Whether the extension module was built and loads."""

REASON: str
"""Why it is not available, one sentence; empty if it is."""

_COMPILED = (
    "DifferentialActionDataFused",
    "DifferentialActionModelFused",
    "ResidualModelAngularMomentumResponse",
    "ResidualModelCoMResponse",
    "ResidualModelFramePlacementResponse",
    "ResidualModelFrameRotationResponse",
    "ResidualModelJointResponse",
    "SolverFDDP",
    "kernels",
)

try:
    _native = importlib.import_module("wbmpc.native._native")
    _members = {name: getattr(_native, name) for name in _COMPILED}
except ModuleNotFoundError:
    AVAILABLE = False
    REASON = (
        "the native part of wbmpc is not built: it needs a C++17 compiler when the "
        "package is installed"
    )
except (ImportError, AttributeError) as error:  # the latter: built from older sources
    AVAILABLE = False
    REASON = f"the native part of wbmpc does not load: {error}"
else:
    AVAILABLE, REASON = True, ""
    globals().update(_members)

__all__ = ["AVAILABLE", "REASON", "fusable", *_COMPILED]


def fusable(
    state: crocoddyl.StateMultibody,
    actuation: crocoddyl.ActuationModelAbstract,
    costs: crocoddyl.CostModelSum,
) -> tuple[bool, str]:
    """Whether `DifferentialActionModelFused` serves these models, and if not, why.

    It needs a free-flying robot whose joints have one degree of freedom each, the
    floating-base actuation, and costs that are residuals with an activation, none of
    them written in Python. Compiled residuals that it has no fast way for are stacked
    with the others row by row.

    Returns:
        True and an empty string, or False and the reason, one sentence.
    """
    if not AVAILABLE:
        return False, REASON
    agrees, reason = _native.fusable(state, actuation, costs)
    return bool(agrees), str(reason)


def __getattr__(name: str) -> Any:
    """Say why something is missing."""
    if name in _COMPILED:
        raise ImportError(REASON)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
