"""The estimator's path: raw samples in, inertias for the MPC's model out.

The one module that knows `ekf` and `wbmpc`: it makes any estimator of
`scenarios.run.estimators` the control loop's source of inertias.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ekf import LegTorqueWrench, PriorRegime, SignalAligner
from ekf.signals.aligner import AlignedSample
from ekf.supervisor.body_load import BodyLoad
from models.arrays import Array
from scenarios.errors import ScenarioError
from scenarios.records.payload_rows import drawn_report
from scenarios.run.estimators import find_estimator
from scenarios.run.forearms import (
    Belief,
    ForearmEstimator,
    LoopSample,
    PayloadForearms,
)
from scenarios.run.plant_side import known_friction
from scenarios.run.settings import DEFAULT_ESTIMATOR, RunSettings
from scenarios.run.tare import TareWindow
from wbmpc.control.inertia_source import InertiaUpdate
from wbmpc.control.low_level import intended_velocity
from wbmpc.control.plan import Plan
from wbmpc.friction import JointFriction
from wbmpc.robot import BASE, Robot

FREE_FLYER = 1
"""Joint of `Robot.model` that carries the body."""

SATURATED_SHARE = 0.98
"""Of a joint's torque limit, from which its measured torque, filtered as it is, says no
more what the joint carries."""


@dataclass(frozen=True, kw_only=True)
class AdaptationTick(InertiaUpdate):
    """One tick of the estimator.

    Attributes:
        belief: What the estimator believes of both forearms.
        wrenches: (2, 6) ground on the feet from leg torques [N, Nm].
    """

    belief: Belief
    wrenches: Array


class InertiaAdaptation:
    """Aligns signals at the sampling rate and runs an estimator at the control rate."""

    def __init__(
        self,
        robot: Robot,
        estimator: ForearmEstimator,
        friction: JointFriction | None = None,
    ) -> None:
        """Build the chain for both forearms of a robot.

        Args:
            robot: Robot description.
            estimator: Of its forearms.
            friction: What the joints of this plant are known to have.
        """
        soles = [sole.frame for sole in robot.soles]
        self.joint_ids = [robot.link_joint(arm.link) for arm in robot.arms.values()]
        self._body: BodyLoad | None = None
        if estimator.belief.supervised is not None:
            self.joint_ids.append(FREE_FLYER)
            body = robot.model.inertias[FREE_FLYER].toDynamicParameters()
            self._body = BodyLoad(body)
        self._robot, self._estimator, self._friction = robot, estimator, friction
        self._aligner = build_aligner(robot)
        self._wrench = LegTorqueWrench(robot.model, soles)
        self._tick_s = robot.settings.mpc.tick_dt_s
        self._limits_Nm = robot.torque_limits_Nm
        self._sample: AlignedSample | None = None

    @property
    def nominal(self) -> Array:
        """(2, 10) parameters of the robot file."""
        return self._estimator.nominal

    @property
    def payload_kg(self) -> dict[str, float]:
        """The estimated load of each arm, by side."""
        payloads_kg = self._estimator.belief.parameters[:, 0] - self.nominal[:, 0]
        return dict(zip(self._robot.arms, payloads_kg.tolist(), strict=True))

    def observe(self, time_s: float, q: Array, v: Array, tau_Nm: Array) -> None:
        """Take one sample of the controlled joints, at any rate."""
        self.accept(self._aligner.push(time_s, q, v, tau_Nm))

    def accept(self, sample: AlignedSample | None) -> None:
        """Take a sample that was aligned elsewhere; None leaves the last one."""
        if sample is not None:
            self._sample = sample

    def tick(self, plan: Plan | None = None) -> AdaptationTick:
        """Run the estimator on the newest aligned sample.

        Args:
            plan: What the joints are driven along; known friction of a joint that rests
                is the one that the low level makes up for.
        """
        started = solved = time.perf_counter()
        wrenches = np.zeros((len(self._robot.soles), 6))
        if self._sample is not None:
            sample = self._with_wrenches(self._sample, plan)
            wrenches, solved = sample.wrenches, time.perf_counter()
            self._estimator.update(sample)
        updated = time.perf_counter()
        published = self._with_body(self._estimator.publish(self._tick_s))
        return AdaptationTick(
            published=published,
            belief=self._estimator.belief,
            wrenches=wrenches,
            timing_ms={
                "wrench": 1e3 * (solved - started),
                "ekf": 1e3 * (updated - solved),
                "estimator": 1e3 * (time.perf_counter() - started),
            },
        )

    def drawn(self) -> Array | None:
        """(2, 7) reported payloads, as a viewer draws them; None without reports."""
        supervised = self._estimator.belief.supervised
        if supervised is None:
            return None
        return np.array([drawn_report(report) for report in supervised.reports])

    def faults(self) -> dict[str, int]:
        """Rejected samples by reason."""
        rejected = self._estimator.faults()
        for fault, count in self._aligner.rejections.items():
            rejected[f"sample_{fault.value}"] = count
        return rejected

    def _with_body(self, published: Array) -> Array:
        """The published inertias, and that of the body with a load of its own."""
        supervised = self._estimator.belief.supervised
        if self._body is None or supervised is None:
            return published
        base = np.eye(3)
        if self._sample is not None:
            base = pin.Quaternion(self._sample.q[3:7]).toRotationMatrix()
        body = self._body.step(supervised.unexplained, base, self._tick_s)
        return np.vstack([published, body])

    def _with_wrenches(self, sample: AlignedSample, plan: Plan | None) -> LoopSample:
        """The sample with its known friction and the ground on the feet."""
        friction_Nm = np.zeros(len(sample.tau))
        if self._friction is not None:
            pushed = None if plan is None else intended_velocity(plan, sample.time_s)
            friction_Nm = self._friction.torque_Nm(sample.v[BASE:], pushed)
        motion = (sample.q, sample.v, sample.a)
        return LoopSample(
            time_s=sample.time_s,
            q=sample.q,
            v=sample.v,
            a=sample.a,
            tau_Nm=sample.tau,
            friction_Nm=friction_Nm,
            wrenches=self._wrench.solve(*motion, sample.tau - friction_Nm).wrenches,
            saturated=np.abs(sample.tau) >= SATURATED_SHARE * self._limits_Nm,
        )


def estimator_for(
    robot: Robot,
    name: str = DEFAULT_ESTIMATOR,
    *,
    prior: PriorRegime = PriorRegime.INERTIA_ONLY,
    tare: TareWindow | None = None,
    friction: JointFriction | None = None,
) -> InertiaAdaptation:
    """An estimator of both forearms as the control loop's source of inertias.

    Args:
        robot: The robot.
        name: One of `scenarios.run.estimators.ESTIMATORS`.
        prior: Channels the fictitious measurement of a filter pins.
        tare: Window without load, of a filter: until its end the estimate stays
            nominal.
        friction: What the joints of the plant are known to have.

    Raises:
        UnknownNameError: No such estimator.
        ScenarioError: A tare for an estimator that takes none.
    """
    kind = find_estimator(name)
    if kind.in_loop is not None:
        estimator = kind.in_loop(robot, prior, tare)
    elif tare is None:
        estimator = PayloadForearms(robot, kind.on_stream)
    else:
        raise ScenarioError(f"--tare: the estimator {name} takes none")
    return InertiaAdaptation(robot, estimator, friction)


def build_adaptation(settings: RunSettings, robot: Robot) -> InertiaAdaptation | None:
    """The estimator a run asks for; None for none.

    Raises:
        UnknownNameError: No such estimator.
        ScenarioError: A tare for an estimator that takes none.
    """
    if not settings.has_estimator:
        return None
    return estimator_for(
        robot,
        settings.estimator,
        prior=PriorRegime(settings.prior),
        tare=TareWindow.of(settings),
        friction=known_friction(settings, robot),
    )


def build_aligner(robot: Robot) -> SignalAligner:
    """Filter of the raw samples of a robot's controlled joints."""
    return SignalAligner(
        robot.model,
        cutoff_hz=robot.settings.estimator.cutoff_hz,
        allow_missing_torque=True,
    )
