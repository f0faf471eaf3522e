"""A short contact problem, solved when run with `python -m`.

With a wrong pair of native wheels it crashes, so that it has a process of its own.
"""

from __future__ import annotations

from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin

from models import find_urdf, settings_path
from models.toml_file import read_toml

SOLVE_NODES = 5
SOLVE_ITERATIONS = 3


def solve_contact_problem() -> float:
    """Solve a short two-foot problem with stock Crocoddyl; returns its cost."""
    settings = read_toml(settings_path("alexander"))
    urdf = str(find_urdf("alexander"))
    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    x0 = np.concatenate([pin.neutral(model), np.zeros(model.nv)])
    dynamics = _standing_on_two_feet(model, settings)
    node = crocoddyl.IntegratedActionModelEuler(dynamics, 0.02)
    problem = crocoddyl.ShootingProblem(x0, [node] * SOLVE_NODES, node)
    solver = crocoddyl.SolverFDDP(problem)
    solver.solve([x0] * (SOLVE_NODES + 1), [], SOLVE_ITERATIONS, False)
    return float(solver.cost)


def _standing_on_two_feet(model: Any, settings: dict[str, Any]) -> Any:
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    contacts = crocoddyl.ContactModelMultiple(state, actuation.nu)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    for sole in (settings["left_sole"]["frame"], settings["right_sole"]["frame"]):
        frame = model.getFrameId(sole)
        placement, axes = data.oMf[frame], pin.LOCAL_WORLD_ALIGNED
        contact = crocoddyl.ContactModel6D(state, frame, placement, axes, actuation.nu)
        contacts.addContact(sole, contact)
    costs = crocoddyl.CostModelSum(state, actuation.nu)
    for name, residual in (
        ("state", crocoddyl.ResidualModelState(state, actuation.nu)),
        ("torque", crocoddyl.ResidualModelControl(state, actuation.nu)),
    ):
        costs.addCost(name, crocoddyl.CostModelResidual(state, residual), 1.0)
    return crocoddyl.DifferentialActionModelContactFwdDynamics(
        state, actuation, contacts, costs, 0.0, True
    )


if __name__ == "__main__":
    print(f"solved, cost {solve_contact_problem():.6g}")
