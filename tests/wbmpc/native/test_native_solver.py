"""The native solver walks the path of Crocoddyl's, structured pass or not."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import crocoddyl
import numpy as np
import pinocchio as pin
import pytest
from native_scenes import STANCES, Scene

from models.arrays import Array
from wbmpc import native

if not native.AVAILABLE:
    pytest.skip(native.REASON, allow_module_level=True)


TOLERANCE = 1e-10
MATRICES = ("K", "k", "Vxx", "Vx", "Qxx", "Qxu", "Quu", "Qx", "Qu")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A shooting problem and a first guess."""

    problem: crocoddyl.ShootingProblem
    xs: list[Array]
    us: list[Array]


def make_case(
    stance: str, seed: int, nodes: int = 8, integrator: type | None = None
) -> Case:
    """Native residuals and regularizing costs; the guess has gaps everywhere."""
    scene = Scene(STANCES[stance](), {"native": native}, seed, False)
    for name, residual, weight in (
        ("state", crocoddyl.ResidualModelState(scene.state, scene.nu), 1.0),
        ("control", crocoddyl.ResidualModelControl(scene.state, scene.nu), 1e-2),
    ):
        cost = crocoddyl.CostModelResidual(scene.state, residual)
        scene.action.costs.addCost(name, cost, weight)
    make = integrator or crocoddyl.IntegratedActionModelEuler
    running, terminal = make(scene.action, 0.02), make(scene.action, 0.0)
    points = [scene.random_point() for _ in range(nodes + 1)]
    xs = [x for x, _ in points]
    problem = crocoddyl.ShootingProblem(xs[0], [running] * nodes, terminal)
    problem.nthreads = 1
    return Case(problem=problem, xs=xs, us=[u for _, u in points[:nodes]])


def solve(solver: crocoddyl.SolverFDDP, case: Case, iterations: int) -> None:
    solver.solve(case.xs, case.us, iterations, False, 1e-3)


def relative_difference(ours: Array, reference: Array) -> float:
    return float(np.abs(ours - reference).max() / np.abs(reference).max())


def assert_same_backward_pass(
    ours: crocoddyl.SolverFDDP, reference: crocoddyl.SolverFDDP, tolerance: float
) -> None:
    for name in MATRICES:
        pairs = zip(getattr(ours, name), getattr(reference, name), strict=True)
        for node, (a, b) in enumerate(pairs):
            error = relative_difference(np.array(a), np.array(b))
            assert error < tolerance, f"{name} of node {node}: {error:.1e}"


@pytest.mark.parametrize("stance", STANCES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("feasible", [False, True])
def test_backward_pass_equals_crocoddyl(stance: str, seed: int, feasible: bool) -> None:
    """Gains, value function and Hamiltonian, with gaps and without."""
    case = make_case(stance, seed)
    solvers = native.SolverFDDP(case.problem), crocoddyl.SolverFDDP(case.problem)
    for solver in solvers:
        solver.setCandidate(case.xs, case.us, feasible)
        solver.preg = 1e-3
        solver.calcDiff()
        solver.backwardPass()
    assert solvers[0].structured
    assert_same_backward_pass(*solvers, TOLERANCE)


def test_same_iterates() -> None:
    """Through line search and changes of the regularization."""
    case = make_case("alexander", 1)
    ours, reference = (
        make(case.problem) for make in (native.SolverFDDP, crocoddyl.SolverFDDP)
    )
    for iterations in range(1, 8):
        for solver in (ours, reference):
            solve(solver, case, iterations)
        assert ours.iter == reference.iter
        assert ours.stepLength == reference.stepLength
        assert ours.preg == reference.preg
        assert ours.cost == pytest.approx(reference.cost, rel=1e-8)
        assert relative_difference(np.array(ours.xs), np.array(reference.xs)) < 1e-8
        assert relative_difference(np.array(ours.us), np.array(reference.us)) < 1e-7


def test_other_integrators_take_crocoddyls_own_pass() -> None:
    def rk(action: object, dt_s: float) -> crocoddyl.IntegratedActionModelRK:
        return crocoddyl.IntegratedActionModelRK(action, crocoddyl.RKType.two, dt_s)

    case = make_case("alexander", 0, nodes=2, integrator=rk)
    solvers = native.SolverFDDP(case.problem), crocoddyl.SolverFDDP(case.problem)
    for solver in solvers:
        solve(solver, case, 1)
    assert not solvers[0].structured
    np.testing.assert_array_equal(solvers[0].K[0], solvers[1].K[0])


def test_indefinite_hessian_raises_the_regularization() -> None:
    """As in Crocoddyl: the pass fails, and solve() tries again with more."""
    case = make_case("alexander", 2, nodes=3)
    running = case.problem.runningModels[0].differential
    running.costs.costs["control"].weight = -1e3
    solvers = native.SolverFDDP(case.problem), crocoddyl.SolverFDDP(case.problem)
    for solver in solvers:
        solver.setCandidate(case.xs, case.us, False)
        solver.preg = 1e-9
        solver.calcDiff()
        with pytest.raises(Exception, match="backward_error"):
            solver.backwardPass()
        solve(solver, case, 1)
    assert solvers[0].preg == solvers[1].preg > 1e-3


def test_not_a_number_is_reported() -> None:
    case = make_case("alexander", 2, nodes=3)
    solver = native.SolverFDDP(case.problem)
    solver.setCandidate([x * np.nan for x in case.xs], case.us, False)
    solver.calcDiff()
    with pytest.raises(Exception, match="backward_error"):
        solver.backwardPass()


def test_times_of_the_stages() -> None:
    """Start anew with every solve; one forward pass per trial of the line search."""
    case = make_case("alexander", 1)
    solver = native.SolverFDDP(case.problem)
    solve(solver, case, 3)
    times = solver.calc_s, solver.calc_diff_s, solver.backward_s, solver.forward_s
    assert min(times) > 0.0
    assert solver.trials >= solver.iter
    trials = solver.trials
    solve(solver, case, 3)
    assert solver.trials == trials


def run(code: str, **environment: str) -> str:
    """Output of a program in a process of its own, which must end with exit code 0."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    return done.stdout


def test_threads_do_not_matter() -> None:
    """In a process of its own: a residual written in Python would forbid threads."""
    output = run("""
        import numpy as np
        from test_native_solver import make_case, native, solve
        gains = []
        for threads in (1, 2):
            case = make_case("alexander", 1)
            case.problem.nthreads = threads
            assert case.problem.nthreads == threads
            solver = native.SolverFDDP(case.problem)
            solve(solver, case, 3)
            assert solver.calc_s > 0.0 and solver.calc_diff_s > 0.0
            gains.append(np.array(solver.K))
        print(np.array_equal(*gains))
    """)
    assert output.strip() == "True"


GAINS = """
    import numpy as np
    from test_native_solver import make_case, native, solve
    case = make_case("sample_humanoid", 3, nodes=3)
    solver = native.SolverFDDP(case.problem)
    solve(solver, case, 2)
    print(native.kernels(), *np.ravel(solver.K[0])[:50])
"""


def test_every_variant_of_the_kernels() -> None:
    """The generic one always runs; what the processor offers agrees with it."""
    name, *generic = run(GAINS, WBMPC_KERNELS="generic").split()
    assert name == "generic"
    name, *chosen = run(GAINS).split()
    assert name == native.kernels()
    np.testing.assert_allclose(
        np.array(chosen, dtype=float), np.array(generic, dtype=float), rtol=1e-7
    )


def test_free_flyer_structure_is_required() -> None:
    """A fixed-base arm is solved too, by Crocoddyl's own pass."""
    state = crocoddyl.StateMultibody(pin.buildSampleModelManipulator())
    actuation = crocoddyl.ActuationModelFull(state)
    costs = crocoddyl.CostModelSum(state, actuation.nu)
    for name, residual in (
        ("state", crocoddyl.ResidualModelState(state, actuation.nu)),
        ("control", crocoddyl.ResidualModelControl(state, actuation.nu)),
    ):
        costs.addCost(name, crocoddyl.CostModelResidual(state, residual), 1.0)
    action = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
    node = crocoddyl.IntegratedActionModelEuler(action, 0.01)
    x0 = 0.3 * np.ones(state.nx)
    solver = native.SolverFDDP(crocoddyl.ShootingProblem(x0, [node] * 3, node))
    solver.solve([x0] * 4, [np.zeros(actuation.nu)] * 3, 1)
    assert not solver.structured
    assert np.isfinite(solver.cost)
