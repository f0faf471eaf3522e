"""Whether this installation can work: versions, a contact solve, what is optional.

Nothing here imports the native packages into the calling process: a wrong pair of
wheels imports well and then dies at the first contact problem, so that problem is
solved in a child process and its exit code is read.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from models.errors import ModelsError
from scenarios.records.versions import installed_versions

CHILD_TIMEOUT_S = 60.0
CONTACT_PROBLEM = "scenarios.studies.install.contact_problem"
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
    findings = [pair, _contact_solve(), _threads()]
    if pair.ok:  # nothing of ours imports otherwise
        findings.append(_native_part())
    return Diagnosis(
        ok=all(f.ok for f in findings if f.needed),
        findings=findings,
        versions=installed_versions(),
    )


def _wheel_pair() -> Finding:
    what = "pair of native wheels"
    try:
        from wbmpc.runtime import PINS

        detail = ", ".join(f"{name} {version}" for name, version in PINS.items())
        return Finding(what=what, ok=True, needed=True, detail=detail)
    except ModelsError as error:  # importing wbmpc refuses a wrong pair
        return Finding(what=what, ok=False, needed=True, detail=str(error))


def _contact_solve() -> Finding:
    status, out, err = _child(["-m", CONTACT_PROBLEM])
    return Finding(
        what="contact problem in a child process",
        ok=status == 0,
        needed=True,
        detail=out.strip() if status == 0 else _death(status, err),
    )


def _native_part() -> Finding:
    """Ask for the compiled residuals in a child process: they may not load."""
    code = f"import {NATIVE_MODULE} as n; print(n.REASON)"
    status, out, err = _child(["-c", code])
    reason = out.strip() if status == 0 else _death(status, err)
    detail = f"{reason}; the Python ones give the same results, slower"
    return Finding(
        what="native residuals",
        ok=not reason,
        needed=False,
        detail=detail if reason else "present",
    )


def _child(arguments: list[str]) -> tuple[int | None, str, str]:
    """Exit code (None: no answer in time), output and errors of a Python child."""
    here = str(Path(__file__).resolve().parents[3])
    paths = filter(None, (here, os.environ.get("PYTHONPATH", "")))
    environment = {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)}
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=CHILD_TIMEOUT_S,
            env=os.environ | environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def _death(status: int | None, stderr: str) -> str:
    if status is None:
        return f"no answer within {CHILD_TIMEOUT_S:g} s"
    if status < 0:
        name = signal.Signals(-status).name
        return f"killed by {name}: the native wheels do not fit together"
    last = stderr.strip().splitlines()
    return f"exit code {status}: {last[-1] if last else 'no message'}"


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
