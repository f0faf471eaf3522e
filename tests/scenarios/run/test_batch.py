"""Several runs: a process that dies costs one more try, not the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from scenarios.errors import ScenarioError
from scenarios.run import batch
from scenarios.run.settings import RunSettings
from scenarios.workers.crew import Finished
from wbmpc.errors import ProcessLostError

SHORT = RunSettings(scenario="standing", payload_kg=0.0, at_s=0.1, duration_s=0.1)
OTHER = RunSettings(scenario="standing", payload_kg=1.0, at_s=0.1, duration_s=0.1)


def quiet(*_: object) -> None:
    pass


class Crew:
    """Answers calls by name."""

    def __init__(self, answers: dict[str, Finished]) -> None:
        self.answers, self.jobs, self.asked = answers, 0, list[str]()

    @contextmanager
    def __call__(self, jobs: int) -> Iterator[Crew]:
        self.jobs = jobs
        yield self

    def each(self, calls: dict[str, Any]) -> Iterator[Finished]:
        self.asked += calls
        yield from (self.answers[name] for name in calls)

    def drop(self) -> None:
        pass


def of_crew(monkeypatch: pytest.MonkeyPatch, *answers: Finished) -> Crew:
    crew = Crew({answer.name: answer for answer in answers})
    monkeypatch.setattr("scenarios.workers.cluster.local_crew", crew)
    return crew


def test_runs_side_by_side_equal_those_in_turn() -> None:
    runs = {"a": SHORT, "b": OTHER}
    there = batch.run_all(runs, jobs=2, progress=quiet)
    here = batch.run_all(runs, jobs=1, progress=quiet)
    assert list(there) == ["a", "b"]
    for name in runs:
        np.testing.assert_array_equal(there[name].q, here[name].q)
        np.testing.assert_array_equal(there[name].tau_Nm, here[name].tau_Nm)


def test_what_fails_is_told_after_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = ProcessLostError("run a: its process died 3 times")
    of_crew(
        monkeypatch,
        Finished(name="a", error=lost, lost=True),
        Finished(name="b", value="record"),
    )
    done: list[str] = []
    with pytest.raises(ProcessLostError, match="run a: its process died 3 times"):
        for name, _ in batch.run_each({"a": SHORT, "b": OTHER}, jobs=2, progress=quiet):
            done.append(name)
    assert done == ["b"]


def test_a_bug_in_a_worker_is_one_here(monkeypatch: pytest.MonkeyPatch) -> None:
    of_crew(
        monkeypatch,
        Finished(name="a", trace="Traceback: a bug"),
        Finished(name="b", value="record"),
    )
    with pytest.raises(RuntimeError, match="Traceback: a bug"):
        batch.run_all({"a": SHORT, "b": OTHER}, jobs=2, progress=quiet)


def test_a_refusal_here_is_told_after_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run_here(name: str, *_: object) -> str:
        if name == "a":
            raise ScenarioError("not this one")
        return name

    monkeypatch.setattr(batch, "run_here", run_here)
    done: list[str] = []
    with pytest.raises(ScenarioError, match="not this one"):
        for name, _ in batch.run_each({"a": SHORT, "b": OTHER}, jobs=1, progress=quiet):
            done.append(name)
    assert done == ["b"]


def test_equal_runs_are_run_once_and_need_no_more_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crew = of_crew(
        monkeypatch, Finished(name="a", value=["a"]), Finished(name="b", value=["b"])
    )
    runs = {"a": SHORT, "b": OTHER, "c": SHORT}
    found = batch.run_all(runs, jobs=8, progress=quiet)
    assert crew.asked == ["a", "b"] and crew.jobs == 2
    assert list(found) == ["a", "b", "c"] and found["a"] is found["c"]
