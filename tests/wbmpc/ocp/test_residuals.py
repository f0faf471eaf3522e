"""Every cost item: value and derivatives against finite differences."""

from __future__ import annotations

import subprocess
import sys

import crocoddyl
import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

from wbmpc.ocp.cost import Cost, Part, weighted_quad
from wbmpc.ocp.problem import OptimalControlProblem, build_ocp
from wbmpc.ocp.scene import Scene
from wbmpc.ocp.terms import find_terms
from wbmpc.ocp.variant import STOCK
from wbmpc.residuals.base import ResponseResidual
from wbmpc.robot import Robot
from wbmpc.settings import load_settings

Array = NDArray[np.float64]
TERMS = find_terms()
STEP = 1e-6
SEEDS = (0, 1, 2)


class SineOfJoint(ResponseResidual):
    """r = 3 sin(q) + 2 v + a of the first joint: one row, as a user may write it."""

    def _value(self, data: object, q: Array, v: Array, a: Array | None) -> Array:
        del data
        return 3.0 * np.sin(q[7:8]) + 2.0 * v[6:7] + (0.0 if a is None else a[6:7])

    def _derivatives(
        self, data: object, q: Array, v: Array, a: Array | None
    ) -> tuple[Array, Array, Array]:
        del data, v, a
        row = np.eye(self.model.nv)[6:7]
        return 3.0 * np.cos(q[7]) * row, 2.0 * row, row


class OneRow(Cost, frozen=True, kw_only=True):
    """A term of one row."""

    def build(self, scene: Scene) -> list[Part]:
        residual = SineOfJoint(scene.state, 1, scene.nu, scene.literal)
        return [Part(residual=residual, activation=weighted_quad(np.ones(1)))]


OURS = {"one_row": OneRow(weight=1.0)}
COSTS = load_settings("alexander").mpc.costs
SWITCHED_ON = tuple(
    f"mpc.costs.{term}.weight=1.0" for term in TERMS if not getattr(COSTS, term).weight
)
"""A term that no shipped robot uses has derivatives as well."""


@pytest.fixture(scope="module", params=[False, True], ids=["response", "literal"])
def ocp(request: pytest.FixtureRequest) -> OptimalControlProblem:
    literal = str(request.param).lower()
    asked = (f"mpc.literal_responses={literal}", *SWITCHED_ON)
    # The fused node has no Jacobians of single items.
    return build_ocp(Robot.load("alexander", asked), STOCK, OURS)


def random_point(ocp: OptimalControlProblem, seed: int) -> tuple[Array, Array]:
    """A state off home, moving, and torques; feet carry forces."""
    rng = np.random.default_rng(seed)
    x = ocp.state.integrate(ocp.problem.x0, 0.2 * rng.normal(size=ocp.state.ndx))
    return x, 30.0 * rng.normal(size=ocp.nu)


def node_of(ocp: OptimalControlProblem) -> tuple:
    model = ocp.problem.runningModels[0].differential
    return model, model.createData()


def residual(data, name: str) -> Array:  # noqa: ANN001
    return np.array(data.costs.costs[name].residual.r)


ITEM_NAMES = [
    item.name
    for item in build_ocp(Robot.load("alexander", SWITCHED_ON), more_terms=OURS).items
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ITEM_NAMES)
def test_derivatives_match_finite_differences(
    ocp: OptimalControlProblem, name: str, seed: int
) -> None:
    model, data = node_of(ocp)
    x, u = random_point(ocp, seed)
    model.calc(data, x, u)
    model.calcDiff(data, x, u)
    entry = data.costs.costs[name].residual
    analytic = np.atleast_2d(np.hstack([entry.Rx, entry.Ru]))

    def shifted(direction: Array, sign: float) -> Array:
        dx, du = direction[: ocp.state.ndx], direction[ocp.state.ndx :]
        scratch = model.createData()
        model.calc(scratch, ocp.state.integrate(x, sign * dx), u + sign * du)
        return residual(scratch, name)

    numeric = np.column_stack(
        [
            (shifted(STEP * e, 1.0) - shifted(STEP * e, -1.0)) / (2 * STEP)
            for e in np.eye(ocp.state.ndx + ocp.nu)
        ]
    )
    scale = max(1.0, np.abs(numeric).max())
    np.testing.assert_allclose(analytic / scale, numeric / scale, atol=2e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_terminal_derivatives_match_finite_differences(
    ocp: OptimalControlProblem, seed: int
) -> None:
    model = ocp.problem.terminalModel.differential
    x, _ = random_point(ocp, seed)
    data = model.createData()
    model.calc(data, x)
    model.calcDiff(data, x)
    for item in ocp.items:
        if item.needs_forces:
            continue
        columns = []
        for e in np.eye(ocp.state.ndx):
            plus, minus = model.createData(), model.createData()
            model.calc(plus, ocp.state.integrate(x, STEP * e))
            model.calc(minus, ocp.state.integrate(x, -STEP * e))
            difference = residual(plus, item.name) - residual(minus, item.name)
            columns.append(difference / (2 * STEP))
        numeric = np.column_stack(columns)
        analytic = np.atleast_2d(data.costs.costs[item.name].residual.Rx)
        scale = max(1.0, np.abs(numeric).max())
        np.testing.assert_allclose(
            analytic / scale, numeric / scale, atol=2e-7, err_msg=item.name
        )


def contact_rates(
    ocp: OptimalControlProblem, x: Array, u: Array
) -> tuple[Array, Array, Array]:
    """Rates of centre of mass and momentum by the forces on the feet."""
    model, data = node_of(ocp)
    model.calc(data, x, u)
    q = x[: ocp.state.nq]
    pinocchio_model = ocp.state.pinocchio
    work = pinocchio_model.createData()
    com = pin.centerOfMass(pinocchio_model, work, q)
    pin.framesForwardKinematics(pinocchio_model, work, q)
    force, moment = np.zeros(3), np.zeros(3)
    for entry in data.multibody.contacts.contacts:
        foot = work.oMf[pinocchio_model.getFrameId(entry.key())].translation
        wrench = entry.data().f
        force += wrench.linear
        moment += wrench.angular + np.cross(foot - com, wrench.linear)
    mass = pin.computeTotalMass(pinocchio_model)
    return force / mass + pinocchio_model.gravity.linear, moment, np.array(data.xout)


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_rates_agree_with_contact_forces(robot: Robot, seed: int) -> None:
    """Two routes to one answer: centroidal dynamics and the forces on the feet."""
    ocp = build_ocp(robot)
    x, u = random_point(ocp, seed)
    acceleration, momentum_rate, vdot = contact_rates(ocp, x, u)
    q, v = x[: ocp.state.nq], x[ocp.state.nq :]
    work = ocp.state.pinocchio.createData()
    pin.centerOfMass(ocp.state.pinocchio, work, q, v, vdot)
    np.testing.assert_allclose(work.acom[0], acceleration, atol=1e-9)
    pin.computeCentroidalMomentumTimeVariation(ocp.state.pinocchio, work, q, v, vdot)
    np.testing.assert_allclose(work.dhg.angular, momentum_rate, atol=1e-8)


def test_all_eleven_terms_of_table_one_are_there(robot: Robot) -> None:
    ocp = build_ocp(robot)
    of_table = {name for name, kind in TERMS.items() if kind.table_row <= 11}
    weighted = {name for name in TERMS if getattr(COSTS, name).weight}
    assert len(of_table) == 11 and of_table <= weighted
    assert {item.term for item in ocp.items} == weighted


def test_forces_are_left_out_of_the_terminal_node(robot: Robot) -> None:
    ocp = build_ocp(robot)
    names = {e.key() for e in ocp.problem.terminalModel.differential.costs.costs}
    assert not any(n.startswith(("wrench", "center_of_pressure")) for n in names)


def test_literal_reading_leaves_the_acceleration_out(robot: Robot) -> None:
    literal = build_ocp(Robot.load("alexander", ("mpc.literal_responses=true",)))
    x, u = random_point(literal, 0)
    values = []
    for ocp in (literal, build_ocp(robot)):
        model, data = node_of(ocp)
        model.calc(data, x, u)
        values.append(residual(data, "center_of_mass"))
        vdot = np.array(data.xout)
    work = literal.state.pinocchio.createData()
    q, v = x[: literal.state.nq], x[literal.state.nq :]
    pin.centerOfMass(literal.state.pinocchio, work, q, v, vdot)
    np.testing.assert_allclose(values[1] - values[0], work.acom[0], atol=1e-9)


@pytest.mark.parametrize("term", TERMS)
def test_a_disabled_term_is_gone(term: str) -> None:
    ocp = build_ocp(Robot.load("alexander", (f'mpc.disabled=["{term}"]',)))
    assert term not in {item.term for item in ocp.items}


def test_a_cost_of_unit_residual_is_half_its_weight(robot: Robot) -> None:
    """The weight multiplies 1/2 r^T W r, Crocoddyl's convention."""
    ocp = build_ocp(robot)
    item = next(i for i in ocp.items if i.term == "torque")
    data = item.activation.createData()
    item.activation.calc(data, np.ones(ocp.nu))
    assert isinstance(item.activation, crocoddyl.ActivationModelWeightedQuad)
    assert data.a_value == pytest.approx(0.5 * np.sum(item.activation.weights))


MISTAKEN = """
import numpy as np
from wbmpc import Robot, WholeBodyMpc
from wbmpc.ocp.cost import Cost, Part, weighted_quad
from wbmpc.residuals.base import ResponseResidual

class Mistaken(ResponseResidual):
    def _value(self, data, q, v, a):
        raise ValueError("left out a sign")

class Term(Cost, frozen=True, kw_only=True):
    def build(self, scene):
        residual = Mistaken(scene.state, 1, scene.nu, scene.literal)
        return [Part(residual=residual, activation=weighted_quad(np.ones(1)))]

WholeBodyMpc(Robot.load("alexander"), more_terms={"mine": Term(weight=1.0)})
"""


def test_a_mistake_in_a_residual_is_told_where_native_code_ends_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MISTAKEN], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "in _value" in done.stderr
    assert "ValueError: left out a sign" in done.stderr
