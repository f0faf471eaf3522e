"""Which implementation of one and the same optimal control problem is used.

Every variant has the same costs, the same solution and the same iterates; they differ
in speed. This is the only place that asks what the compiled part offers.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import crocoddyl

from wbmpc import native
from wbmpc import residuals as python_residuals


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to build and solve the problem.

    Attributes:
        name: For reports.
        residuals: Module of the response residuals.
        solver: Solver class with the interface of `crocoddyl.SolverFDDP`.
        fused: Sum up all costs of a node in one product, where that is possible.
    """

    name: str
    residuals: ModuleType
    solver: Any
    fused: bool = False

    def action(
        self,
        state: crocoddyl.StateMultibody,
        actuation: crocoddyl.ActuationModelFloatingBase,
        contacts: crocoddyl.ContactModelMultiple,
        costs: crocoddyl.CostModelSum,
    ) -> tuple[Any, str]:
        """Contact forward dynamics with costs.

        Returns:
            The action model, and why it is not fused although it should be.
        """
        reason = ""
        if self.fused:
            agrees, reason = native.fusable(state, actuation, costs)
            if agrees:
                models = (state, actuation, contacts, costs)
                return native.DifferentialActionModelFused(*models), ""
        stock = crocoddyl.DifferentialActionModelContactFwdDynamics(
            state, actuation, contacts, costs, 0.0, True
        )
        return stock, reason


PYTHON = Variant(name="python", residuals=python_residuals, solver=crocoddyl.SolverFDDP)
"""Residuals written in Python: the specification, and what runs without compiler."""

STOCK = Variant(
    name="stock",
    residuals=native if native.AVAILABLE else python_residuals,
    solver=crocoddyl.SolverFDDP,
)
"""One Crocoddyl cost an item and Crocoddyl's own solver."""

FASTEST = Variant(
    name="fastest",
    residuals=STOCK.residuals,
    solver=native.SolverFDDP if native.AVAILABLE else crocoddyl.SolverFDDP,
    fused=True,
)
"""Whatever is compiled; the default."""


def kernel_name() -> str:
    """Variant of the compiled kernels this processor runs."""
    return str(native.kernels()) if native.AVAILABLE else "none: " + native.REASON


def stage_times_ms(solver: Any) -> dict[str, float]:
    """Duration of each stage of the last solve; empty if the solver has no clock."""
    if not hasattr(solver, "calc_diff_s"):
        return {}
    return {
        "calc": 1e3 * solver.calc_s,
        "calc_diff": 1e3 * solver.calc_diff_s,
        "backward": 1e3 * solver.backward_s,
        "forward": 1e3 * solver.forward_s,
    }


def line_search_trials(solver: Any) -> int | None:
    """Forward passes of the last solve; None if the solver does not count them."""
    trials = getattr(solver, "trials", None)
    return None if trials is None else int(trials)
