"""The real operator's side, and a robot that is where its references are."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pinocchio as pin

from teleop.arms import ARMS
from teleop.operator import Operator
from teleop.session import OperatorSession
from teleop.settings import EngagementSettings, TeleopSettings
from teleop.stream_messages import PayloadEstimate, ReferenceMessage, RobotState
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

TICK_S = 0.02
PATIENT = EngagementSettings(hold_after_s=1.0, disengage_after_s=2.5)
"""A busy machine without a GPU delays a browser's frames by more than half a second."""


class ObedientRobot(OperatorSession):
    """A session whose robot follows at once; ticks in the server's own loop.

    Attributes:
        references: What was sent to the robot, newest last.
        payload: Estimates the robot reports.
        margin_m: Balance margin it reports.
    """

    def __init__(self, robot: Robot) -> None:
        settings = TeleopSettings(engagement=PATIENT)
        super().__init__(Operator(robot, settings), settings)
        self.references: list[ReferenceMessage] = []
        self.payload: dict[str, PayloadEstimate] = {}
        self.margin_m = 0.05
        self._robot, self._standing = robot, home_reference(robot)
        self._upper = robot.joints_full("spine", *ARMS)
        self._runs, self._states = False, 0

    def status(self, now_s: float) -> str:
        if not self._runs:
            self._runs = True
            self._tick()
        return super().status(now_s)

    def tip(self, side: str) -> np.ndarray:
        """Where the robot's tip is [m], by Pinocchio, in the world."""
        model = self._robot.full_model
        data = model.createData()
        q = np.array([*self._robot.home_q_full[:7], *self._state().q])
        pin.framesForwardKinematics(model, data, q)
        frame = model.getFrameId(self._robot.arms[side].tip_frame)
        return np.array(data.oMf[frame].translation)

    def _tick(self) -> None:
        now_s = time.monotonic()
        self.operator.robot_state(self._state(), now_s)
        message = self.operator.tick(now_s)
        if message is not None:
            self.references.append(message)
        asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _state(self) -> RobotState:
        self._states += 1
        last = self.references[-1] if self.references else None
        upper = self._standing.q_upper if last is None else np.array(last.q_upper)
        q = self._robot.home_q_full[7:].copy()
        q[self._upper] = upper
        height = self._standing.com_m[2] if last is None else last.com_height_m
        return RobotState(
            seq=self._states,
            time_s=TICK_S * self._states,
            q=tuple(q.tolist()),
            base=tuple(self._robot.home_q_full[:7].tolist()),
            q_upper_ref=tuple(upper.tolist()),
            com_height_ref_m=float(height),
            pelvis_pitch_ref_rad=0.0 if last is None else last.pelvis_pitch_rad,
            payload=self.payload,
            margin_m=self.margin_m,
        )
