"""Payload estimators by name, on recorded streams and in the loop.

One more is one more entry of `ESTIMATORS`, beside the function that makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ekf import (
    InertialEKF,
    MomentumPayload,
    PayloadEstimator,
    PayloadMomentRLS,
    PayloadRLS,
    PriorRegime,
    SignalAligner,
    StreamingEKF,
    StreamingSupervisedEKF,
    TorqueTiming,
)
from ekf.payload.payload_torque import gravity_regressor
from models.errors import UnknownNameError
from scenarios.run.estimation_robot import ALIGNER_CUTOFF_HZ, EstimationRobot
from scenarios.run.forearms import ForearmEstimator, Forearms, SupervisedForearms
from scenarios.run.tare import TareWindow

if TYPE_CHECKING:  # importing the package that drives robots checks the native wheels
    from wbmpc.robot import Robot

QUICK_LAM = 0.95
LOG_TICK_S = 0.02
"""Usual time between the samples of a log."""


@dataclass(frozen=True, kw_only=True)
class EstimatorKind:
    """How an estimator is made.

    Attributes:
        on_stream: For the samples of one payload on a robot.
        in_loop: For both forearms of a robot under control, of a filter that takes a
            prior and a tare; by default one `on_stream` for each forearm.
        compared: Whether it has a row in the tables of all estimators; a variant of
            another one has none.
    """

    on_stream: Callable[[EstimationRobot], PayloadEstimator]
    in_loop: (
        Callable[[Robot, PriorRegime, TareWindow | None], ForearmEstimator] | None
    ) = None
    compared: bool = True

    @property
    def is_filter(self) -> bool:
        """Whether it takes a prior and a tare."""
        return self.in_loop is not None


def find_estimator(name: str) -> EstimatorKind:
    """An estimator by name.

    Raises:
        UnknownNameError: No such estimator.
    """
    if name not in ESTIMATORS:
        raise UnknownNameError("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]


def _payload_rls(robot: EstimationRobot, lam: float = 0.99) -> PayloadEstimator:
    return PayloadRLS(
        robot.model,
        robot.link,
        lam,
        torque_variance=robot.torque_variance,
        feet=robot.feet,
    )


def _moment_rls(robot: EstimationRobot, **settings: object) -> PayloadEstimator:
    return PayloadMomentRLS(
        robot.model,
        robot.link,
        QUICK_LAM,
        torque_variance=robot.torque_variance,
        cutoff_hz=ALIGNER_CUTOFF_HZ,
        feet=robot.feet,
        **settings,  # type: ignore[arg-type]
    )


def _momentum(robot: EstimationRobot) -> PayloadEstimator:
    return MomentumPayload(
        robot.model,
        robot.link,
        QUICK_LAM,
        torque_variance=robot.torque_variance,
        feet=robot.feet,
    )


def _ekf(robot: EstimationRobot) -> PayloadEstimator:
    feet = len(robot.feet)
    return StreamingEKF(
        robot.model, _filter(robot), n_feet=feet, aligner=_aligner(robot)
    )


def _published(robot: EstimationRobot) -> PayloadEstimator:
    if robot.published_variance is None:
        return _ekf(robot)
    return _ekf(replace(robot, filter_variance=robot.published_variance))


def _supervised(robot: EstimationRobot) -> PayloadEstimator:
    return StreamingSupervisedEKF(
        robot.model,
        _filter(robot),
        n_feet=len(robot.feet),
        aligner=_aligner(robot),
        settings=replace(robot.supervisor, tick_s=LOG_TICK_S),
        attachments_m=robot.attachments_m,
    )


def _unplaced(robot: EstimationRobot) -> PayloadEstimator:
    return _supervised(replace(robot, attachments_m=None))


def _filter(robot: EstimationRobot) -> InertialEKF:
    return InertialEKF(
        robot.model,
        robot.links,
        feet=robot.feet,
        measurement_variance=robot.filter_variance,
    )


def _aligner(robot: EstimationRobot) -> SignalAligner:
    return SignalAligner(
        robot.model,
        cutoff_hz=ALIGNER_CUTOFF_HZ,
        torque_timing=TorqueTiming.INSTANTANEOUS,
    )


ESTIMATORS: dict[str, EstimatorKind] = {
    "payload_rls": EstimatorKind(on_stream=_payload_rls),
    "payload_rls_quick": EstimatorKind(
        on_stream=lambda robot: _payload_rls(robot, QUICK_LAM)
    ),
    "moment_rls_gravity": EstimatorKind(
        on_stream=lambda robot: _moment_rls(robot, regressor=gravity_regressor)
    ),
    "moment_rls": EstimatorKind(on_stream=_moment_rls),
    "mass_rls_known_com": EstimatorKind(
        on_stream=lambda robot: _moment_rls(robot, com_m=(0.0, 0.0, 0.0))
    ),
    "momentum_observer": EstimatorKind(on_stream=_momentum),
    "ekf": EstimatorKind(on_stream=_ekf, in_loop=Forearms),
    "ekf_published": EstimatorKind(
        on_stream=_published,
        in_loop=partial(Forearms, published=True),
        compared=False,
    ),
    "ekf_supervised": EstimatorKind(on_stream=_supervised, in_loop=SupervisedForearms),
    "ekf_supervised_unplaced": EstimatorKind(
        on_stream=_unplaced,
        in_loop=partial(SupervisedForearms, placed=False),
        compared=False,
    ),
}
"""Least squares forget by 0.95 per sample, `payload_rls` by 0.99. `ekf_published` has
the variances of the paper's Table III as printed, `ekf` those of the robot's settings;
the supervised filter is told where a load is held, unless it is unplaced."""
