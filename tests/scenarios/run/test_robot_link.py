"""What the operator is told about the robot."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scenarios.run.robot_link import RobotLink
from teleop.reference_stream import StreamedReference
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
