"""C++ twins of `wbmpc.residuals` and a faster solver, or why they are not here.

The extension module is compiled when the package is installed. Without it everything
runs on the Python residuals, slower: choose with

    residuals = native if native.AVAILABLE else python_residuals

`SolverFDDP` takes the place of `crocoddyl.SolverFDDP`; `kernels()` names the variant of
its compiled kernels that this processor runs.

The residuals have the names, arguments and results of their Python twins. They read what
`crocoddyl.DifferentialActionModelContactFwdDynamics` has computed at a node and are
meant for it; the Python ones work in any action model with joint data.
"""

from __future__ import annotations

import importlib
from typing import Any

# Before the extension: it loads the libraries that the extension links to.
import crocoddyl  # noqa: F401

AVAILABLE: bool
"""Whether the extension module was built and loads."""

REASON: str
"""Why it is not available, one sentence; empty if it is."""

_CLASSES = (
    "ResidualModelAngularMomentumResponse",
    "ResidualModelCoMResponse",
    "ResidualModelFramePlacementResponse",
    "ResidualModelFrameRotationResponse",
    "ResidualModelJointResponse",
    "SolverFDDP",
)

_FUNCTIONS = ("kernels",)

try:
    _native = importlib.import_module("wbmpc.native._native")
except ModuleNotFoundError:
    AVAILABLE = False
    REASON = (
        "the native part of wbmpc is not built: it needs a C++17 compiler when the "
        "package is installed"
    )
except ImportError as error:
    AVAILABLE = False
    REASON = f"the native part of wbmpc does not load: {error}"
else:
    AVAILABLE, REASON = True, ""
    globals().update({name: getattr(_native, name) for name in (*_CLASSES, *_FUNCTIONS)})

__all__ = ["AVAILABLE", "REASON", *_CLASSES, *_FUNCTIONS]


def __getattr__(name: str) -> Any:
    """Say why something is missing."""
    if name in (*_CLASSES, *_FUNCTIONS):
        raise ImportError(REASON)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
