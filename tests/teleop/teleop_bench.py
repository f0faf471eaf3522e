"""Headset, operator's side and a robot that does what it is told, in one clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from teleop_devices import RATE_HZ, FakeHeadset

from teleop.arms import ARMS, SIDES, ArmKinematics
from teleop.messages import PoseFrame
from teleop.operator import Operator
from teleop.reference_stream import StreamedReference
from teleop.settings import TeleopSettings
from teleop.stream_messages import ReferenceMessage, RobotState
from wbmpc.reference import Reference
from wbmpc.robot import Robot

TICK_S = 0.02
SAG_RAD = 0.02
"""By which the robot's elbows differ from their references."""


class Wire:
    """A perfect transport that can be cut."""

    def __init__(self) -> None:
        self.waiting: list[ReferenceMessage] = []
        self.is_cut = False
        self.refused: Counter[str] = Counter()

    def send(self, message: ReferenceMessage) -> None:
        if not self.is_cut:
            self.waiting.append(message)

    def poll(self) -> list[ReferenceMessage]:
        found, self.waiting = self.waiting, []
        return found


class Bench:
    """Runs everything; `filtered` may drop, delay or repeat frames."""

    def __init__(self, robot: Robot, settings: TeleopSettings | None = None) -> None:
        self.robot = robot
        self.settings = settings or TeleopSettings()
        self.headset = FakeHeadset()
        self.operator = Operator(robot, self.settings)
        self.wire = Wire()
        self.stream = StreamedReference(robot, self.wire)
        self.kinematics = ArmKinematics(robot)
        self.now_s = 100.0
        self.filtered: Callable[[PoseFrame], list[PoseFrame]] = lambda frame: [frame]
        self.robot_answers = True
        self.problem: str | None = None
        self.references: list[Reference] = []
        self._next_frame_s = self.now_s
        self._states = 0
        self.reference = self.stream.at(self.now_s)

    def run(
        self, duration_s: float, move: Callable[[float], None] | None = None
    ) -> None:
        """Let time pass; `move` is called with the time since the start of the call."""
        start_s = self.now_s
        for _ in range(round(duration_s / TICK_S)):
            end_s = self.now_s + TICK_S
            while self._next_frame_s < end_s - 1e-9:
                if move is not None:
                    move(self._next_frame_s - start_s)
                self.run_frames(1)
            self.now_s = end_s
            self._tick()

    def run_frames(self, count: int) -> None:
        """Send frames; the operator's side does not tick meanwhile."""
        for _ in range(count):
            frame = self.headset.frame(self._next_frame_s)
            for sent in self.filtered(frame):
                self.operator.frame(sent, self._next_frame_s)
            self._next_frame_s += 1.0 / RATE_HZ

    def ready(self) -> None:
        """A second of good data with open hands."""
        self.run(1.0)

    def engage(self, *sides: str) -> None:
        """Squeeze; nothing moves yet."""
        self.ready()
        self.squeeze(1.0, *sides)
        self.run(0.1)

    def squeeze(self, value: float, *sides: str) -> None:
        for side in sides or SIDES:
            self.headset.hands[side].squeeze = value

    @property
    def states(self) -> dict[str, str]:
        hands = self.operator.hands.items()
        return {side: hand.engagement.state.value for side, hand in hands}

    def tip(self, side: str, q_upper: np.ndarray | None = None) -> pin.SE3:
        """Hand of the reference in force, in the frame of the torso."""
        q_upper = self.reference.q_upper if q_upper is None else q_upper
        return self.kinematics.tips(q_upper[1:])[side]

    def _tick(self) -> None:
        if self.robot_answers:
            self.operator.robot_state(self._state(), self.now_s)
        message = self.operator.tick(self.now_s)
        if message is not None:
            self.wire.send(message)
        self.reference = self.stream.at(self.now_s)
        self.references.append(self.reference)

    def _measured_upper(self) -> np.ndarray:
        measured = self.reference.q_upper.copy()
        measured[[4, 8]] += SAG_RAD
        return measured

    def _state(self) -> RobotState:
        self._states += 1
        robot = self.robot
        q = robot.home_q_full[7:].copy()
        upper = robot.joints_full("spine", *ARMS)
        q[upper] = self._measured_upper()
        return RobotState(
            seq=self._states,
            time_s=self.now_s - 100.0,
            q=tuple(q.tolist()),
            base=tuple(robot.home_q_full[:7].tolist()),
            q_upper_ref=tuple(self.reference.q_upper.tolist()),
            com_height_ref_m=self.stream.com_height_m,
            pelvis_pitch_ref_rad=self.stream.pelvis_pitch_rad,
            problem=self.problem,
        )
