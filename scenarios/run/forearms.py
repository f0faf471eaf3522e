"""Estimators of both forearms in the loop: filters of both, or one estimator each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ekf import (
    ConsistentRateLimiter,
    Estimate,
    FictitiousPrior,
    InertialEKF,
    JointSample,
    PayloadEstimator,
    PriorRegime,
    ProcessNoise,
    SupervisedEKF,
    SupervisedEstimate,
    TrustedWriteBack,
)
from ekf.streaming import LearnStatus
from models.arrays import Array
from scenarios.run.estimation_robot import EstimationRobot, humanoid_robot, torque_rows
from scenarios.run.estimator_settings import supervisor_settings, table_iii
from scenarios.run.tare import TareWindow, TorqueTare

if TYPE_CHECKING:
    from wbmpc.robot import Robot
    from wbmpc.settings import EstimatorSettings

_PLACED = (PriorRegime.INERTIA_ONLY, PriorRegime.ALL)
"""Priors that also know where a load is held."""
_TAKEN = (LearnStatus.USED, LearnStatus.FIRST)


@dataclass(frozen=True, kw_only=True)
class LoopSample:
    """One aligned sample of the controlled joints, n of them.

    Attributes:
        time_s: Its time.
        q: (nq,) configuration of `Robot.model`.
        v: (nv,) velocity.
        a: (nv,) acceleration.
        tau_Nm: (n,) torques as measured.
        friction_Nm: (n,) what of them is known to be friction.
        wrenches: (2, 6) ground on the feet [N, Nm].
        saturated: (n,) whether a joint is at its torque limit.
    """

    time_s: float
    q: Array
    v: Array
    a: Array
    tau_Nm: Array
    friction_Nm: Array
    wrenches: Array
    saturated: NDArray[np.bool_]

    @property
    def net_Nm(self) -> Array:
        """(n,) torques without known friction."""
        return self.tau_Nm - self.friction_Nm


@dataclass(frozen=True, kw_only=True)
class Belief:
    """An estimator's belief about both forearms, left first.

    Attributes:
        parameters: (2, 10) inertias, payloads included.
        sigma_mass_kg: (2,) standard deviation of the masses.
        theta: (2, 10) deviation from nominal; NaN for an estimator without one.
        supervised: Reports and events of a supervised filter; None of any other.
    """

    parameters: Array
    sigma_mass_kg: Array
    theta: Array
    supervised: SupervisedEstimate | None = None

    @classmethod
    def of(
        cls, estimate: Estimate, supervised: SupervisedEstimate | None = None
    ) -> Belief:
        """The belief of a filter."""
        return cls(
            parameters=estimate.parameters,
            sigma_mass_kg=estimate.sigma_mass_kg,
            theta=estimate.theta,
            supervised=supervised,
        )


class ForearmEstimator(Protocol):
    """The interface of an estimator to the loop."""

    @property
    def nominal(self) -> Array:
        """(2, 10) parameters of the bare forearms."""
        ...

    @property
    def belief(self) -> Belief:
        """After the last sample."""
        ...

    def update(self, sample: LoopSample) -> None:
        """Use one sample. Never raises on data."""
        ...

    def publish(self, dt_s: float) -> Array:
        """(2, 10) what the controller may believe, `dt_s` after the last time."""
        ...

    def faults(self) -> dict[str, int]:
        """How often each named fault occurred."""
        ...


class Forearms:
    """`InertialEKF` on both forearms, published at a limited rate."""

    def __init__(
        self,
        robot: Robot,
        prior: PriorRegime,
        tare: TareWindow | None = None,
        *,
        published: bool = False,
    ) -> None:
        """Build the filter.

        Args:
            robot: The robot.
            prior: Channels the fictitious measurement pins.
            tare: Window without load; until its end the estimate stays nominal.
            published: Take the variances of the paper's Table III as they are printed,
                not those of the robot's settings.
        """
        settings = robot.settings.estimator
        if published:
            settings = table_iii(settings)
        self.ekf = InertialEKF(
            robot.model,
            [arm.link for arm in robot.arms.values()],
            feet=[sole.frame for sole in robot.soles],
            process_noise=_process_noise(settings),
            measurement_variance=torque_rows(robot, robot.model, settings),
            prior=_prior(settings, prior),
            initial_covariance=settings.initial_variance,
        )
        self._time_s, self._tick_s = -np.inf, robot.settings.mpc.tick_dt_s
        self._tare = None if tare is None else TorqueTare(tare)
        self._limits = RateLimits(settings, self.nominal)

    @property
    def nominal(self) -> Array:
        """(2, 10) parameters of the bare forearms."""
        return self.ekf.nominal_parameters

    @property
    def belief(self) -> Belief:
        """After the last sample."""
        return Belief.of(self.ekf.estimate)

    def update(self, sample: LoopSample) -> None:
        """Use one sample, for the tare or for the filter."""
        if self._tare is not None:
            motion = (sample.q, sample.v, sample.a)
            residual = self.ekf.nominal_residual(
                *motion, sample.net_Nm, sample.wrenches
            )
            self._tare.add(sample.time_s, residual)
            if self._tare.holds(sample.time_s):
                return
            if self._tare.bias is not None:
                self._set_torque_bias(self._tare.bias)
            self._tare = None
        self._learn(sample)

    def publish(self, dt_s: float) -> Array:
        """(2, 10) the estimate, approached at a limited rate."""
        return self._limits.step(self.ekf.estimate.parameters, dt_s)

    def faults(self) -> dict[str, int]:
        """Rejected samples by reason."""
        rejected = self.ekf.rejections.items()
        found = {f"ekf_{status.value}": count for status, count in rejected}
        return found | self._limits.faults()

    def _set_torque_bias(self, bias: Array) -> None:
        self.ekf.set_torque_bias(bias)

    def _learn(self, sample: LoopSample) -> None:
        dt_s = sample.time_s - self._time_s
        self._time_s = sample.time_s
        self.ekf.update(
            sample.q,
            sample.v,
            sample.a,
            sample.net_Nm,
            sample.wrenches,
            dt_s=dt_s if np.isfinite(dt_s) else self._tick_s,
        )


class SupervisedForearms(Forearms):
    """`SupervisedEKF` on both forearms, published as far as it is trusted."""

    def __init__(
        self,
        robot: Robot,
        prior: PriorRegime,
        tare: TareWindow | None = None,
        *,
        placed: bool = True,
    ) -> None:
        """Build the filter and its supervisor.

        Args:
            robot: The robot.
            prior: As for `Forearms`.
            tare: As for `Forearms`.
            placed: Whether the estimator knows where a load is held; with no prior
                at all it never does.
        """
        super().__init__(robot, prior, tare)
        knows_place = placed and prior in _PLACED
        self._supervised = SupervisedEKF(
            self.ekf,
            settings=supervisor_settings(robot),
            attachments_m=_attachments_m(robot) if knows_place else None,
        )
        self._write_back = TrustedWriteBack(
            self.nominal, **_rates(robot.settings.estimator)
        )

    @property
    def belief(self) -> Belief:
        """After the last sample."""
        result = self._supervised.result
        return Belief.of(result.estimate, result)

    def publish(self, dt_s: float) -> Array:
        """(2, 10) what is trusted of the estimate, approached at a limited rate."""
        result = self._supervised.result
        estimate = result.estimate.parameters
        return self._write_back.step(estimate, result.reports, dt_s)

    def faults(self) -> dict[str, int]:
        """Rejected samples and rows left out by reason."""
        found = {f"ekf_{name}": n for name, n in self._supervised.counts.items()}
        return found | _refused(self._write_back.refused)

    def _set_torque_bias(self, bias: Array) -> None:
        self._supervised.set_torque_bias(bias)

    def _learn(self, sample: LoopSample) -> None:
        self._supervised.update(
            sample.time_s,
            sample.q,
            sample.v,
            sample.a,
            sample.tau_Nm,
            sample.wrenches,
            saturated=sample.saturated,
            friction=sample.friction_Nm,
        )


class PayloadForearms:
    """A payload estimator on each forearm, published at a limited rate.

    Each takes what its forearm carries for all there is: of a load on the other one it
    sees the torque in the spine, the legs and the base.
    """

    def __init__(
        self, robot: Robot, make: Callable[[EstimationRobot], PayloadEstimator]
    ) -> None:
        """Build one estimator for each forearm, with its payload at the tip."""
        tips = {side: arm.tip_frame for side, arm in robot.arms.items()}
        self._estimators = {
            side: make(humanoid_robot(robot, robot.model, tip))
            for side, tip in tips.items()
        }
        joints = [robot.link_joint(tip) for tip in tips.values()]
        inertias = [robot.model.inertias[j].toDynamicParameters() for j in joints]
        self._nominal = np.array(inertias)
        self._limits = RateLimits(robot.settings.estimator, self._nominal)

    @property
    def nominal(self) -> Array:
        """(2, 10) parameters of the bare forearms."""
        return self._nominal

    @property
    def belief(self) -> Belief:
        """After the last sample."""
        each = self._estimators.values()
        payloads = np.array([estimator.payload_parameters for estimator in each])
        return Belief(
            parameters=self._nominal + payloads,
            sigma_mass_kg=np.array([estimator.sigma_mass_kg for estimator in each]),
            theta=np.full((len(payloads), 10), np.nan),
        )

    def update(self, sample: LoopSample) -> None:
        """Use one sample."""
        read = JointSample(
            time_s=sample.time_s,
            q=sample.q,
            v=sample.v,
            a=sample.a,
            tau=sample.net_Nm,
            wrenches=sample.wrenches,
        )
        for estimator in self._estimators.values():
            estimator.learn_one(read)

    def publish(self, dt_s: float) -> Array:
        """(2, 10) nominal and payload, approached at a limited rate."""
        return self._limits.step(self.belief.parameters, dt_s)

    def faults(self) -> dict[str, int]:
        """Samples that were not used, by forearm and reason."""
        found = {
            f"estimator_{side}_{status.value}": count
            for side, estimator in self._estimators.items()
            for status, count in estimator.counts.items()
            if status not in _TAKEN and count
        }
        return found | self._limits.faults()


class RateLimits:
    """A consistent rate limit for each link, so that none waits for another."""

    def __init__(self, settings: EstimatorSettings, nominal: Array) -> None:
        """Start at nominal (n, 10)."""
        rates = _rates(settings)
        self._limiters = [ConsistentRateLimiter(own, **rates) for own in nominal]

    def step(self, parameters: Array, dt_s: float) -> Array:
        """(n, 10) what is published, `dt_s` closer to (n, 10) parameters."""
        pairs = zip(self._limiters, parameters, strict=True)
        return np.array([limiter.step(own, dt_s) for limiter, own in pairs])

    def faults(self) -> dict[str, int]:
        """Targets that were no rigid body, if any."""
        return _refused(sum(limiter.refused for limiter in self._limiters))


def _refused(count: int) -> dict[str, int]:
    return {"published_refused": count} if count else {}


def _rates(settings: EstimatorSettings) -> dict[str, float]:
    names = (
        "max_mass_rate_kg_per_s",
        "max_moment_rate_kgm_per_s",
        "max_inertia_rate_kgm2_per_s",
    )
    return {name: getattr(settings, name) for name in names}


def _attachments_m(robot: Robot) -> list[Array]:
    """(3,) where each forearm holds a load, in its joint frame."""
    frames = [robot.frame_id(arm.tip_frame) for arm in robot.arms.values()]
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
