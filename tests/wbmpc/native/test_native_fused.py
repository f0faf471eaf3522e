"""The fused action model equals Crocoddyl's on the same models."""

from __future__ import annotations

from types import ModuleType

import crocoddyl
import numpy as np
import pinocchio as pin
import pytest
from fused_scenes import COST_LISTS, Twins
from native_scenes import STANCES
from test_native_solver import run

from wbmpc import native, residuals
from wbmpc.ocp.items import cost_sum, declare_costs
from wbmpc.ocp.scene import Scene
from wbmpc.robot import Robot

if not native.AVAILABLE:
    pytest.skip(native.REASON, allow_module_level=True)

TOLERANCE = 1e-10
RESULTS = ("xout", "cost", "Fx", "Fu", "Lx", "Lu", "Lxx", "Lxu", "Luu")


def assert_equal(twins: Twins, *names: str) -> None:
    for name, difference in twins.differences(*(names or RESULTS)).items():
        assert difference < TOLERANCE, f"{name}: relative difference {difference:.1e}"


@pytest.mark.parametrize("costs", COST_LISTS)
@pytest.mark.parametrize("stance", STANCES)
@pytest.mark.parametrize("seed", range(3))
def test_equals_crocoddyl(costs: str, stance: str, seed: int) -> None:
    twins = Twins(STANCES[stance](), costs, seed)
    for _ in range(2):
        twins.evaluate(*twins.random_point())
        assert_equal(twins)


@pytest.mark.parametrize("stance", STANCES)
def test_some_rows_of_the_cones_are_active(stance: str) -> None:
    """Otherwise the test above would say nothing about them."""
    twins = Twins(STANCES[stance](), "forces", 0)
    twins.evaluate(*twins.random_point())
    for name, cost in twins.data["stock"].costs.costs.todict().items():
        if name.startswith("cone"):
            active = np.diag(np.array(cost.activation.Arr))
            assert 0 < np.count_nonzero(active) < len(active)


def test_every_term_is_readable_by_name() -> None:
    """Value and residual of each, and the wrench of each foot."""
    twins = Twins(STANCES["alexander"](), "all", 1)
    twins.evaluate(*twins.random_point())
    ours, reference = (twins.data[label] for label in ("fused", "stock"))
    assert ours.costs.costs.todict().keys() == twins.residuals.keys()
    for name, expected in reference.costs.costs.todict().items():
        cost = ours.costs.costs[name]
        assert cost.cost == pytest.approx(expected.cost, rel=1e-10)
        np.testing.assert_allclose(cost.residual.r, expected.residual.r, rtol=1e-8)
    total = sum(
        twins.costs.costs[name].weight * cost.cost
        for name, cost in ours.costs.costs.todict().items()
    )
    assert ours.cost == pytest.approx(total, rel=1e-12)
    for name in twins.body.stance.feet:
        wrench = ours.multibody.contacts.contacts[name].f.vector
        expected = reference.multibody.contacts.contacts[name].f.vector
        np.testing.assert_allclose(wrench, expected, rtol=1e-8)


def test_terminal_node() -> None:
    """On fresh data: at a terminal node Crocoddyl's acceleration cost would read
    Jacobians left there by a running one.
    """
    twins = Twins(STANCES["alexander"](), "responses", 2)
    for terminal in (True, False):
        x, u = twins.random_point()
        twins.evaluate(x, None if terminal else u)
        assert_equal(twins, *(("cost", "Lx", "Lxx") if terminal else RESULTS))


def changed(twins: Twins) -> bool:
    """Whether the cost's gradient is another one than at the last point."""
    before = np.array(twins.data["fused"].Lx)
    twins.evaluate(*twins.point)  # type: ignore[attr-defined]
    assert_equal(twins)
    return not np.allclose(before, twins.data["fused"].Lx, rtol=1e-6)


@pytest.fixture
def twins() -> Twins:
    """All residuals, evaluated at `point`."""
    twins = Twins(STANCES["alexander"](), "all", 3)
    twins.point = twins.random_point()  # type: ignore[attr-defined]
    twins.evaluate(*twins.point)  # type: ignore[attr-defined]
    return twins


def test_inertia_changed_in_place(twins: Twins) -> None:
    model = twins.body.state.pinocchio
    model.inertias[model.njoints - 1] = pin.Inertia.Random()
    assert changed(twins)


def test_references_changed(twins: Twins) -> None:
    rows = twins.residuals
    rows["com"].set_reference(np.array([1.0, -2.0, 3.0]))
    assert changed(twins)
    foot = twins.body.feet[0]
    rows[f"wrench/{foot}"].reference = pin.Force(np.array([0, 0, 300.0, 0, 0, 0]))
    assert changed(twins)
    rows["state"].reference = twins.random_point()[0]
    assert changed(twins)


def test_weights_changed(twins: Twins) -> None:
    twins.costs.costs["angular"].weight *= 7.0
    assert changed(twins)
    twins.costs.costs["acceleration"].cost.activation.weights = np.full(27, 3.0)
    # Crocoddyl hands new weights to the first data that asks; both kinds do.
    for label in twins.models:
        twins.data[label] = twins.models[label].createData()
    twins.evaluate(*twins.point)  # type: ignore[attr-defined]
    assert_equal(twins)


@pytest.mark.parametrize("name", ["upper", "com", "state", "control", "acceleration"])
def test_cost_switched_off_and_on(twins: Twins, name: str) -> None:
    gradient = np.array(twins.data["fused"].Lx)
    twins.costs.changeCostStatus(name, False)
    changed(twins)
    twins.costs.changeCostStatus(name, True)
    changed(twins)
    np.testing.assert_array_equal(twins.data["fused"].Lx, gradient)


@pytest.mark.parametrize("place", [0, 1])
def test_contact_switched_off(twins: Twins, place: int) -> None:
    """The foot in the air carries nothing, the other one everything."""
    twins.contacts.changeContactStatus(twins.body.stance.feet[place], False)
    assert changed(twins)
    names = sorted(twins.body.stance.feet)
    in_air = twins.body.stance.feet[place]
    contacts = twins.data["fused"].multibody.contacts.contacts
    assert not contacts[in_air].f.vector.any()
    assert contacts[names[1 - names.index(in_air)]].f.vector.any()


def test_damping_and_armature() -> None:
    twins = Twins(STANCES["alexander"](), "all", 4)
    armature = np.linspace(0.0, 0.3, twins.body.state.nv)
    for model in twins.models.values():
        model.armature = armature
        model.JMinvJt_damping = 1e-3
    twins.evaluate(*twins.random_point())
    assert_equal(twins)


def test_other_kinds_of_contact() -> None:
    """Point feet: the wrench's fast way is not for them."""
    stance = STANCES["sample_humanoid"]()
    twins = Twins(stance, "responses", 5)
    body = twins.body
    contacts = crocoddyl.ContactModelMultiple(body.state, body.nu)
    costs = crocoddyl.CostModelSum(body.state, body.nu)
    for name, frame in zip(stance.feet, body.feet, strict=True):
        contact = crocoddyl.ContactModel3D(
            body.state, frame, np.zeros(3), pin.LOCAL, body.nu, np.ones(2)
        )
        contacts.addContact(name, contact)
        force = crocoddyl.ResidualModelContactForce(
            body.state, frame, pin.Force.Random(), 3, body.nu
        )
        costs.addCost(name, crocoddyl.CostModelResidual(body.state, force), 2.0)
    arguments = (body.state, body.actuation, contacts, costs)
    twins.models["fused"] = native.DifferentialActionModelFused(*arguments)
    twins.models["stock"] = crocoddyl.DifferentialActionModelContactFwdDynamics(
        *arguments, 0.0, True
    )
    for label, model in twins.models.items():
        twins.data[label] = model.createData()
    twins.evaluate(*twins.random_point())
    assert_equal(twins)


class ZeroResidual(crocoddyl.ResidualModelAbstract):
    """A researcher's residual."""

    def calc(self, data: object, x: object, u: object = None) -> None: ...

    def calcDiff(self, data: object, x: object, u: object = None) -> None: ...


def test_python_residuals_are_refused_with_a_reason(twins: Twins) -> None:
    body = twins.body
    costs = crocoddyl.CostModelSum(body.state, body.nu)
    residual = ZeroResidual(body.state, 1, body.nu, True, True, True)
    costs.addCost("mine", crocoddyl.CostModelResidual(body.state, residual), 1.0)
    agrees, reason = native.fusable(body.state, body.actuation, costs)
    assert not agrees
    assert reason == "the residual of cost 'mine' is written in Python"
    with pytest.raises(ValueError, match="'mine' is written in Python"):
        native.DifferentialActionModelFused(
            body.state, body.actuation, twins.contacts, costs
        )


def test_other_robots_and_actuations_are_refused(twins: Twins) -> None:
    arm = crocoddyl.StateMultibody(pin.buildSampleModelManipulator())
    full = crocoddyl.ActuationModelFull(arm)
    agrees, reason = native.fusable(arm, full, crocoddyl.CostModelSum(arm, full.nu))
    assert not agrees
    assert "free-flyer" in reason
    full = crocoddyl.ActuationModelFull(twins.body.state)
    agrees, reason = native.fusable(twins.body.state, full, twins.costs)
    assert not agrees
    assert "ActuationModelFloatingBase" in reason


@pytest.mark.parametrize("module", [native, residuals])
def test_costs_of_the_project(module: ModuleType) -> None:
    """Compiled residuals are fusable, the Python ones are not."""
    robot = Robot.load("alexander")
    state = crocoddyl.StateMultibody(robot.model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    items = declare_costs(Scene.at_home(robot, state, actuation.nu, module))
    costs = cost_sum(state, actuation.nu, items)
    agrees, reason = native.fusable(state, actuation, costs)
    assert agrees == (module is native)
    assert (reason == "") == agrees


def test_threads_and_clean_exit() -> None:
    """Bits do not depend on the threads; the process ends with code 0."""
    output = run("""
        import crocoddyl
        import numpy as np
        from fused_scenes import Twins
        from native_scenes import STANCES
        from wbmpc import native
        for stance in STANCES.values():
            twins = Twins(stance(), "with_others", 0)
            node = crocoddyl.IntegratedActionModelEuler(twins.models["fused"], 0.02)
            xs, us = zip(*(twins.random_point() for _ in range(9)))
            problem = crocoddyl.ShootingProblem(xs[0], [node] * 8, node)
            hessians = []
            for threads in (1, 2):
                problem.nthreads = threads
                problem.calc(list(xs), list(us[:8]))
                problem.calcDiff(list(xs), list(us[:8]))
                hessians.append([np.array(d.Lxx) for d in problem.runningDatas])
            assert problem.nthreads == 2
            solver = native.SolverFDDP(problem)
            solver.solve(list(xs), list(us[:8]), 3)
            print(np.array_equal(*hessians))
    """)
    assert output.split() == ["True", "True"]
