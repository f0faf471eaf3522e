"""Payload estimators by name, set up the same way for every robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ekf import (
    FictitiousPrior,
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
    gravity_regressor,
)
from models.errors import UnknownNameError
from scenarios.studies.estimators.streams.stream import (
    ALIGNER_CUTOFF_HZ,
    EstimationRobot,
)

Maker = Callable[[EstimationRobot], PayloadEstimator]

BATCH = "batch"
"""The offline reference is no streaming estimator, but has a name among them."""
QUICK_LAM = 0.95
LOG_TICK_S = 0.02
"""Usual time between the samples of a log."""


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


def _supervised(robot: EstimationRobot) -> PayloadEstimator:
    return StreamingSupervisedEKF(
        robot.model,
        _filter(robot),
        n_feet=len(robot.feet),
        aligner=_aligner(robot),
        settings=replace(robot.supervisor, tick_s=LOG_TICK_S),
        attachments_m=robot.attachments_m,
    )


def _filter(robot: EstimationRobot) -> InertialEKF:
    # A payload does not scale its link's inertia, so an arm that moves enough to show
    # it does without the prior; a standing humanoid does not.
    regime = PriorRegime.INERTIA_ONLY if robot.feet else PriorRegime.NONE
    return InertialEKF(
        robot.model,
        robot.links,
        feet=robot.feet,
        measurement_variance=robot.filter_variance,
        prior=FictitiousPrior(regime=regime),
    )


def _aligner(robot: EstimationRobot) -> SignalAligner:
    return SignalAligner(
        robot.model,
        cutoff_hz=ALIGNER_CUTOFF_HZ,
        torque_timing=TorqueTiming.INSTANTANEOUS,
    )


MAKERS: dict[str, Maker] = {
    "payload_rls": _payload_rls,
    "payload_rls_quick": lambda robot: _payload_rls(robot, QUICK_LAM),
    "moment_rls_gravity": lambda robot: _moment_rls(robot, regressor=gravity_regressor),
    "moment_rls": _moment_rls,
    "mass_rls_known_com": lambda robot: _moment_rls(robot, com_m=(0.0, 0.0, 0.0)),
    "momentum_observer": _momentum,
    "ekf": _ekf,
    "ekf_supervised": _supervised,
}
"""Streaming estimators: forgetting 0.99 a sample for `payload_rls`, else 0.95."""

NAMES = (*MAKERS, BATCH)


def make_estimator(name: str, robot: EstimationRobot) -> PayloadEstimator:
    """A fresh streaming estimator.

    Raises:
        UnknownNameError: No such estimator.
    """
    if name not in MAKERS:
        raise UnknownNameError("estimator", name, MAKERS)
    return MAKERS[name](robot)


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of estimators, the offline reference among them, each once.

    Raises:
        UnknownNameError: One of them does not exist.
    """
    for name in names:
        if name not in NAMES:
            raise UnknownNameError("estimator", name, NAMES)
    return tuple(dict.fromkeys(names))
