from __future__ import annotations

import json

import pytest
from fake_session import FakeSession

from teleop.web.holder import Holder

POSE = json.dumps({"type": "pose", "seq": 0, "t": 0.0})
PING = json.dumps({"type": "ping", "id": 1, "t": 0.0})


def hello(client: str) -> str:
    return json.dumps({"type": "hello", "client": client})


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def holder(session: FakeSession) -> Holder:
    return Holder(session)


def test_only_the_driver_s_poses_are_passed_on(
    holder: Holder, session: FakeSession
) -> None:
    holder.receive("a", POSE, 0.0)
    assert not session.poses
    holder.receive("a", hello("A"), 0.0)
    holder.receive("b", hello("B"), 0.0)
    holder.receive("b", POSE, 0.0)
    assert not session.poses
    holder.receive("a", POSE, 0.1)
    assert [received_s for received_s, _ in session.poses] == [0.1]
    assert holder.ignored == 2


def test_everyone_gets_answers_to_pings(holder: Holder) -> None:
    holder.receive("a", hello("A"), 0.0)
    for connection in "ab":
        (reply,), _ = holder.receive(connection, PING, 2.0)
        assert json.loads(reply)["server_t"] == 2.0


def test_a_client_that_comes_back_replaces_its_old_connection(
    holder: Holder, session: FakeSession
) -> None:
    holder.receive("old", hello("A"), 0.0)
    _, replaced = holder.receive("new", hello("A"), 1.0)
    assert replaced == "old"
    holder.receive("old", POSE, 1.1)
    holder.leave("old")
    assert not session.poses and not session.gone
    holder.leave("new")
    assert session.gone == ["A"]


def test_saying_hello_again_replaces_nothing(holder: Holder) -> None:
    holder.receive("a", hello("A"), 0.0)
    _, replaced = holder.receive("a", hello("A"), 1.0)
    assert replaced is None


def test_a_second_client_drives_once_the_first_is_gone(
    holder: Holder, session: FakeSession
) -> None:
    holder.receive("a", hello("A"), 0.0)
    (refusal,), _ = holder.receive("b", hello("B"), 0.0)
    assert json.loads(refusal)["accepted"] is False
    holder.leave("b")
    assert not session.gone
    holder.leave("a")
    holder.receive("c", hello("C"), 1.0)
    holder.receive("c", POSE, 1.0)
    assert len(session.poses) == 1


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "[" * 60_000, '{"type": 3}', b"\xff\xfe", "\udcff", "{}"],
    ids=repr,
)
def test_garbage_of_a_stranger_is_ignored_and_of_the_driver_counted(
    holder: Holder, session: FakeSession, text: str | bytes
) -> None:
    assert holder.receive("a", text, 0.0) == ([], None)
    assert (holder.ignored, session.bad) == (1, 0)
    holder.receive("a", hello("A"), 0.0)
    assert holder.receive("a", text, 0.0) == ([], None)
    assert (holder.ignored, session.bad) == (1, 1)


def test_anybody_may_stop_the_robot(holder: Holder, session: FakeSession) -> None:
    """Also who does not drive, and before a hello."""
    holder.receive("a", hello("A"), 0.0)
    holder.receive("b", json.dumps({"type": "stop"}), 0.0)
    assert session.stops == 1 and session.driver == "A"
