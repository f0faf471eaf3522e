"""Parts of a teleoperated session: the script, latencies, what the operator is told."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scenarios.cli import parse
from scenarios.commands.teleop_options import Teleop
from scenarios.library.run_settings import run_settings
from scenarios.run.runner import run
from scenarios.teleop.latency import LatencyMeter
from scenarios.teleop.result import base_motion, hand_tracking, stream_quality
from scenarios.teleop.robot_link import RobotLink
from teleop.conventions import hand_sample
from teleop.reference_stream import StreamedReference
from teleop.script import (
    END_S,
    FORWARD_M,
    FRAME_RATE_HZ,
    SQUEEZE_S,
    ScriptedOperator,
)
from teleop.stream_messages import ReferenceMessage, RobotState
from wbmpc.control.loop import ControlLoop
from wbmpc.plant.interface import Measurement
from wbmpc.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot.load("alexander")


class NoReceiver:
    def __init__(self) -> None:
        self.refused = Counter(malformed=4)

    def poll(self) -> list[ReferenceMessage]:
        return []


class Outbox:
    def __init__(self) -> None:
        self.states: list[RobotState] = []

    def send(self, state: RobotState) -> None:
        self.states.append(state)


def frames(seed: int = 0) -> list[Any]:
    operator = ScriptedOperator(seed)
    times = np.arange(0.0, END_S, 1.0 / FRAME_RATE_HZ)
    return [operator.frame(float(t), float(t)) for t in times]


def test_the_script_moves_a_hand_20_cm_and_lets_go() -> None:
    assert np.linalg.norm(FORWARD_M) == pytest.approx(0.2)
    told = frames()
    hands = np.array([hand_sample(f.left, f.t).pose.translation for f in told])
    way = np.linalg.norm(hands - hands[0], axis=1)
    assert way.max() > 0.19 and way[-1] < 0.002
    speed = np.linalg.norm(np.diff(hands, axis=0), axis=1) * FRAME_RATE_HZ
    assert np.median(speed) < 0.3
    squeezed = np.array([f.left.squeeze for f in told])
    assert squeezed[0] == squeezed[-1] == 0.0 and squeezed.max() == 1.0
    assert SQUEEZE_S[0] > 0.5


def test_no_two_frames_of_the_script_are_the_same() -> None:
    told = frames()
    assert len({f.left.grip.p for f in told}) == len(told)
    assert [f.seq for f in told] == list(range(1, len(told) + 1))
    assert told[100].left.grip.p != frames(seed=1)[100].left.grip.p


def message(seq: int, sample_s: float | None, sent_s: float) -> ReferenceMessage:
    return ReferenceMessage(
        stream=1,
        seq=seq,
        sent_s=sent_s,
        sample_s=sample_s,
        q_upper=(),
        v_upper=(),
        com_height_m=0.8,
        pelvis_pitch_rad=0.0,
    )


def test_latencies_are_those_of_the_first_torque() -> None:
    meter = LatencyMeter()
    # Two control ticks plan with one message: only the first one counts.
    for k, plan_s in enumerate((0.01, 0.02, 0.03)):
        sent = message(1 + k // 2, sample_s=10.0 + k // 2, sent_s=10.005 + k // 2)
        meter.received(sent, 10.010 + 0.01 * k, plan_s)
        used_ns = int((10.018 + 0.01 * k) * 1e9)
        snapshot: Any = SimpleNamespace(plan_time_s=plan_s, plan_used_ns=used_ns)
        meter.plant(snapshot)
        meter.plant(snapshot)
    budget = meter.budget()
    assert budget.samples == 2
    assert budget.sample_to_sent_ms is not None
    assert budget.sample_to_sent_ms.p50 == pytest.approx(5.0, abs=1e-3)
    assert budget.received_to_torque_ms is not None
    assert budget.received_to_torque_ms.max == pytest.approx(8.0, abs=1e-3)


def test_what_was_never_used_and_what_has_no_sample_is_left_out() -> None:
    meter = LatencyMeter()
    meter.received(message(1, 1.0, 1.0), 1.0, 0.01)
    meter.received(message(2, None, 1.0), 1.0, 0.02)
    late: Any = SimpleNamespace(plan_time_s=0.03, plan_used_ns=0)
    meter.plant(late)
    early: Any = SimpleNamespace(plan_time_s=0.01, plan_used_ns=0)
    meter.plant(early)
    assert meter.budget().samples == 0
    assert meter.budget().sample_to_torque_ms is None


def test_the_operator_is_told_about_the_robot(robot: Robot) -> None:
    stream, outbox = StreamedReference(robot, NoReceiver()), Outbox()
    link = RobotLink(robot, stream, outbox, end=lambda: False)  # type: ignore[arg-type]
    control = ControlLoop(robot, None)
    n = len(robot.joint_names)
    measured = Measurement(
        time_s=0.0,
        q=robot.home_q_full,
        v=np.zeros(robot.full_model.nv),
        tau_Nm=np.zeros(n),
    )
    tick = control.tick(measured, link.at(0.0))
    snapshot: Any = SimpleNamespace(
        state=SimpleNamespace(seen=measured),
        command=SimpleNamespace(saturated=np.arange(n) == 2),
        plan_time_s=0.0,
        plan_used_ns=0,
    )
    for _ in range(4):
        link.ticked(snapshot, tick)
        snapshot.command = SimpleNamespace(saturated=np.zeros(n, dtype=bool))
    assert [state.seq for state in outbox.states] == [1, 2]
    state = outbox.states[0]
    assert state.q == tuple(robot.home_q_full[7:])
    assert state.base == tuple(robot.home_q_full[:7])
    assert state.payload == {} and state.problem is None
    name = robot.joint_names[2]
    assert state.saturated == {name: 1.0}
    assert outbox.states[1].saturated == {name: pytest.approx(1.0 / 3.0)}
    assert state.margin_m is not None and 0.02 < state.margin_m < 0.12
    link.say("the robot fell")
    assert outbox.states[-1].problem == "the robot fell"


def test_figures_of_a_run_are_those_of_its_record() -> None:
    settings = run_settings("standing", duration_s=0.5, payload_kg=0.0, at_s=0.0)
    record = run(settings)
    off_target = {"left": [(0.1, 0.002)], "right": []}
    hands, base = hand_tracking(record, off_target), base_motion(record)
    assert hands["left"].moved_m < 1e-12 and hands["left"].rmse_mm < 1.0
    assert hands["left"].rmse_settled_mm is None
    assert base.com_lowered_m < 0.005 and base.spine_yaw_max_rad == 0.0


def test_samples_are_counted_by_what_became_of_them(robot: Robot) -> None:
    stream = StreamedReference(robot, NoReceiver())
    stream.counts.update(received=100, lost=2, not_finite=3)
    quality = stream_quality(stream, 2.0)
    assert (quality.received, quality.lost) == (100, 2)
    assert (
        quality.not_used == {"not_finite": 3, "malformed": 4}
        and quality.rate_hz == 50.0
    )


def test_every_flag_is_read() -> None:
    command = parse(
        "teleop --scripted --payload 3 --payload-at 9 --arm right --duration 20 "
        "--no-meshcat --json --listen zenoh --config x.toml --http --port 9000".split()
    )
    assert isinstance(command, Teleop)
    assert command.scripted and command.payload == 3.0 and command.payload_at == 9.0
    assert (command.arm, command.listen, command.port) == ("right", "zenoh", 9000)
