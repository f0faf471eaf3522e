"""Whether this installation can work: versions, a contact solve, what is optional.

Nothing here imports the native packages into the calling process: a wrong pair of
wheels imports well and then dies at the first contact problem, so that problem is
solved in a child process and its exit code is read.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from models.errors import ModelsError
from scenarios.versions import installed_versions

SOLVE_TIMEOUT_S = 60.0
SOLVE_NODES = 5
SOLVE_ITERATIONS = 3
NATIVE_MODULE = "wbmpc.native"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked at."""

    what: str
    ok: bool
    needed: bool
    """Whether the program is unsound without it."""
    detail: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything looked at."""

    ok: bool
    findings: list[Finding]
    versions: dict[str, str | None]


def diagnose() -> Diagnosis:
    """Look at the installation; takes a few seconds and never raises."""
    pair = _wheel_pair()
    findings = [pair, _contact_solve(), _native_part(pair), _threads()]
    return Diagnosis(
        ok=all(f.ok for f in findings if f.needed),
        findings=findings,
        versions=installed_versions(),
    )


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """The diagnosis as lines for a terminal."""
    lines = []
    for finding in diagnosis.findings:
        word = "ok" if finding.ok else ("BAD" if finding.needed else "note")
        lines.append(f"{word:>4}  {finding.what}: {finding.detail}")
    versions = (f"{k} {v or 'missing'}" for k, v in diagnosis.versions.items())
    lines.append("      " + ", ".join(versions))
    lines.append("sound" if diagnosis.ok else "NOT sound: see BAD above")
    return "\n".join(lines)


def solve_contact_problem() -> float:
    """Solve a short two-foot problem with stock Crocoddyl; returns its cost.

    Called in a child process: with a wrong pair of wheels this crashes.
    """
    import crocoddyl
    import numpy as np
    import pinocchio as pin

    from models import load_settings

    settings = load_settings("alexander")
    model = pin.buildModelFromUrdf(settings.urdf, pin.JointModelFreeFlyer())
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    contacts = crocoddyl.ContactModelMultiple(state, actuation.nu)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    for sole in (settings.left_sole.frame, settings.right_sole.frame):
        frame = model.getFrameId(sole)
        contact = crocoddyl.ContactModel6D(
            state,
            frame,
            data.oMf[frame],
            pin.LOCAL_WORLD_ALIGNED,
            actuation.nu,
            np.array([0.0, 20.0]),
        )
        contacts.addContact(sole, contact)
    costs = crocoddyl.CostModelSum(state, actuation.nu)
    costs.addCost("state", _state_cost(crocoddyl, state, actuation.nu), 1.0)
    dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(
        state, actuation, contacts, costs, 0.0, True
    )
    node = crocoddyl.IntegratedActionModelEuler(dynamics, 0.02)
    x0 = np.concatenate([pin.neutral(model), np.zeros(model.nv)])
    problem = crocoddyl.ShootingProblem(x0, [node] * SOLVE_NODES, node)
    solver = crocoddyl.SolverFDDP(problem)
    solver.solve([x0] * (SOLVE_NODES + 1), [], SOLVE_ITERATIONS, False)
    return float(solver.cost)


def _state_cost(crocoddyl: object, state: object, nu: int) -> object:
    residual = crocoddyl.ResidualModelState(state, nu)  # type: ignore[attr-defined]
    return crocoddyl.CostModelResidual(state, residual)  # type: ignore[attr-defined]


def _wheel_pair() -> Finding:
    what = "pair of native wheels"
    try:
        from wbmpc.runtime import PINS

        detail = ", ".join(f"{name} {version}" for name, version in PINS.items())
        return Finding(what=what, ok=True, needed=True, detail=detail)
    except ModelsError as error:  # importing wbmpc refuses a wrong pair
        return Finding(what=what, ok=False, needed=True, detail=str(error))


def _contact_solve() -> Finding:
    what = "contact problem in a child process"
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": _python_path()}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "scenarios.doctor"],
            capture_output=True,
            text=True,
            timeout=SOLVE_TIMEOUT_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        detail = f"no answer within {SOLVE_TIMEOUT_S:g} s"
        return Finding(what=what, ok=False, needed=True, detail=detail)
    ok = done.returncode == 0
    detail = done.stdout.strip() if ok else _death(done.returncode, done.stderr)
    return Finding(what=what, ok=ok, needed=True, detail=detail)


def _python_path() -> str:
    """Let the child find these packages however they were found here."""
    here = str(Path(__file__).resolve().parents[1])
    return os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH", ""))))


def _death(code: int, stderr: str) -> str:
    if code < 0:
        return f"killed by {signal.Signals(-code).name}: the wheels do not fit together"
    last = stderr.strip().splitlines()
    return f"exit code {code}: {last[-1] if last else 'no message'}"


def _native_part(pair: Finding) -> Finding:
    what = "native residuals"
    slower = "absent: the Python ones are used, with the same results, slower"
    if not pair.ok or importlib.util.find_spec(NATIVE_MODULE) is None:
        return Finding(what=what, ok=False, needed=False, detail=slower)
    reason = _native_problem()
    detail = slower if reason is None else f"{slower} ({reason})"
    ok = reason == ""
    return Finding(
        what=what, ok=ok, needed=False, detail="present" if ok else detail
    )


def _native_problem() -> str | None:
    """Empty if the extension imports, else why not; asked in a child process."""
    code = (
        f"import {NATIVE_MODULE} as n; "
        "print('' if getattr(n, 'available', lambda: True)() else 'not built')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=SOLVE_TIMEOUT_S,
        env=os.environ | {"PYTHONPATH": _python_path()},
        check=False,
    )
    if done.returncode == 0:
        return done.stdout.strip()
    return _death(done.returncode, done.stderr)


def _threads() -> Finding:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    cores = cores or os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "1 (default here)")
    return Finding(
        what="threads",
        ok=cores >= 2,
        needed=False,
        detail=f"{cores} cores, OMP_NUM_THREADS {asked}",
    )


if __name__ == "__main__":
    print(f"solved, cost {solve_contact_problem():.6g}")
