"""How much faster the native parts are than stock Crocoddyl, at one thread.

    python tests/wbmpc/native/bench_native.py [repetitions]

Both problems of the project's robot are timed alternately in one process, stage by
stage in the order of a solver iteration, so that every stage finds the caches as it
does in real use. The preparation is the first part of a solve, up to the gains; the
iteration is a solve of one iteration. CPU time, medians. Milliseconds depend on the
machine and its load, ratios much less.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

os.environ.setdefault("OMP_NUM_THREADS", "1")

import crocoddyl
import numpy as np
from numpy.typing import NDArray

from wbmpc import native
from wbmpc.ocp import build_ocp
from wbmpc.robot import Robot
from wbmpc.variant import STOCK

Array = NDArray[np.float64]

STAGES = ("calc", "calcDiff", "backward", "forward", "preparation", "iteration")
GOALS = {"calcDiff": 2.2, "backward": 2.0, "preparation": 2.0}
"""Least ratios of stock to native."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A solver that has converged, and where it has."""

    solver: crocoddyl.SolverFDDP
    xs: list[Array]
    us: list[Array]

    def stages(self) -> tuple[Callable[[], object], ...]:
        problem = self.solver.problem
        return (
            lambda: problem.calc(self.xs, self.us),
            lambda: problem.calcDiff(self.xs, self.us),
            self.solver.backwardPass,
            lambda: self.solver.forwardPass(1.0),
            lambda: self.solver.computeDirection(True),
            lambda: self.solve(1),
        )

    def solve(self, iterations: int) -> None:
        self.solver.solve(self.xs, self.us, iterations, False, 1e-6)

    def measure(self) -> Array:
        """CPU time of each stage, s."""
        times = []
        self.solve(0)  # the next derivatives are the first ones of a solve
        for stage in self.stages():
            start = time.process_time()
            stage()
            times.append(time.process_time() - start)
        return np.array(times)


def stock_action(
    *models: object,
) -> crocoddyl.DifferentialActionModelContactFwdDynamics:
    return crocoddyl.DifferentialActionModelContactFwdDynamics(*models, 0.0, True)


def contender(robot: Robot, make_action: Callable, make_solver: Callable) -> Contender:
    """Solve the project's problem from a push, on another kind of running node."""
    problem = build_ocp(robot, STOCK).problem
    node = problem.runningModels[0]
    action = node.differential
    running = crocoddyl.IntegratedActionModelEuler(
        make_action(action.state, action.actuation, action.contacts, action.costs),
        node.dt,
    )
    push = 0.1 * np.random.default_rng(0).standard_normal(robot.model.nv)
    x0 = np.concatenate([robot.home_q, push])
    problem = crocoddyl.ShootingProblem(
        x0, [running] * problem.T, problem.terminalModel
    )
    problem.nthreads = 1
    solver = make_solver(problem)
    xs = [x0] * (problem.T + 1)
    solver.solve(xs, problem.quasiStatic(xs[:-1]), 100, False, 1e-6)
    return Contender(solver=solver, xs=list(solver.xs), us=list(solver.us))


def largest_difference(ours: list[Array], reference: list[Array]) -> float:
    """Relative to the largest entry of each node's array."""
    return max(
        float(np.abs(a - b).max() / np.abs(b).max())
        for a, b in zip(map(np.array, ours), map(np.array, reference), strict=True)
    )


def compare(repetitions: int = 40) -> tuple[dict[str, float], dict[str, float]]:
    """Median times in ms of stock and of native, by stage."""
    robot = Robot.load("alexander")
    stock = contender(robot, stock_action, crocoddyl.SolverFDDP)
    ours = contender(robot, native.DifferentialActionModelFused, native.SolverFDDP)
    same = largest_difference(ours.solver.K, stock.solver.K)
    print(f"iterations {ours.solver.iter} and {stock.solver.iter}, gains to {same:.0e}")
    samples = [(stock.measure(), ours.measure()) for _ in range(repetitions + 3)]
    medians = 1e3 * np.median(samples[3:], axis=0)
    stock_ms, ours_ms = (
        dict(zip(STAGES, map(float, row), strict=True)) for row in medians
    )
    return stock_ms, ours_ms


def main() -> int:
    """Print the table; exit code 1 if a goal is missed."""
    if not native.AVAILABLE:
        print(native.REASON)
        return 1
    stock, ours = compare(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    load = os.getloadavg()[0]
    print(f"kernels {native.kernels()}, load {load:.1f} on {os.cpu_count()} cores")
    print(f"{'stage':>12} {'stock ms':>9} {'native ms':>9} {'ratio':>6} {'goal':>5}")
    missed = False
    for name, reference in stock.items():
        ratio = reference / ours[name]
        goal = GOALS.get(name)
        missed |= goal is not None and ratio < goal
        print(
            f"{name:>12} {reference:9.2f} {ours[name]:9.2f} {ratio:6.2f} "
            f"{'' if goal is None else goal:>5}"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
