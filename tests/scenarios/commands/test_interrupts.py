"""Ctrl-C at any moment is quiet, and exit code 130."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scenarios.interrupts import comes_from_interrupt, ending_at_once
from wbmpc.realtime.child_process import start_process

ROOT = Path(__file__).resolve().parents[3]
INTERRUPTED_IMPORT = """
import importlib.abc, os, signal, sys

class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
        return None

sys.meta_path.insert(0, Interrupting())
sys.argv = ["wbmpc", *{argv!r}]
from scenarios.__main__ import entry_point
entry_point()
"""
RUN = ["run", "standing", "--no-files", "--duration", "0.1", "--at", "0.1"]


def interrupted_import(
    module: str, *argv: str, folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """The command, with Ctrl-C at the moment a module is imported."""
    code = INTERRUPTED_IMPORT.format(module=module, argv=list(argv))
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("module", ["tyro", "pinocchio", "crocoddyl", "mujoco"])
def test_an_interrupt_while_importing_is_quiet(module: str) -> None:
    done = interrupted_import(module, *RUN)
    assert done.returncode == 130
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "wbmpc: interrupted" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "argv",
    [
        "run standing",
        "compare standing",
        "tipping",
        "seeds standing",
        "sweep standing",
        "sweep-table x",
        "reproduce",
        "teleop",
        "references standing --out x.mcap",
        "estimate x.csv",
        "estimators",
        "bench",
        "check alexander",
        "init alexander --out x",
        "robots",
        *(f"so101 {word}" for word in ("bench", "servo", "drive simulated", "jitter")),
        "so101 calibrate x.csv",
    ],
)
def test_every_command_ends_at_once_while_it_imports(argv: str, tmp_path: Path) -> None:
    done = interrupted_import("numpy", *argv.split(), folder=tmp_path)
    assert done.returncode == 130
    assert (done.stdout, done.stderr) == ("", "wbmpc: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_ending_at_once_leaves_others_handlers_alone() -> None:
    mine = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ending_at_once():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with ending_at_once():
            handler = signal.getsignal(signal.SIGINT)
            assert handler is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, mine)


def test_what_became_of_an_interrupt_is_recognised() -> None:
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise ImportError("initialization failed") from interrupt
    except ImportError as error:
        assert comes_from_interrupt(error)
    assert not comes_from_interrupt(ImportError("no such module"))


def test_a_started_process_is_deaf_to_ctrl_c_and_this_one_is_not() -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=signal.raise_signal, args=(signal.SIGINT,)
    )
    start_process(process)
    process.join(60.0)
    assert process.exitcode == 0
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
