"""The optimal control problem (8) of the paper, on Crocoddyl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.ocp.contact_gains import check_contact_gains
from wbmpc.ocp.cost import Cost
from wbmpc.ocp.items import CostItem, cost_sum, declare_costs
from wbmpc.ocp.scene import Scene
from wbmpc.ocp.target import Target
from wbmpc.ocp.variant import FASTEST, Variant
from wbmpc.robot import Robot


@dataclass(frozen=True, kw_only=True)
class OptimalControlProblem:
    """A shooting problem and the handles needed to change it while it runs.

    Attributes:
        problem: K running nodes, one terminal node.
        state: Multibody state; `state.pinocchio.inertias` may be changed in place.
        items: Declared cost items.
        nu: Joint torques.
        not_fused: Why the costs are not summed up the fast way; empty if they are.
    """

    problem: crocoddyl.ShootingProblem
    state: crocoddyl.StateMultibody
    items: tuple[CostItem, ...]
    nu: int
    not_fused: str = ""

    def set_target(self, target: Target) -> None:
        """Change the targets of all nodes."""
        for item in self.items:
            item.set_target(target)

    def set_inertia(self, joint: int, parameters: Array) -> None:
        """Change the body that a joint carries in the model of all nodes, in place.

        Args:
            joint: Index of the joint.
            parameters: (10,) [m, m c, I about the joint frame], Pinocchio's order.
        """
        model = self.state.pinocchio
        model.inertias[joint] = pin.Inertia.FromDynamicParameters(parameters)
        mass_kg = pin.computeTotalMass(model)
        for item in self.items:
            item.set_mass(mass_kg)

    def renewed(self) -> OptimalControlProblem:
        """The same models with fresh data: nothing of past solves is left in it."""
        old = self.problem
        nodes = list(old.runningModels)
        problem = _shooting(old.x0, nodes, old.terminalModel, old.nthreads)
        return replace(self, problem=problem)

    def cost_by_term(self) -> dict[str, float]:
        """Weighted cost of each term at the last evaluated trajectory."""
        nodes = [*self.problem.runningDatas, self.problem.terminalData]
        scales = [m.dt for m in self.problem.runningModels] + [1.0]
        totals = dict.fromkeys((item.term for item in self.items), 0.0)
        weights = {item.name: (item.term, item.weight) for item in self.items}
        for node, scale in zip(nodes, scales, strict=True):
            for entry in node.differential.costs.costs:
                term, weight = weights[entry.key()]
                totals[term] += scale * weight * entry.data().cost
        return totals


def build_ocp(
    robot: Robot,
    variant: Variant = FASTEST,
    more_terms: Mapping[str, Cost] | None = None,
) -> OptimalControlProblem:
    """Double support, two 6D contacts, contact forward dynamics, Euler.

    One running model serves every node, since references are uniform over the
    horizon. The terminal node has the same costs but those of forces, torques and
    accelerations, which do not exist there. Crocoddyl does not multiply it by the time
    step, so that it weighs as much as 1 / `node_dt_s` running nodes (section III-B: "no
    specific alterations to the terminal cost").

    Args:
        robot: Robot description, with the settings of the problem.
        variant: Which implementation of it.
        more_terms: Cost terms besides those of the settings, by name.

    Raises:
        UnknownNameError: `mpc.disabled` names a term that does not exist.
        SettingError: A term has the wrong number of rows, or the contacts' gains are
            unstable.
    """
    mpc = robot.settings.mpc
    check_contact_gains(mpc)
    # A copy: estimated inertias are written into it while the MPC runs.
    state = crocoddyl.StateMultibody(robot.model.copy())
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    scene = Scene.at_home(robot, state, actuation.nu, variant.residuals)
    items = declare_costs(scene, more_terms)
    contacts = _contacts(scene)
    models = (state, actuation, contacts)
    running, not_fused = variant.action(*models, cost_sum(state, actuation.nu, items))
    terminal_items = [item for item in items if not item.needs_forces]
    terminal, _ = variant.action(*models, cost_sum(state, actuation.nu, terminal_items))
    x0 = np.concatenate([robot.home_q, np.zeros(state.nv)])
    node = crocoddyl.IntegratedActionModelEuler(running, mpc.node_dt_s)
    last = crocoddyl.IntegratedActionModelEuler(terminal, 0.0)
    return OptimalControlProblem(
        problem=_shooting(x0, [node] * mpc.nodes, last, mpc.threads),
        state=state,
        items=items,
        nu=actuation.nu,
        not_fused=not_fused,
    )


def _shooting(
    x0: Array, nodes: list[Any], last: Any, threads: int
) -> crocoddyl.ShootingProblem:
    problem = crocoddyl.ShootingProblem(x0, nodes, last)
    # Crocoddyl would take two threads by itself, whatever OpenMP's environment says;
    # with a residual in Python it has one only, and warns of any number that is set.
    if problem.nthreads != threads:
        problem.nthreads = threads
    return problem


def _contacts(scene: Scene) -> crocoddyl.ContactModelMultiple:
    contacts = crocoddyl.ContactModelMultiple(scene.state, scene.nu)
    gains = np.array(scene.robot.settings.mpc.baumgarte)
    for name, placement in scene.soles.items():
        contact = crocoddyl.ContactModel6D(
            scene.state,
            scene.robot.frame_id(name),
            placement,
            pin.LOCAL_WORLD_ALIGNED,
            scene.nu,
            gains,
        )
        contacts.addContact(name, contact)
    return contacts
