"""Calls in worker processes: what comes back, and what is made of dead ones."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import worker_calls

from scenarios.errors import ScenarioError
from scenarios.workers import crew as crews
from scenarios.workers.cluster import local_crew, remote_crew
from scenarios.workers.crew import MOST_TRIES, Crew, Finished
from scenarios.workers.gate import differences
from scenarios.workers.identity import this_identity
from wbmpc.errors import ProcessLostError


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    with local_crew(2) as made:
        yield made


def over(crew: Crew, calls: dict[str, Any]) -> dict[str, Finished]:
    return {done.name: done for done in crew.each(calls)}


def test_values_refusals_and_bugs_come_back(crew: Crew) -> None:
    calls = {str(n): (worker_calls.square, (n,)) for n in range(5)}
    calls |= {"no": (worker_calls.refuse, ()), "bug": (worker_calls.stumble, ())}
    done = over(crew, calls)
    assert [done[str(n)].value for n in range(5)] == [0, 1, 4, 9, 16]
    assert isinstance(done["no"].failure(), ScenarioError)
    assert str(done["no"].error) == "--payload 7: not today"
    assert "ZeroDivisionError: a bug" in str(done["bug"].failure())


def test_workers_have_one_thread_and_are_deaf_to_ctrl_c(crew: Crew) -> None:
    done = over(crew, {"a": (worker_calls.threads, ())})
    assert done["a"].value == ("1", True)


def test_calls_tell_how_far_they_are(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, float]] = []
    monkeypatch.setattr(crew, "on_progress", lambda *told_: told.append(told_))
    over(crew, {"a": (worker_calls.slow, (1.4,))})
    assert told and {name for name, _ in told} == {"a"}
    assert [reached for _, reached in told] == sorted(r for _, r in told)


def test_a_dead_worker_costs_one_more_try_and_nothing_else(
    crew: Crew, tmp_path: Path
) -> None:
    calls: dict[str, Any] = {str(n): (worker_calls.square, (n,)) for n in range(4)}
    calls["once"] = (worker_calls.die_at_first, (str(tmp_path / "mark"),))
    calls["always"] = (worker_calls.die, ())
    done = over(crew, calls)
    assert [done[str(n)].value for n in range(4)] == [0, 1, 4, 9]
    assert done["once"].failure() is None
    assert done["always"].lost
    assert isinstance(done["always"].error, ProcessLostError)
    assert f"died {MOST_TRIES} times" in str(done["always"].error)


def test_another_program_is_told_by_what_is_different() -> None:
    ours = this_identity()
    assert differences(msgspec.to_builtins(ours)) == []
    versions = ours.versions | {"numpy": "0.1"}
    other = msgspec.structs.replace(ours, kernel="other", versions=versions)
    told = differences(msgspec.to_builtins(other))
    assert told == [
        f"kernel {ours.kernel}, here other",
        f"numpy {ours.versions['numpy']}, here 0.1",
    ]
    assert differences({"no": "identity"})[0].startswith("ValidationError")


def test_a_worker_of_another_program_is_refused_by_name(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = msgspec.structs.replace(this_identity(), source="0123456789abcdef")
    monkeypatch.setattr(crews, "this_identity", lambda: other)
    monkeypatch.setattr(crews, "GRACE_S", 0.0)
    told: list[str] = []
    second = Crew(crew._client, say=told.append, dashboard=None)
    end_s = time.monotonic() + 60.0
    while second.refused() < 2 and time.monotonic() < end_s:
        assert second.workers() == frozenset() and second.room() == 0
        time.sleep(0.1)
    assert len(told) == 2
    ours = this_identity().source
    assert all(f"source {ours}, here 0123456789abcdef" in line for line in told)


def test_nobody_at_an_address_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("scenarios.workers.cluster.CONNECT_S", 0.5)
    with (
        pytest.raises(ScenarioError, match="--scheduler tcp://127.0.0.1:1: no sched"),
        remote_crew(address="tcp://127.0.0.1:1", say=print),
    ):
        pass
    with (
        pytest.raises(ScenarioError, match="--scheduler-file .*: no such file"),
        remote_crew(file=tmp_path / "none.json", say=print),
    ):
        pass


def test_a_program_that_changes_while_it_runs_is_an_error(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = msgspec.structs.replace(this_identity(), source="0123456789abcdef")
    monkeypatch.setattr(crews, "this_identity", lambda: other)
    monkeypatch.setattr(crews, "GRACE_S", 0.0)
    ours = Crew(crew._client, say=print, dashboard=None, is_ours=True)
    end_s = time.monotonic() + 60.0
    with pytest.raises(ProcessLostError, match="the program was changed while it ran"):
        while time.monotonic() < end_s:
            ours.workers()
            time.sleep(0.1)
