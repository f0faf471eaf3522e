"""The control side's part for the operator at every tick."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import msgspec
import numpy as np
import pinocchio as pin

from scenarios.records.record import SIDES
from scenarios.report.metrics.support import Stance
from scenarios.run.adaptation import FREE_FLYER, AdaptationTick
from scenarios.run.snapshot import Snapshot
from teleop.arms import ARMS, ArmKinematics
from teleop.latency import LatencyMeter
from teleop.reference_stream import FRESH_S, StreamedReference
from teleop.stream_messages import PayloadEstimate, RobotState
from teleop.udp import UdpSender
from wbmpc.control.loop import ControlTick
from wbmpc.reference import Reference
from wbmpc.robot import Robot

STATE_RATE_HZ = 50.0
"""Of states sent, where the control side is not slower."""
MAX_ROWS = 12_000
"""Ticks of hand errors kept."""


class RobotLink:
    """Reads references, sends states, and measures how old things are.

    Source of references and companion of a run at once: it sees both ends of a tick.

    Attributes:
        latency: From samples to torques.
        ticks: Control ticks so far.
        off_target: By side: (time [s], distance of the hand from the operator's target
            [m]) at each tick it was engaged.
    """

    def __init__(
        self,
        robot: Robot,
        references: StreamedReference,
        states: UdpSender,
        end: Callable[[], bool],
    ) -> None:
        """Couple.

        Args:
            robot: The robot.
            references: From the operator.
            states: To the operator.
            end: Whether the run shall end.
        """
        self.latency = LatencyMeter()
        self._references, self._states, self._end = references, states, end
        self._robot, self._stance = robot, Stance(robot)
        self._model, self._data = robot.model.copy(), robot.model.createData()
        self._joints = [robot.link_joint(robot.arms[side].link) for side in SIDES]
        self._nominal_kg = [robot.model.inertias[j].mass for j in self._joints]
        self._read_s, self._sent = 0.0, 0
        self.ticks = 0
        self.off_target: dict[str, deque] = {
            side: deque(maxlen=MAX_ROWS) for side in SIDES
        }
        self._kinematics, self._arms = ArmKinematics(robot), robot.joints(*ARMS)
        tick_s = robot.settings.mpc.tick_dt_s
        self._state_every = max(1, round(1.0 / (STATE_RATE_HZ * tick_s)))
        second = round(1.0 / tick_s)
        self._limits: deque[np.ndarray] = deque(maxlen=second)
        self._last: tuple[Snapshot, ControlTick] | None = None

    @property
    def wants_end(self) -> bool:
        """Whether the run shall end."""
        return self._end()

    def at(self, time_s: float) -> Reference:
        """Reference in force."""
        self._read_s = time.monotonic()
        return self._references.at(time_s)

    def ticked(self, snapshot: Snapshot, tick: ControlTick) -> None:
        """Note latencies, and tell the operator about the robot."""
        self.latency.used(snapshot.plan_time_s, 1e-9 * snapshot.plan_used_ns)
        self._limits.append(snapshot.command.saturated)
        self._compare(snapshot)
        self.latency.received(
            self._references.newest, self._read_s, tick.result.plan.time_s
        )
        if self.ticks % self._state_every == 0:
            self._states.send(self._state(snapshot, tick))
        self.ticks += 1
        self._last = (snapshot, tick)

    def _compare(self, snapshot: Snapshot) -> None:
        """Distance of each engaged hand from where the operator wants it."""
        message, seen = self._references.newest, snapshot.state.seen
        if message is None or self._references.age_s(seen.time_s) > FRESH_S:
            return
        wanted = {"left": message.left_hand, "right": message.right_hand}
        if not any(wanted.values()):
            return
        q_arms = self._robot.controlled_q(seen.q)[7 + self._arms]
        tips = self._kinematics.tips(q_arms)
        for side, target in wanted.items():
            if target is not None:
                away = np.array(target[:3]) - tips[side].translation
                self.off_target[side].append((seen.time_s, np.linalg.norm(away)))

    def say(self, problem: str) -> None:
        """Tell the operator why the robot takes no references any more."""
        if self._last is not None:
            state = self._state(*self._last)
            self._states.send(msgspec.structs.replace(state, problem=problem))

    def _state(self, snapshot: Snapshot, tick: ControlTick) -> RobotState:
        seen = snapshot.state.seen
        self._sent += 1
        payload = self._payload(tick)
        x, y, z, qx, qy, qz, qw = map(float, seen.q[:7])
        return RobotState(
            seq=self._sent,
            time_s=seen.time_s,
            q=tuple(map(float, seen.q[7:])),
            base=(x, y, z, qx, qy, qz, qw),
            q_upper_ref=tuple(map(float, self._references.q_upper)),
            com_height_ref_m=self._references.com_height_m,
            pelvis_pitch_ref_rad=self._references.pelvis_pitch_rad,
            payload=payload,
            margin_m=self._margin_m(snapshot, tick),
            saturated=self._saturated(),
        )

    def _saturated(self) -> dict[str, float]:
        share = np.mean(self._limits, axis=0) if self._limits else np.zeros(0)
        names = zip(self._robot.joint_names, share.tolist(), strict=False)
        return {name: value for name, value in names if value > 0.0}

    def _payload(self, tick: ControlTick) -> dict[str, PayloadEstimate]:
        """Estimated minus nominal mass of each forearm."""
        if not isinstance(tick.update, AdaptationTick):
            return {}
        belief = tick.update.belief
        return {
            side: PayloadEstimate(
                mass_kg=float(belief.parameters[k, 0] - self._nominal_kg[k]),
                sigma_kg=float(belief.sigma_mass_kg[k]),
            )
            for k, side in enumerate(SIDES)
        }

    def _margin_m(self, snapshot: Snapshot, tick: ControlTick) -> float:
        """Centre of mass, estimated loads included, from the edge of the polygon."""
        if tick.update is not None:
            # Only a body's own load has no side: it comes after those of the arms.
            joints = [*self._joints, FREE_FLYER]
            for joint, parameters in zip(joints, tick.update.published, strict=False):
                inertia = pin.Inertia.FromDynamicParameters(parameters)
                self._model.inertias[joint] = inertia
        q = self._robot.controlled_q(snapshot.state.seen.q)
        com = pin.centerOfMass(self._model, self._data, q)
        return float(self._stance.margin_m(np.array(com[:2])[None])[0])
