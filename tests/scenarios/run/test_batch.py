"""Several runs: a process that dies costs one more try, not the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenarios.run import batch
from scenarios.run.settings import RunSettings
from wbmpc.errors import ProcessLostError

SHORT = RunSettings(scenario="standing", payload_kg=0.0, at_s=0.1, duration_s=0.1)
OTHER = RunSettings(scenario="standing", payload_kg=1.0, at_s=0.1, duration_s=0.1)


class Killer:
    """Starts processes, and kills those of its list."""

    def __init__(self, doomed: tuple[int, ...]) -> None:
        self.started, self._doomed = 0, doomed
        self._real = batch.start_process

    def __call__(self, process: Any) -> None:
        self._real(process)
        if self.started in self._doomed:
            process.kill()
        self.started += 1


def quiet(*_: object) -> None:
    pass


def test_a_killed_process_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer((0, 2))
    monkeypatch.setattr(batch, "start_process", killer)
    records = batch.run_all({"a": SHORT, "b": OTHER}, jobs=2, progress=quiet)
    assert list(records) == ["a", "b"] and killer.started == 4


def test_one_that_always_dies_is_told_after_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch, "start_process", Killer((0, 2, 3)))
    done: list[str] = []
    with pytest.raises(ProcessLostError, match="run a: its process died"):
        for name, _ in batch.run_each({"a": SHORT, "b": OTHER}, jobs=2, progress=quiet):
            done.append(name)
    assert done == ["b"]


def test_equal_runs_are_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def run_here(name: str, settings: RunSettings, _: object) -> Any:
        started.append(name)
        return np.array(settings.payload_kg)

    monkeypatch.setattr(batch, "run_here", run_here)
    runs = {"a": SHORT, "b": OTHER, "c": SHORT}
    found = batch.run_all(runs, jobs=1, progress=quiet)
    assert started == ["a", "b"]
    assert list(found) == ["a", "b", "c"] and found["a"] is found["c"]
