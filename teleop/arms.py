"""Targets of both hands to angles and velocities of the arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from teleop.arm_collisions import ArmCollisions
from teleop.ik import (
    DifferentialIk,
    FrameTask,
    IkLimits,
    IkStatus,
    IkWeights,
)
from teleop.settings import IkSettings
from wbmpc.robot import BASE, Robot

SIDES = ("left", "right")
ARMS = tuple(f"{side}_arm" for side in SIDES)


@dataclass(frozen=True, kw_only=True)
class ArmStep:
    """One tick of both arms.

    Attributes:
        q: (n,) angles, left then right, `Robot.joints(*ARMS)` order [rad].
        v: (n,) velocities [rad/s].
        tips: Where each hand is now, in the frame of the torso.
        reach_error_m: Distance of each hand from its target; 0 without one.
        status: Of the inverse kinematics.
    """

    q: Array
    v: Array
    tips: dict[str, pin.SE3]
    reach_error_m: dict[str, float]
    status: IkStatus


class ArmKinematics:
    """Where the hands are, in the frame of the link that carries the arms."""

    def __init__(self, robot: Robot) -> None:
        """Look the frames up."""
        self._model, self._data = robot.model, robot.model.createData()
        self._q = robot.home_q.copy()
        self._arms = robot.joints(*ARMS)
        first = robot.settings.groups.left_arm[0]
        self._torso = int(self._model.parents[self._model.getJointId(first)])
        self._tips = {s: robot.frame_id(a.tip_frame) for s, a in robot.arms.items()}

    def tips(self, q_arms: Array) -> dict[str, pin.SE3]:
        """Hands in the frame of the torso, which depends on nothing but the arms."""
        self._q[7 + self._arms] = q_arms
        pin.framesForwardKinematics(self._model, self._data, self._q)
        torso = self._data.oMi[self._torso]
        return {s: torso.actInv(self._data.oMf[f]) for s, f in self._tips.items()}

    def world(self, target: pin.SE3) -> pin.SE3:
        """A placement relative to the torso, in the world of the home pose."""
        return self._data.oMi[self._torso] * target


class ArmIk:
    """Both arms, from one tick to the next. An arm without a target holds."""

    def __init__(self, robot: Robot, settings: IkSettings) -> None:
        """Start at home."""
        self._settings = settings
        self._kinematics = ArmKinematics(robot)
        self._arms = robot.joints(*ARMS)
        self._active = BASE + self._arms
        self._side = np.repeat(SIDES, [len(robot.joints(arm)) for arm in ARMS])
        self._tips = {s: robot.frame_id(a.tip_frame) for s, a in robot.arms.items()}
        self._q = robot.home_q.copy()
        weights = IkWeights(
            gain=settings.gain,
            posture=settings.posture_weight,
            damping=settings.damping,
        )
        self._ik = DifferentialIk(
            robot.model, list(self._active), _limits(robot, settings), weights, self._q
        )
        self._collisions = None
        if settings.collision.enabled:
            self._collisions = ArmCollisions(robot, settings.collision)

    def seed(self, q_arms: Array) -> None:
        """Start from other angles."""
        self._q[7 + self._arms] = q_arms

    def tips(self) -> dict[str, pin.SE3]:
        """Where both hands are commanded to be, in the frame of the torso."""
        return self._kinematics.tips(self._q[7 + self._arms])

    def step(self, targets: Mapping[str, pin.SE3 | None]) -> ArmStep:
        """Move one tick.

        Args:
            targets: Of each hand in the frame of the torso; None holds that arm.
        """
        asked = {side: target for side, target in targets.items() if target is not None}
        tips = self._kinematics.tips(self._q[7 + self._arms])
        if not asked:
            return self._result(np.zeros(len(self._arms)), tips, {}, IkStatus.SOLVED)
        step = self._ik.step(
            self._q,
            [self._task(side, target) for side, target in asked.items()],
            1.0 / self._settings.rate_hz,
            held=~np.isin(self._side, list(asked)),
            inequalities=None
            if self._collisions is None
            else self._collisions.inequalities(self._q, self._active),
        )
        self._q = step.q
        tips = self._kinematics.tips(self._q[7 + self._arms])
        return self._result(step.v[self._active], tips, asked, step.status)

    def _task(self, side: str, target: pin.SE3) -> FrameTask:
        return FrameTask(
            frame=self._tips[side],
            target=self._kinematics.world(target),
            orientation_weight=self._settings.orientation_weight_m,
        )

    def _result(
        self,
        v: Array,
        tips: dict[str, pin.SE3],
        asked: Mapping[str, pin.SE3],
        status: IkStatus,
    ) -> ArmStep:
        error = dict.fromkeys(SIDES, 0.0)
        for side, target in asked.items():
            away = target.translation - tips[side].translation
            error[side] = float(np.linalg.norm(away))
        q = self._q[7 + self._arms].copy()
        return ArmStep(q=q, v=v, tips=tips, reach_error_m=error, status=status)


def _limits(robot: Robot, settings: IkSettings) -> IkLimits:
    """The robot's limits with margins, and elbows kept on the side they are on.

    The elbow of an arm is the joint that is bent most at home.
    """
    arms, model = robot.joints(*ARMS), robot.model
    low = model.lowerPositionLimit[7 + arms] + settings.limit_margin_rad
    high = model.upperPositionLimit[7 + arms] - settings.limit_margin_rad
    home, start = robot.home_q[7 + arms], 0
    for arm in ARMS:
        end = start + len(robot.joints(arm))
        elbow = start + int(np.argmax(np.abs(home[start:end])))
        if home[elbow] < 0.0:
            high[elbow] = min(high[elbow], -settings.min_elbow_bend_rad)
        elif home[elbow] > 0.0:
            low[elbow] = max(low[elbow], settings.min_elbow_bend_rad)
        start = end
    own = model.upperVelocityLimit[BASE + arms]
    own = np.where((own > 0.0) & np.isfinite(own), own, np.inf)
    return IkLimits(
        low=low, high=high, speed=np.minimum(own, settings.max_speed_rad_per_s)
    )
