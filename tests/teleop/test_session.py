"""The session: text in, text out, never an exception, one driver at a time."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest
from teleop_bench import Bench

from teleop.session import CLIENT_GONE_S, OperatorSession


class Talk:
    """A session with a headset that speaks JSON."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.session = OperatorSession(bench.operator, bench.settings)
        bench.filtered = self._send

    def _send(self, frame: object) -> list:
        self.say(msgspec.json.encode(frame).decode())
        return []

    def say(self, text: str | bytes) -> list[dict]:
        now_s = self.bench._next_frame_s
        return [json.loads(t) for t in self.session.on_message(text, now_s)]

    def hello(self, client: str = "a", **fields: object) -> dict:
        hello = {"type": "hello", "client": client, "page": "xr", "version": 1}
        return self.say(json.dumps(hello | fields))[0]

    def status(self) -> dict:
        return json.loads(self.session.status(self.bench.now_s))


@pytest.fixture
def talk(bench: Bench) -> Talk:
    return Talk(bench)


def test_frames_before_a_hello_do_nothing(talk: Talk) -> None:
    talk.bench.run(1.0)
    assert talk.session.counts["before_hello"] > 50
    status = talk.status()
    assert (status["link"], status["reason"]) == ("lost", "no client drives")


def test_a_client_drives_and_sees_it(talk: Talk) -> None:
    assert talk.hello() == {
        "type": "welcome",
        "accepted": True,
        "reason": None,
        "version": 1,
    }
    talk.bench.ready()
    assert talk.status()["state"] == "ready"
    talk.bench.squeeze(1.0, "left")
    talk.bench.run(0.2)
    status = talk.status()
    assert status["engaged"] == {"left": True, "right": False}
    assert (status["link"], status["state"], status["gaps"]) == ("ok", "engaged", 0)
    assert status["rate_hz"] == pytest.approx(72.0, abs=2.0)
    assert len(status["q"]) == len(talk.bench.robot.joint_names)
    assert status["age_s"] < 0.05


def test_a_stop_of_anyone_lets_everything_go(talk: Talk) -> None:
    talk.hello()
    talk.bench.ready()
    talk.bench.squeeze(1.0, "left")
    talk.bench.run(0.2)
    assert talk.status()["state"] == "engaged"
    assert talk.say(json.dumps({"type": "stop"})) == []
    talk.bench.run(0.2)
    status = talk.status()
    assert status["state"] == "stopped"
    assert status["engaged"] == {"left": False, "right": False}


def test_a_ping_is_answered_to_anyone(talk: Talk) -> None:
    [pong] = talk.say('{"type":"ping","id":4,"t":2.5}')
    assert (pong["type"], pong["id"], pong["t"]) == ("pong", 4, 2.5)
    assert pong["server_t"] == talk.bench._next_frame_s


def test_a_second_client_is_refused_until_the_first_is_gone(talk: Talk) -> None:
    for first, second in (("a", "b"), ("b", "a")):
        assert talk.hello(first)["accepted"]
        talk.bench.engage("left")
        refused = talk.hello(second)
        assert not refused["accepted"]
        assert refused["reason"] == "another client drives the robot"
        talk.bench.run(0.1)
        assert talk.status()["engaged"]["left"]
        talk.session.on_disconnect(second)
        talk.bench.run(0.1)
        assert talk.status()["engaged"]["left"]
        talk.session.on_disconnect(first)
        talk.bench.run(0.1)
        assert talk.status()["state"] == "idle"
        talk.bench.squeeze(0.0)


def test_a_silent_client_can_be_replaced(talk: Talk) -> None:
    talk.hello("a")
    talk.bench.ready()
    talk.bench.filtered = lambda frame: []  # noqa: ARG005
    talk.bench.run(CLIENT_GONE_S + 0.1)
    assert talk.hello("b")["accepted"]


def test_a_reconnect_starts_anew_whatever_the_old_connection_said(talk: Talk) -> None:
    """Sequence numbers and clocks may start again; the clutch must be pressed again."""
    talk.hello("a")
    talk.bench.engage()
    for _ in range(2):
        talk.bench.headset.seq = 0
        talk.bench.headset.offset_s -= 50.0
        assert talk.hello("a")["accepted"]
        talk.bench.run(1.5)
        assert talk.status()["state"] == "idle"
        assert "let go and squeeze again" in talk.status()["reason"]
        talk.bench.squeeze(0.0)
        talk.bench.engage()
        assert talk.status()["engaged"] == {"left": True, "right": True}


def test_a_page_of_another_version_is_told_to_reload(talk: Talk) -> None:
    answer = talk.hello(version=2)
    assert not answer["accepted"] and "reload" in answer["reason"]


def test_the_link_ages_in_the_status(talk: Talk) -> None:
    talk.hello()
    talk.bench.run(0.5)
    links = []
    talk.bench.filtered = lambda frame: []  # noqa: ARG005
    for _ in range(30):
        talk.bench.run(0.02)
        links.append(talk.status()["link"])
    assert links[0] == "ok" and links[15] == "stale" and links[-1] == "lost"


def test_the_reason_names_the_hand(talk: Talk) -> None:
    talk.hello()
    talk.bench.headset.hands["left"].present = False
    talk.bench.ready()
    assert talk.status()["reason"] == "left hand: not tracked"


def test_a_torque_at_its_limit_is_said_with_joint_and_share(talk: Talk) -> None:
    """An arm that does not follow says why."""
    talk.hello()
    talk.bench.ready()
    talk.bench.robot_answers = False
    changes = {"LEFT_ELBOW_Y": 0.6, "LEFT_SHOULDER_X": 0.05, "SPINE_Z": 0.7}
    state = talk.bench.operator.state
    talk.bench.operator.state = msgspec.structs.replace(state, saturated=changes)
    assert (
        talk.status()["reason"]
        == "torque at its limit: SPINE_Z 70 %, LEFT_ELBOW_Y 60 %"
    )


@pytest.mark.parametrize(("margin_m", "haptic"), [(0.05, 0.0), (0.015, 0.5), (-1, 1.0)])
def test_a_small_margin_is_felt_while_engaged(
    talk: Talk, margin_m: float, haptic: float
) -> None:
    talk.hello()
    talk.bench.ready()
    state = talk.bench.operator.state
    talk.bench.operator.state = msgspec.structs.replace(state, margin_m=margin_m)
    assert talk.status()["haptic"] == 0.0
    talk.bench.squeeze(1.0)
    talk.bench.robot_answers = False
    talk.bench.run(0.1)
    assert talk.status()["haptic"] == pytest.approx(haptic)


def test_no_input_raises(talk: Talk) -> None:
    talk.hello()
    talk.bench.ready()
    rng = np.random.default_rng(0)
    frame = msgspec.json.encode(talk.bench.headset.frame(0.0))
    for _ in range(2000):
        mutated = bytearray(frame)
        for _ in range(rng.integers(1, 6)):
            mutated[rng.integers(len(mutated))] = rng.integers(256)
        talk.session.on_message(bytes(mutated), talk.bench.now_s)
        talk.session.status(talk.bench.now_s)
    for text in ("", "[]", "{}", '{"type":1}', b"\xff", '{"type":"hello","client":""}'):
        assert talk.say(text) == []
    assert talk.session.counts["malformed"] > 500
    assert talk.session.counts["internal_error"] == 0
    talk.bench.headset.seq += 10**9
    talk.bench.run(2.0)
    assert talk.status()["link"] == "ok"


def test_a_state_of_another_robot_is_counted_and_nothing_else(talk: Talk) -> None:
    bench = talk.bench
    bench.run(0.1)
    operator, state = bench.operator, bench.operator.state
    assert state is not None
    for broken in (
        msgspec.structs.replace(state, q=state.q[:-1]),
        msgspec.structs.replace(state, q=()),
        msgspec.structs.replace(state, q=(float("nan"),) * len(state.q)),
        msgspec.structs.replace(state, base=(float("inf"),) * 7),
        msgspec.structs.replace(state, q_upper_ref=state.q_upper_ref[:-1]),
        msgspec.structs.replace(state, q_upper_ref=()),
        msgspec.structs.replace(state, q_upper_ref=(float("nan"),) * 9),
        msgspec.structs.replace(state, com_height_ref_m=float("nan")),
        msgspec.structs.replace(state, pelvis_pitch_ref_rad=float("-inf")),
    ):
        operator.robot_state(broken, bench.now_s)
        assert operator.state is state
        operator.state = None  # the first one is where references start
        operator.robot_state(broken, bench.now_s)
        assert operator.state is None
        operator.state = state
    assert operator.counts["state_of_another_robot"] == 18
    operator.tick(bench.now_s)


def test_late_frames_are_counted(bench: Bench) -> None:
    """Half a second old when they arrive, as the clock's offset tells."""
    bench.ready()
    operator = bench.operator
    assert operator.counts["late"] == 0
    frame = bench.headset.frame(bench.now_s - 0.5)
    for _ in range(5):
        frame = msgspec.structs.replace(frame, seq=frame.seq + 1)
        operator.frame(frame, bench.now_s)
    assert operator.counts["late"] == 5
