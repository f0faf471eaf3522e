"""The operator's side without any socket or clock: device frames in, references out."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from teleop.arms import SIDES, ArmIk, ArmStep
from teleop.clock import ClockEstimator
from teleop.clutch import Clutch, HandTrack
from teleop.continuity import Continuity
from teleop.conventions import (
    HandSample,
    PoseFault,
    hand_sample,
    heading,
    read_pose,
)
from teleop.engagement import HandEngagement, HandState
from teleop.messages import Page, PoseFrame
from teleop.pose_gate import PoseGate
from teleop.settings import TeleopSettings
from teleop.sticks import BaseCommand, StickMapping
from teleop.stream_messages import Pose7, ReferenceMessage, RobotState
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

ROBOT_SILENT_S = 0.5
"""Without a newer state of the robot nobody drives; the next one is a fresh start."""
ANOTHER_DEVICE = "another device took over"
MAX_RATE_HZ = 1000
"""Of frames, as far as their rate is counted."""


@dataclass
class HandChannel:
    """Everything about one hand of the operator."""

    gate: PoseGate
    engagement: HandEngagement
    track: HandTrack = field(default_factory=HandTrack)
    clutch: Clutch | None = None
    sample: HandSample | None = None
    source: int | None = None

    def start_anew(self, why: str) -> None:
        """What comes next has nothing to do with what was."""
        self.engagement.start_anew(why)
        self.gate.forget()
        self.track.clear()
        self.clutch = None

    @property
    def drives(self) -> bool:
        """Whether the hand moves its arm now."""
        return self.engagement.state is HandState.ENGAGED

    @property
    def let_go(self) -> bool:
        """Whether the squeeze is open, or there is no controller."""
        gone = self.sample is None or self.sample.squeeze is None
        return gone or self.engagement.is_released


class Operator:
    """Devices, engagement, mapping and inverse kinematics of one operator.

    Attributes:
        hands: By side.
        clock: Of the client.
        frames: Frames taken since the client's hello.
        gaps: Frames that sequence numbers say are missing since then.
        counts: Frames that were not used, poses that were renormalised, by name.
        reach_error_m: Distance of each hand's target from where the arm can put it.
        stopped: Whether both sticks were pressed, until the next press that engages.
        state: Newest state of the robot.
    """

    def __init__(self, robot: Robot, settings: TeleopSettings) -> None:
        """Wait for a client and for the robot."""
        self._robot, self._settings = robot, settings
        self._ik = ArmIk(robot, settings.ik)
        self._sticks = StickMapping(settings.mapping)
        self._standing = home_reference(robot)
        # The first joint of the spine is its yaw.
        self._spine = len(robot.joints("spine"))
        self._stream, self._seq = time.time_ns() & 0x7FFFFFFF, 0
        self.state: RobotState | None = None
        self._state_s = -np.inf
        self.reach_error_m = dict.fromkeys(SIDES, 0.0)
        self.counts: Counter[str] = Counter()
        self.connect("xr")

    def connect(self, page: Page) -> None:
        """A client starts, or starts again: everything it says must be proven anew."""
        settings = self._settings.engagement
        self.hands = {
            side: HandChannel(
                gate=PoseGate(settings, may_rest=page == "desktop"),
                engagement=HandEngagement(settings),
            )
            for side in SIDES
        }
        self.clock = ClockEstimator()
        self.stopped, self._must_let_go = False, False
        self._last_seq: int | None = None
        self.frames = self.gaps = 0
        self._arrivals: deque[float] = deque(maxlen=MAX_RATE_HZ)
        self._last_head: pin.SE3 | None = None
        self._continuity = Continuity()

    def frame(self, frame: PoseFrame, received_s: float) -> None:
        """Take one frame of the client.

        Args:
            frame: As the page sent it.
            received_s: When it arrived, server's clock.
        """
        if not self._is_next(frame.seq):
            self.counts["out_of_order"] += 1
            return
        self.frames += 1
        self._arrivals.append(received_s)
        stamp_s = self.clock.stamp(frame.t, received_s)
        samples = {
            "left": hand_sample(frame.left, stamp_s),
            "right": hand_sample(frame.right, stamp_s),
        }
        late = received_s - stamp_s > self._settings.engagement.hold_after_s
        self.counts["late"] += late
        self.counts["renormalised"] += sum(s.renormalised for s in samples.values())
        head = None if frame.head is None else read_pose(frame.head)[0]
        self._watch_continuity(frame, samples, head)
        self._last_head = head or self._last_head
        self._watch_stop(samples)
        for side, other in zip(SIDES, reversed(SIDES), strict=True):
            self._hand(
                side, samples[side], head, samples[other].pose, frame, received_s
            )

    def robot_state(self, state: RobotState, received_s: float) -> None:
        """Take a state of the robot.

        The first one, and the first one after a silence, is where the references start:
        nothing jumps, whichever side was away. One of another robot is counted and
        nothing else.
        """
        if not self._is_ours(state):
            self.counts["state_of_another_robot"] += 1
            return
        if self.state is None:
            self._start_from(state)
        self.state, self._state_s = state, received_s

    def tick(self, now_s: float) -> ReferenceMessage | None:
        """References of one tick at the IK's rate; None while the robot is silent."""
        self._mind_the_robot(now_s)
        for hand in self.hands.values():
            hand.engagement.tick(now_s)
            if not hand.engagement.state.holds_clutch:
                hand.clutch = None
        if self.state is None:
            return None
        targets = {side: self._target(side, now_s) for side in SIDES}
        arms = self._ik.step(targets)
        self._leash(targets, arms)
        base = self._sticks.step(
            {side: self._stick(side) for side in SIDES}, 1.0 / self._settings.ik.rate_hz
        )
        return self._reference(now_s, arms, base, targets)

    def release(self, reason: str) -> None:
        """End every engagement."""
        for hand in self.hands.values():
            hand.engagement.release(reason)
            hand.clutch = None

    def age_s(self, now_s: float) -> float:
        """Time since the client was last heard of; infinite before its first frame."""
        return now_s - self._arrivals[-1] if self._arrivals else np.inf

    def rate_hz(self, now_s: float) -> float:
        """Frames received in the last second."""
        while self._arrivals and now_s - self._arrivals[0] > 1.0:
            if len(self._arrivals) == 1:
                return 0.0
            self._arrivals.popleft()
        return float(len(self._arrivals))

    def state_age_s(self, now_s: float) -> float | None:
        """Age of the newest state of the robot; None before the first."""
        return None if self.state is None else now_s - self._state_s

    def blocked(self) -> str | None:
        """Why nobody can engage, for reasons beyond a hand."""
        if self.state is None:
            return "no state from the robot"
        if self.state.problem is not None:
            return self.state.problem
        if self._must_let_go:
            return "stopped: let go of sticks and squeezes"
        return None

    def _is_ours(self, state: RobotState) -> bool:
        """Whether a state is one of this robot, and references can start from it."""
        sizes = len(state.q), len(state.q_upper_ref)
        if sizes != (len(self._robot.joint_names), len(self._standing.q_upper)):
            return False
        numbers = [*state.q, *state.base, *state.q_upper_ref]
        numbers += [state.com_height_ref_m, state.pelvis_pitch_ref_rad]
        return bool(np.isfinite(numbers).all())

    def _start_from(self, state: RobotState) -> None:
        upper = np.array(state.q_upper_ref)
        turned = upper - self._standing.q_upper
        self._ik.seed(upper[self._spine :])
        self._sticks.seed(
            BaseCommand(
                spine_yaw_rad=float(turned[0]) if self._spine else 0.0,
                pelvis_pitch_rad=state.pelvis_pitch_ref_rad,
                com_height_m=state.com_height_ref_m - self._standing.com_m[2],
            )
        )

    def _mind_the_robot(self, now_s: float) -> None:
        """Nobody drives a robot that is silent or takes no references any more."""
        if self.state is None:
            return
        if now_s - self._state_s > ROBOT_SILENT_S:
            self.state = None
            self.release("no state from the robot")
        elif self.state.problem is not None:
            self.release(self.state.problem)

    def _is_next(self, seq: int) -> bool:
        last = self._last_seq
        if last is not None and seq <= last:
            return False
        self.gaps += 0 if last is None else seq - last - 1
        self._last_seq = seq
        return True

    def _watch_continuity(
        self, frame: PoseFrame, samples: dict[str, HandSample], head: pin.SE3 | None
    ) -> None:
        """No hand goes on in other coordinates, or with another device."""
        poses = {side: sample.pose for side, sample in samples.items()}
        why = self._continuity.broken(frame.space, frame.t, {"head": head, **poses})
        if why is not None:
            self.counts["discontinuities"] += 1
            self._last_head = None
        for side, hand in self.hands.items():
            source = samples[side].source
            another = hand.source is not None and source not in (None, hand.source)
            hand.source = hand.source if source is None else source
            if why is not None or another:
                hand.start_anew(why or ANOTHER_DEVICE)

    def _watch_stop(self, samples: dict[str, HandSample]) -> None:
        """Both sticks pressed stop everything, whatever the poses are worth."""
        if all(sample.stick_pressed for sample in samples.values()):
            self.stop()

    def stop(self) -> None:
        """Let everything go until sticks and squeezes have been let go as well."""
        self.stopped = self._must_let_go = True
        self.release("stopped by the operator")

    def _hand(
        self,
        side: str,
        sample: HandSample,
        head: pin.SE3 | None,
        other: pin.SE3 | None,
        frame: PoseFrame,
        received_s: float,
    ) -> None:
        hand = self.hands[side]
        if not hand.engagement.state.holds_clutch:
            hand.gate.forget_accepted()
        if frame.visibility == "visible":
            fault = hand.gate.judge(sample, head, other)
        else:
            fault = PoseFault.NOT_VISIBLE
        hand.sample = sample
        engaged = hand.engagement.observe(
            received_s, sample.stamp_s, fault, sample.squeeze, self.blocked()
        )
        if engaged:
            self._engage(side, sample)
        if hand.drives and fault is None:
            hand.track.add(sample.stamp_s, sample.pose)
        if all(h.let_go for h in self.hands.values()):
            self._must_let_go = False

    def _engage(self, side: str, sample: HandSample) -> None:
        """The first target is the commanded hand, so that engaging moves nothing.

        A hand that sags under a load is not where it is commanded to be. A target
        there would let the command follow it down, a bit further at each press.
        """
        turn = np.eye(3) if self._last_head is None else heading(self._last_head)
        hand = self.hands[side]
        hand.track.clear()
        hand.clutch = Clutch(
            self._settings.hand,
            hand=sample.pose,
            robot=self._ik.tips()[side],
            heading=turn,
        )
        self.stopped = False

    def _target(self, side: str, now_s: float) -> pin.SE3 | None:
        hand = self.hands[side]
        if hand.clutch is None or not hand.drives:
            return None
        pose = hand.track.at(now_s - self._settings.hand.delay_s)
        return None if pose is None else hand.clutch.target(pose)

    def _leash(self, targets: dict[str, pin.SE3 | None], arms: ArmStep) -> None:
        self.reach_error_m = arms.reach_error_m
        self.counts["ik_failed"] += not arms.status.ok
        for side, target in targets.items():
            clutch = self.hands[side].clutch
            if target is not None and clutch is not None:
                reached = arms.tips[side].translation
                clutch.leash(target.translation, reached)

    def _stick(self, side: str) -> tuple[float, float] | None:
        hand = self.hands[side]
        if not hand.drives or hand.sample is None:
            return None
        return hand.sample.stick_right, hand.sample.stick_forward

    def _reference(
        self,
        now_s: float,
        arms: ArmStep,
        base: BaseCommand,
        targets: dict[str, pin.SE3 | None],
    ) -> ReferenceMessage:
        q = np.concatenate([self._standing.q_upper[: self._spine], arms.q])
        v = np.concatenate([np.zeros(self._spine), arms.v])
        if self._spine:
            q[0] += base.spine_yaw_rad
            v[0] = base.spine_yaw_rate_rad_per_s
        driving = [h.track.newest_s for h in self.hands.values() if h.drives]
        self._seq += 1
        return ReferenceMessage(
            stream=self._stream,
            seq=self._seq,
            sent_s=now_s,
            sample_s=max((s for s in driving if s is not None), default=None),
            q_upper=tuple(q.tolist()),
            v_upper=tuple(v.tolist()),
            com_height_m=float(self._standing.com_m[2] + base.com_height_m),
            pelvis_pitch_rad=base.pelvis_pitch_rad,
            left_hand=_pose7(targets["left"]),
            right_hand=_pose7(targets["right"]),
        )


def _pose7(pose: pin.SE3 | None) -> Pose7 | None:
    if pose is None:
        return None
    x, y, z, qx, qy, qz, qw = pin.SE3ToXYZQUAT(pose).tolist()
    return x, y, z, qx, qy, qz, qw
