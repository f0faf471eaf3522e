"""Asking the system for punctuality: granted or stated, never raised, given back."""

from __future__ import annotations

import errno
import gc
import os

import numpy as np
import pytest

from wbmpc.realtime import measure_jitter, realtime_process
from wbmpc.realtime import privileges as module


class _Refusing:
    """A C library whose mlockall says no."""

    def mlockall(self, flags: int) -> int:
        del flags
        return -1

    def munlockall(self) -> int:
        raise AssertionError("nothing was locked")


def test_nothing_is_asked_without_a_priority() -> None:
    with realtime_process(None) as granted:
        assert granted.scheduler == "normal"
        assert granted.refused == ()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_refusal_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(module, "_libc", lambda: _Refusing())
    with realtime_process(40) as granted:
        pass
    assert granted.scheduler == "normal"
    assert not granted.memory_locked
    assert "SCHED_FIFO refused: Operation not permitted" in granted.refused[0]
    assert "mlockall refused" in granted.refused[1]


def test_what_was_granted_is_given_back() -> None:
    before = os.sched_getscheduler(0)
    with realtime_process(1) as granted:
        asked = os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK
        assert (asked == os.SCHED_FIFO) == (granted.scheduler == "SCHED_FIFO 1")
        assert bool(granted.refused) == (
            granted.scheduler == "normal" or not granted.memory_locked
        )
    assert os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == before


def test_jitter_counts_from_the_deadline() -> None:
    late = measure_jitter(1e-3, 20)
    assert late.shape == (20,)
    assert np.isfinite(late).all()
    assert (late >= 0.0).all()


def test_systems_without_linux_scheduling_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_setscheduler")
    assert module.ask_fifo(10) == "SCHED_FIFO: this system does not have it"


def test_a_flag_that_linux_alone_has_may_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    monkeypatch.delattr(os, "SCHED_RESET_ON_FORK")
    monkeypatch.setattr(
        os, "sched_setscheduler", lambda _, policy, __: asked.append(policy)
    )
    assert module.ask_fifo(10) == ""
    assert set(asked) == {os.SCHED_FIFO}
