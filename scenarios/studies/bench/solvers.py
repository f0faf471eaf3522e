"""One iteration of the MPC in several implementations, timed in turns.

Runs as a child process, `python -m scenarios.studies.bench.solvers` with a request in
JSON: once a Crocoddyl model written in Python exists in a process, threads are off in
all of it, and a native library that does not fit crashes only on the way out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from models.arrays import Array
from wbmpc.errors import InstallError

STAGES = ("calc", "calc_diff", "backward", "forward", "iteration", "tick")
SQP = "mim_solvers"
DISTURBANCE_RAD_PER_S = 0.02
"""Standard deviation of the joint velocities every measurement starts from."""
CHILD_TIMEOUT_S = 600.0


class Contender(Protocol):
    """Something whose stages can be timed; a stage it does not have is missing."""

    def stages(self, x: Array) -> dict[str, Callable[[], object]]:
        """Actions in the order of a solver iteration, from a state."""
        ...


class VariantContender:
    """Crocoddyl's problem and solver in one of our variants."""

    def __init__(self, robot: Any, variant: Any) -> None:
        """Build and converge."""
        from wbmpc.control.mpc import WholeBodyMpc
        from wbmpc.reference import home_reference

        self._mpc = WholeBodyMpc(robot, variant)
        self._reference = home_reference(robot)
        self._nq = robot.model.nq

    def stages(self, x: Array) -> dict[str, Callable[[], object]]:
        """The stages one by one, then an iteration, then a tick of the MPC."""
        solver, problem = self._mpc.solver, self._mpc.ocp.problem
        problem.x0 = x
        xs, us = [x, *list(solver.xs)[1:]], list(solver.us)
        solver.setCandidate(xs, us, False)
        q, v = x[: self._nq], x[self._nq :]
        return {
            "calc": lambda: problem.calc(xs, us),
            "calc_diff": lambda: problem.calcDiff(xs, us),
            "backward": solver.backwardPass,
            "forward": lambda: solver.forwardPass(1.0),
            "iteration": lambda: solver.solve(xs, us, 1, False, 1e-9),
            "tick": lambda: self._mpc.solve(0.0, q, v, self._reference),
        }


class SqpContender:
    """mim_solvers' SQP on the stock problem."""

    def __init__(self, robot: Any) -> None:
        """Build and converge.

        Raises:
            ImportError: mim_solvers is not installed.
        """
        import mim_solvers

        from wbmpc.control.mpc import WholeBodyMpc
        from wbmpc.ocp.variant import STOCK

        mpc = WholeBodyMpc(robot, STOCK)
        self._problem, self._start = mpc.ocp.problem, mpc.solver
        self._mpc = mpc
        self._solver = mim_solvers.SolverSQP(self._problem)

    def stages(self, x: Array) -> dict[str, Callable[[], object]]:
        """An iteration."""
        self._problem.x0 = x
        xs, us = [x, *list(self._start.xs)[1:]], list(self._start.us)
        return {"iteration": lambda: self._solver.solve(xs, us, 1, False)}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Measurement that a child is asked for.

    Attributes:
        names: Contenders, names of variants or `SQP`.
        repeats: Measurements of each.
        robot: Name or settings file.
        overrides: Changes of its settings.
    """

    names: tuple[str, ...]
    repeats: int
    robot: str
    overrides: tuple[str, ...] = ()


def measure_in_child(request: Request) -> dict[str, dict[str, float]]:
    """Median CPU time in ms by contender and stage; a missing contender is left out.

    Raises:
        InstallError: The child did not end cleanly.
    """
    here = str(Path(__file__).resolve().parents[3])
    paths = filter(None, (here, os.environ.get("PYTHONPATH", "")))
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }
    asked = msgspec.json.encode(request).decode()
    done = subprocess.run(
        [sys.executable, "-m", "scenarios.studies.bench.solvers", asked],
        capture_output=True,
        text=True,
        timeout=CHILD_TIMEOUT_S,
        env=environment,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise InstallError(
            f"the bench of {', '.join(request.names)} ended with exit code "
            f"{done.returncode}: {last}"
        )
    result: dict[str, dict[str, float]] = json.loads(done.stdout)
    return result


def measure(request: Request) -> dict[str, dict[str, float]]:
    """Time contenders in turns, at one thread, from the same disturbed states."""
    from wbmpc.robot import Robot

    robot = Robot.load(request.robot, (*request.overrides, "mpc.threads=1"))
    contenders = _build(request.names, robot)
    times: dict[str, dict[str, list[float]]] = {name: {} for name in contenders}
    rng = np.random.default_rng(0)
    for _ in range(request.repeats):
        velocity = np.zeros(robot.model.nv)
        joints = robot.model.nv - 6
        velocity[6:] = DISTURBANCE_RAD_PER_S * rng.standard_normal(joints)
        x = np.concatenate([robot.home_q, velocity])
        for name, contender in contenders.items():
            for stage, action in contender.stages(x).items():
                started = time.process_time()
                action()
                spent_ms = 1e3 * (time.process_time() - started)
                times[name].setdefault(stage, []).append(spent_ms)
    return {
        name: {stage: float(np.median(values)) for stage, values in stages.items()}
        for name, stages in times.items()
    }


def _build(names: tuple[str, ...], robot: Any) -> dict[str, Contender]:
    from wbmpc.ocp.variant import FASTEST, PYTHON, STOCK

    variants = {variant.name: variant for variant in (FASTEST, STOCK, PYTHON)}
    contenders: dict[str, Contender] = {}
    for name in names:
        if name != SQP:
            contenders[name] = VariantContender(robot, variants[name])
            continue
        try:
            contenders[name] = SqpContender(robot)
        except ImportError:
            continue
    return contenders


if __name__ == "__main__":
    asked = msgspec.json.decode(sys.argv[1], type=Request)
    print(json.dumps(measure(asked)))
