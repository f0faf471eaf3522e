"""The estimator's path: raw samples in, inertias for the MPC's model out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ekf import (
    AlignedSample,
    Estimate,
    FictitiousPrior,
    InertialEKF,
    LegTorqueWrench,
    PriorRegime,
    ProcessNoise,
    SignalAligner,
    SupervisedEKF,
    SupervisedEstimate,
    TrustedWriteBack,
    torque_variance,
)
from scenarios.records.payload_rows import drawn_report
from scenarios.records.record import SIDES
from scenarios.run.plant_side import known_friction
from scenarios.run.settings import RunSettings
from scenarios.run.supervision import supervisor_settings
from scenarios.run.tare import TareWindow, TorqueTare
from wbmpc.control.low_level import intended_velocity
from wbmpc.control.plan import Plan
from wbmpc.friction import JointFriction
from wbmpc.robot import BASE, Robot
from wbmpc.settings import EstimatorSettings

Array = NDArray[np.float64]

_PLACED = (PriorRegime.INERTIA_ONLY, PriorRegime.ALL)
"""Priors that also know where a load is held."""

SATURATED_SHARE = 0.98
"""Of a joint's torque limit, from which its measured torque, filtered as it is, says no
more what the joint carries."""


@dataclass(frozen=True, kw_only=True)
class AdaptationTick:
    """One tick of the estimator.

    Attributes:
        supervised: What filter and supervisor say.
        published: (2, 10) trusted and rate-limited parameters for the MPC's model.
        wrenches: (2, 6) ground on the feet from leg torques [N, Nm].
        timing_ms: Duration of each stage.
    """

    supervised: SupervisedEstimate
    published: Array
    wrenches: Array
    timing_ms: dict[str, float] = field(default_factory=dict)

    @property
    def estimate(self) -> Estimate:
        """What the filter says."""
        return self.supervised.estimate


class InertiaAdaptation:
    """Aligns signals at the sampling rate and runs the filter at the control rate."""

    def __init__(
        self,
        robot: Robot,
        prior: PriorRegime,
        tare: TareWindow | None = None,
        friction: JointFriction | None = None,
    ) -> None:
        """Build the chain for both forearms of a robot.

        Args:
            robot: Robot description.
            prior: Channels the fictitious measurement pins.
            tare: Window without load; until its end the estimate stays nominal.
            friction: What the joints of this plant are known to have.
        """
        settings = robot.settings.estimator
        links = [robot.arms[side].link for side in SIDES]
        soles = [sole.frame for sole in robot.soles]
        self.joint_ids = [robot.link_joint(link) for link in links]
        self._robot, self._friction = robot, friction
        self._aligner = build_aligner(robot)
        self._wrench = LegTorqueWrench(robot.model, soles)
        ekf = InertialEKF(
            robot.model,
            links,
            feet=soles,
            process_noise=_process_noise(settings),
            measurement_variance=_measurement_variance(robot),
            prior=_prior(settings, prior),
            initial_covariance=settings.initial_variance,
        )
        self._tick_s = robot.settings.mpc.tick_dt_s
        self._supervised = SupervisedEKF(
            ekf,
            settings=supervisor_settings(robot),
            attachments_m=_attachments_m(robot) if prior in _PLACED else None,
        )
        self._write_back = TrustedWriteBack(
            ekf.nominal_parameters,
            max_mass_rate_kg_per_s=settings.max_mass_rate_kg_per_s,
            max_moment_rate_kgm_per_s=settings.max_moment_rate_kgm_per_s,
            max_inertia_rate_kgm2_per_s=settings.max_inertia_rate_kgm2_per_s,
        )
        self._limits_Nm = robot.torque_limits_Nm
        self._sample: AlignedSample | None = None
        self._tare = None if tare is None else TorqueTare(tare)

    @property
    def nominal(self) -> Array:
        """(2, 10) parameters of the robot file."""
        return self._supervised.ekf.nominal_parameters

    def observe(self, time_s: float, q: Array, v: Array, tau_Nm: Array) -> None:
        """Take one sample of the controlled joints, at any rate."""
        self.accept(self._aligner.push(time_s, q, v, tau_Nm))

    def accept(self, sample: AlignedSample | None) -> None:
        """Take a sample that was aligned elsewhere; None leaves the last one."""
        if sample is not None:
            self._sample = sample

    def tick(self, plan: Plan | None = None) -> AdaptationTick:
        """Run the filter on the newest aligned sample.

        Args:
            plan: What the joints are driven along; known friction of a joint that rests
                is the one that the low level makes up for.
        """
        sample, started = self._sample, time.perf_counter()
        solved = started
        if sample is None:
            wrenches = np.zeros((len(self._robot.soles), 6))
            supervised = self._supervised.result
        else:
            friction_Nm = self._friction_Nm(sample, plan)
            motion, tau = (sample.q, sample.v, sample.a), sample.tau - friction_Nm
            wrenches = self._wrench.solve(*motion, tau).wrenches
            solved = time.perf_counter()
            supervised = self._update(sample, friction_Nm, wrenches)
        updated = time.perf_counter()
        published = self._write_back.step(
            supervised.estimate.parameters, supervised.reports, self._tick_s
        )
        return AdaptationTick(
            supervised=supervised,
            published=published,
            wrenches=wrenches,
            timing_ms={
                "wrench": 1e3 * (solved - started),
                "ekf": 1e3 * (updated - solved),
                "estimator": 1e3 * (time.perf_counter() - started),
            },
        )

    def _friction_Nm(self, sample: AlignedSample, plan: Plan | None) -> Array:
        """Known friction (n,) at the velocity that belongs to the torques."""
        if self._friction is None:
            return np.zeros(len(sample.tau))
        pushed = None if plan is None else intended_velocity(plan, sample.time_s)
        return self._friction.torque_Nm(sample.v[BASE:], pushed)

    def _update(
        self, sample: AlignedSample, friction_Nm: Array, wrenches: Array
    ) -> SupervisedEstimate:
        """Run the filter, or only tare it."""
        motion = (sample.q, sample.v, sample.a)
        if self._tare is not None:
            tau = sample.tau - friction_Nm
            residual = self._supervised.ekf.nominal_residual(*motion, tau, wrenches)
            self._tare.add(sample.time_s, residual)
            if self._tare.holds(sample.time_s):
                return self._supervised.result
            if self._tare.bias is not None:
                self._supervised.set_torque_bias(self._tare.bias)
            self._tare = None
        saturated = np.abs(sample.tau) >= SATURATED_SHARE * self._limits_Nm
        return self._supervised.update(
            sample.time_s,
            *motion,
            sample.tau,
            wrenches,
            saturated=saturated,
            friction=friction_Nm,
        )

    def drawn(self) -> Array:
        """(2, 7) estimated payloads, as a viewer draws them."""
        return np.array([drawn_report(r) for r in self._supervised.result.reports])

    def faults(self) -> dict[str, int]:
        """Rejected samples by reason."""
        rejected = {f"ekf_{name}": n for name, n in self._supervised.counts.items()}
        for fault, count in self._aligner.rejections.items():
            rejected[f"sample_{fault.value}"] = count
        if self._write_back.refused:
            rejected["published_refused"] = self._write_back.refused
        return rejected


def build_adaptation(settings: RunSettings, robot: Robot) -> InertiaAdaptation | None:
    """The estimator a run asks for."""
    if not settings.estimator:
        return None
    return InertiaAdaptation(
        robot,
        PriorRegime(settings.prior),
        TareWindow.of(settings),
        known_friction(settings, robot),
    )


def build_aligner(robot: Robot) -> SignalAligner:
    """Filter of the raw samples of a robot's controlled joints."""
    return SignalAligner(
        robot.model,
        cutoff_hz=robot.settings.estimator.cutoff_hz,
        allow_missing_torque=True,
    )


def _attachments_m(robot: Robot) -> list[Array]:
    """(3,) where each forearm holds a load, in its joint frame."""
    frames = [robot.frame_id(robot.arms[side].tip_frame) for side in SIDES]
    return [robot.model.frames[frame].placement.translation for frame in frames]


def _process_noise(settings: EstimatorSettings) -> ProcessNoise:
    return ProcessNoise(
        alpha=settings.process_alpha,
        d=settings.process_d,
        s=settings.process_s,
        t=settings.process_t,
    )


def _prior(settings: EstimatorSettings, regime: PriorRegime) -> FictitiousPrior:
    return FictitiousPrior(
        variance_d=settings.prior_d,
        variance_s=settings.prior_s,
        variance_alpha=settings.prior_alpha,
        variance_t=settings.prior_t,
        regime=regime,
    )


def _measurement_variance(robot: Robot) -> Array:
    settings, groups = robot.settings.estimator, robot.settings.groups
    variances = {
        settings.torque_spine: groups.spine,
        settings.torque_arms: groups.left_arm + groups.right_arm,
        settings.torque_legs: groups.left_leg + groups.right_leg,
    }
    by_joint = {name: value for value, names in variances.items() for name in names}
    variance = torque_variance(
        robot.model, base=settings.torque_base_force, by_joint=by_joint
    )
    variance[3:BASE] = settings.torque_base_moment
    return variance
