"""Whether this installation can work: files, versions, two problems, options.

Nothing here imports the native packages into the calling process: a wrong pair of
wheels imports well and then dies at the first contact problem, so that problem is
solved in a child process and its exit code is read.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable

import msgspec

from models.errors import ModelsError
from scenarios.launch import (
    WATCHED,
    foreign_libraries,
    foreign_packages,
    hidden_packages,
    installed_libraries,
    own_root,
)
from scenarios.records.versions import installed_versions
from scenarios.studies.install.installed_files import installed_files, wrong_versions
from scenarios.studies.install.loaded_files import LoadedFiles, differences

CHILD_TIMEOUT_S = 60.0
MOST_CHARACTERS = 300
"""Of a child's last words: names of C++ symbols are longer."""
CONTACT_PROBLEM = "scenarios.studies.install.contact_problem"
FALLING_BODY = "scenarios.studies.install.falling_body"
LOADING = "scenarios.studies.install.loading"
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
    findings = [_path(), _versions(), pair]
    if all(finding.ok for finding in findings[:1]):
        findings += [_loaded(), _contact_solve(), _falling_body()]
        if pair.ok:  # nothing of ours imports otherwise
            findings.append(_native_part())
    findings.append(_threads())
    return Diagnosis(
        ok=all(f.ok for f in findings if f.needed),
        findings=findings,
        versions=installed_versions(),
    )


def _path() -> Finding:
    """What comes first where Python and the loader look; nothing is loaded."""
    libraries = foreign_libraries(_installed_libraries())
    told = (foreign_packages(WATCHED), libraries, hidden_packages())
    problem = "; ".join(filter(None, told))
    return Finding(
        what="paths",
        ok=not problem,
        needed=True,
        detail=problem or "installed packages and libraries come first",
    )


def _installed_libraries() -> list[str]:
    try:
        return sorted(os.listdir(installed_libraries()))
    except OSError:
        return []


def _versions() -> Finding:
    wrong = wrong_versions()
    return Finding(
        what="versions",
        ok=not wrong,
        needed=True,
        detail=", ".join(wrong) or "those that this program was tested with",
    )


def _loaded() -> Finding:
    """Compare files that a child process has loaded with the installed ones."""
    status, out, err = _child(["-m", LOADING])
    try:
        loaded = msgspec.json.decode(out, type=LoadedFiles)
    except msgspec.DecodeError:
        told = [_death(status, err)]
    else:
        told = differences(loaded, installed_files())
    kept = f"{len(told)} differences, the first: {told[0]}" if told else ""
    return Finding(
        what="loaded files",
        ok=not told,
        needed=True,
        detail=(told[0] if len(told) == 1 else kept) or "those that were installed",
    )


def _falling_body() -> Finding:
    return _problem("falling body in a child process", FALLING_BODY)


def _wheel_pair() -> Finding:
    what = "pair of native wheels"
    try:
        from wbmpc.runtime import PINS

        detail = ", ".join(f"{name} {version}" for name, version in PINS.items())
        return Finding(what=what, ok=True, needed=True, detail=detail)
    except ModelsError as error:  # importing wbmpc refuses a wrong pair
        return Finding(what=what, ok=False, needed=True, detail=str(error))


def _contact_solve() -> Finding:
    return _problem("contact problem in a child process", CONTACT_PROBLEM)


def _problem(what: str, module: str) -> Finding:
    """Let a child process solve something that only a sound package can."""
    status, out, err = _child(["-m", module])
    return Finding(
        what=what,
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
    """Exit code (None: no answer in time), output and errors of a Python child.

    It has the path of this process and nothing of the current folder.
    """
    kind, what = arguments
    run = "import runpy; runpy.run_module(what, run_name='__main__')"
    code = f"import sys; _, what, *sys.path = sys.argv; {run if kind == '-m' else what}"
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, what, *_absolute(sys.path)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CHILD_TIMEOUT_S,
            cwd=own_root(),
            env=os.environ | _library_path() | {"OMP_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def _absolute(path: Iterable[str]) -> list[str]:
    return [os.path.abspath(entry) for entry in path]


def _library_path() -> dict[str, str]:
    """Where the loader looks from the current folder, told from anywhere."""
    name = "LD_LIBRARY_PATH"
    places = os.environ.get(name, "")
    return {name: os.pathsep.join(_absolute(places.split(":")))} if places else {}


def _death(status: int | None, stderr: str) -> str:
    if status is None:
        return f"no answer within {CHILD_TIMEOUT_S:g} s"
    if status < 0:
        name = signal.Signals(-status).name
        return f"killed by {name}: the native wheels do not fit together"
    last = (stderr.strip() or "no message").splitlines()[-1]
    return f"exit code {status}: {last[:MOST_CHARACTERS]}"


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
