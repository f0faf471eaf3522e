"""1 kHz joint control around the plan (arXiv:2610.22176, section III-D)."""

from __future__ import annotations

import enum
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from wbmpc.control.feedback import feedback_torque
from wbmpc.control.plan import Plan
from wbmpc.control.plan_queue import PlanQueue
from wbmpc.friction import JointFriction
from wbmpc.robot import BASE, Robot

MAX_PLAN_AGE_S = 0.05
"""How long an old plan may be followed when no new one comes."""
LOOK_AHEAD_S = 0.07
"""How far ahead the plan says which way a joint is about to move. A plan starts at the
measured velocity, noise and all; a critically damped response has forgotten it after
1 / sqrt(kp), which is this for arms and spine, and has only the error left to close."""


class LowLevelMode(enum.Enum):
    """The mode of the joints."""

    TRACK = "following the plan"
    HOLD = "damped hold"


@dataclass(frozen=True, kw_only=True)
class JointCommand:
    """Torques for every joint, locked ones included, within their limits.

    Attributes:
        tau_Nm: (n,) in the order of `Robot.joint_names`.
        saturated: (n,) whether the limit cut the joint's torque.
        mode: Where the torques come from.
        replaced: Joints whose torque was not finite and gave way to the fallback.
    """

    tau_Nm: Array
    saturated: NDArray[np.bool_]
    mode: LowLevelMode
    replaced: tuple[int, ...] = ()


class LowLevelController:
    r"""Feed-forward torque and PD around a cubic Hermite spline of the plan.

    tau = tau* + Kp (q*(t) - q) + Kd (v*(t) - v), clipped to the effort limits; neck and
    locked joints have a PD about their home angles. Known friction is overcome on top,
    in the direction in which the plan is about to move: that of the measured velocity
    is noise at rest, and would push a joint along that moves where it should not.

    When the plan gets older than `MAX_PLAN_AGE_S` the joints are held where the plan
    last put them, with damping: the command depends on past commands and damping only,
    never on extrapolated motion or friction. So they are after the clock was set back
    to before the plan began, until one of the new time comes.

    It is the last guard before the motors: a torque that is not finite never leaves. A
    joint that has none repeats its last command for `MAX_PLAN_AGE_S`; then it gets the
    torque that the plan last fed forward and the damping that can still be measured,
    without the spring; and zero where not even these are finite.
    """

    def __init__(self, robot: Robot, friction: JointFriction | None = None) -> None:
        """Read the gains from the robot's settings.

        Args:
            robot: What is controlled.
            friction: What the joints of this plant are known to have.
        """
        self._robot, self._friction = robot, friction
        self._kp, self._kd = _gains(robot)
        self._limits = robot.torque_limits_full_Nm
        self._home = robot.home_q_full[7:]
        self._still = np.zeros(len(self._home))
        self._rest = (self._home, self._still, self._still)
        self._queue = PlanQueue(robot.settings.mpc.tick_dt_s)
        self._faults: Counter[str] = Counter()
        self._now_s = -math.inf
        self._sent_Nm = np.zeros(len(self._home))
        self._sent_s = np.full(len(self._home), -math.inf)

    @property
    def _plan(self) -> Plan | None:
        """In force."""
        return self._queue.plan

    def follow(self, plan: Plan) -> None:
        """Follow a new plan, from its own time on.

        One that is not finite, or older than the one in force, is left out and counted.
        """
        self._queue.put(plan)

    def faults(self) -> dict[str, int]:
        """How often each named fault occurred."""
        return dict(self._queue.faults + self._faults)

    def command(self, time_s: float, q_full: Array, v_full: Array) -> JointCommand:
        """Torques at `time_s` for the measured state of all joints."""
        left = self._queue.advance(time_s)
        if left is not None:
            q, _, tau = self._reference(left, self._now_s - left.time_s)
            self._rest = q, self._still, tau
        if math.isfinite(time_s):
            self._now_s = time_s
        q_ref, v_ref, tau_ref, mode = self._target(time_s)
        with np.errstate(over="ignore", invalid="ignore"):
            tau = (
                tau_ref
                + self._kp * (q_ref - q_full[7:])
                + self._kd * (v_ref - v_full[BASE:])
            )
            if mode is LowLevelMode.TRACK:
                tau = tau + self._feedback(time_s, q_full, v_full)
                if self._friction is not None:
                    tau = tau + self._overcome(self._friction, time_s)
        usable = np.isfinite(tau)
        replaced: tuple[int, ...] = ()
        if not usable.all():
            tau = np.where(usable, tau, self._fallback(time_s, tau_ref, v_full))
            replaced = tuple(np.flatnonzero(~usable).tolist())
            self._faults["torque_not_finite"] += 1
        clipped = np.minimum(np.maximum(tau, -self._limits), self._limits)
        self._sent_Nm[usable], self._sent_s[usable] = clipped[usable], time_s
        return JointCommand(
            tau_Nm=clipped, saturated=clipped != tau, mode=mode, replaced=replaced
        )

    def _fallback(self, time_s: float, tau_ref: Array, v_full: Array) -> Array:
        """Torques for joints that have none."""
        fed = np.where(np.isfinite(tau_ref), tau_ref, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            damped = fed - self._kd * v_full[BASE:]
            age_s = time_s - self._sent_s
        held = np.where(np.isfinite(damped), damped, fed)
        recent = (age_s >= 0.0) & (age_s <= MAX_PLAN_AGE_S)
        return np.where(recent, self._sent_Nm, held)

    def _target(self, time_s: float) -> tuple[Array, Array, Array, LowLevelMode]:
        if self._plan is None:
            return *self._rest, LowLevelMode.HOLD
        age_s = time_s - self._plan.time_s
        if -1e-6 <= age_s <= MAX_PLAN_AGE_S:
            return *self._reference(self._plan, age_s), LowLevelMode.TRACK
        q, _, tau = self._reference(self._plan, MAX_PLAN_AGE_S)
        return q, self._still, tau, LowLevelMode.HOLD

    def _reference(self, plan: Plan, age_s: float) -> tuple[Array, Array, Array]:
        """Angles, velocities and torques of all joints, where a plan has them."""
        robot = self._robot
        q, v, tau = sample(plan, plan.time_s + min(age_s, MAX_PLAN_AGE_S))
        return (
            robot.full_tau(q, self._home),
            robot.full_tau(v, self._still),
            robot.full_tau(tau, self._still),
        )

    def _overcome(self, friction: JointFriction, time_s: float) -> Array:
        """Torque of friction in the direction that the plan is about to move."""
        assert self._plan is not None
        v = intended_velocity(self._plan, time_s)
        return self._robot.full_tau(friction.torque_Nm(v), self._still)

    def _feedback(self, time_s: float, q_full: Array, v_full: Array) -> Array:
        """Torque of the plan's own gains, where it carries any."""
        robot, plan = self._robot, self._plan
        if plan is None or plan.gain is None:
            return self._still
        q, v = robot.controlled_q(q_full), robot.controlled_v(v_full)
        torque = feedback_torque(robot.model, plan, time_s, q, v)
        if not np.isfinite(torque).all():
            # One reading spoils the row of every joint; the others have their own PD.
            return self._still
        return robot.full_tau(torque, self._still)


def intended_velocity(plan: Plan, time_s: float) -> Array:
    """Joint velocities (nu,) that a plan is about to reach; zero once it is too old."""
    if time_s - plan.time_s > MAX_PLAN_AGE_S:
        return np.zeros(plan.tau_Nm.shape[1])
    return sample(plan, time_s + LOOK_AHEAD_S)[1]


def sample(plan: Plan, time_s: float) -> tuple[Array, Array, Array]:
    """Joint angles, velocities and feed-forward torques of a plan at a time.

    Cubic Hermite spline between nodes for the angles, its derivative for the
    velocities; torques are constant between nodes, as in the problem that was solved.
    """
    position = (time_s - plan.time_s) / plan.node_dt_s
    k = min(max(math.floor(position + 1e-9), 0), len(plan.tau_Nm) - 1)
    s = min(max(position - k, 0.0), 1.0)
    h = plan.node_dt_s
    q0, q1 = plan.q[k, 7:], plan.q[k + 1, 7:]
    v0, v1 = plan.v[k, BASE:], plan.v[k + 1, BASE:]
    q = (
        (2 * s**3 - 3 * s**2 + 1) * q0
        + (s**3 - 2 * s**2 + s) * h * v0
        + (-2 * s**3 + 3 * s**2) * q1
        + (s**3 - s**2) * h * v1
    )
    v = (
        (6 * s**2 - 6 * s) / h * (q0 - q1)
        + (3 * s**2 - 4 * s + 1) * v0
        + (3 * s**2 - 2 * s) * v1
    )
    return q, v, plan.tau_Nm[k]


def _gains(robot: Robot) -> tuple[Array, Array]:
    settings = robot.settings.low_level
    kp, kd = np.zeros((2, len(robot.joint_names)))
    groups = {
        ("left_leg", "right_leg"): settings.legs,
        ("spine",): settings.spine,
        ("left_arm", "right_arm"): settings.arms,
        ("neck",): settings.neck,
        ("locked",): settings.locked,
    }
    for names, gains in groups.items():
        joints = robot.joints_full(*names)
        kp[joints], kd[joints] = gains.kp_Nm_per_rad, gains.kd_Nms_per_rad
    for name, gains in settings.joints.items():
        joint = robot.joint_names.index(name)
        kp[joint], kd[joint] = gains.kp_Nm_per_rad, gains.kd_Nms_per_rad
    return kp, kd
