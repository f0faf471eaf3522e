"""Online estimation of link inertias, usable with any controller.

Depends on Pinocchio and NumPy only. Start with `InertialEKF`;
the simpler estimators share the interface `PayloadEstimator`.
"""

from ekf.errors import (
    DegenerateFitError,
    DimensionError,
    EkfError,
    InconsistentInertiaError,
    InvalidSettingError,
    UnknownLinkError,
)
from ekf.filter.estimate import Estimate, UpdateStatus
from ekf.filter.inertial_ekf import InertialEKF
from ekf.filter.regularisation import FictitiousPrior, PriorRegime
from ekf.filter.settings import ProcessNoise, torque_variance
from ekf.filter.streaming_ekf import StreamingEKF
from ekf.inertia.deviation import DeviationModel
from ekf.inertia.log_cholesky import (
    compose,
    theta_from_pseudo_inertia,
    upper_factor,
    upper_factor_partials,
)
from ekf.inertia.pseudo_inertia import (
    inertia_from_parameters,
    inertial_parameters,
    is_consistent,
    pseudo_inertia,
)
from ekf.inertia.rate_limit import ConsistentRateLimiter
from ekf.learning.drift import CusumDetector, HampelDetector, InnovationDetector
from ekf.learning.drift_aware_learner import (
    DriftAwareResidualDynamicsLearner,
    InnovationTrigger,
)
from ekf.learning.residual_learner import ResidualDynamicsLearner
from ekf.payload.affine_calibration import AffineCalibration, AffineFit, fit_affine
from ekf.payload.batch_identification import BatchIdentification, identify
from ekf.payload.momentum_observer import MomentumObserver, MomentumPayload
from ekf.payload.moving_payload import MovingPayload
from ekf.payload.payload_moment_rls import (
    PayloadMomentRLS,
    full_regressor,
    gravity_regressor,
)
from ekf.payload.payload_rls import PayloadRLS
from ekf.payload.recursive_least_squares import RecursiveLeastSquares
from ekf.payload.servo_torque import CommandedTorque, ServoTorque, fit_servo_torque
from ekf.payload.static_payload import HeldPose, fit_torque_constant, identify_static
from ekf.payload.template_rls import TemplateRLS
from ekf.signals.aligner import AlignedSample, SampleFault, SignalAligner, TorqueTiming
from ekf.signals.samples import JointLog, JointSample, SampleReader
from ekf.signals.torque_measurement import TorqueMeasurement
from ekf.signals.wrench import FootWrenches, LegTorqueWrench, WrenchStatus
from ekf.streaming import LearnStatus, PayloadEstimator, learn_many
from ekf.supervisor.link_monitor import EventKind, LinkState
from ekf.supervisor.observability import CHANNELS
from ekf.supervisor.payload_report import PayloadReport
from ekf.supervisor.settings import (
    EventSettings,
    NoiseSettings,
    SupervisorSettings,
)
from ekf.supervisor.streaming_supervised import StreamingSupervisedEKF
from ekf.supervisor.supervised_ekf import SupervisedEKF
from ekf.supervisor.supervised_estimate import PayloadEvent, SupervisedEstimate
from ekf.supervisor.unexplained import Unexplained
from ekf.supervisor.write_back import TrustedWriteBack

__all__ = [
    "AffineCalibration",
    "AffineFit",
    "AlignedSample",
    "BatchIdentification",
    "CHANNELS",
    "CommandedTorque",
    "ConsistentRateLimiter",
    "CusumDetector",
    "DegenerateFitError",
    "DeviationModel",
    "DimensionError",
    "DriftAwareResidualDynamicsLearner",
    "EkfError",
    "Estimate",
    "EventKind",
    "EventSettings",
    "FictitiousPrior",
    "FootWrenches",
    "HampelDetector",
    "HeldPose",
    "InconsistentInertiaError",
    "InertialEKF",
    "InnovationDetector",
    "InnovationTrigger",
    "InvalidSettingError",
    "JointLog",
    "JointSample",
    "LearnStatus",
    "LegTorqueWrench",
    "LinkState",
    "MomentumObserver",
    "MomentumPayload",
    "MovingPayload",
    "NoiseSettings",
    "PayloadEstimator",
    "PayloadEvent",
    "PayloadMomentRLS",
    "PayloadRLS",
    "PayloadReport",
    "PriorRegime",
    "ProcessNoise",
    "RecursiveLeastSquares",
    "ResidualDynamicsLearner",
    "SampleFault",
    "SampleReader",
    "ServoTorque",
    "SignalAligner",
    "StreamingEKF",
    "StreamingSupervisedEKF",
    "SupervisedEKF",
    "SupervisedEstimate",
    "SupervisorSettings",
    "TemplateRLS",
    "TorqueMeasurement",
    "TorqueTiming",
    "TrustedWriteBack",
    "Unexplained",
    "UnknownLinkError",
    "UpdateStatus",
    "WrenchStatus",
    "compose",
    "fit_affine",
    "fit_servo_torque",
    "fit_torque_constant",
    "full_regressor",
    "gravity_regressor",
    "identify",
    "identify_static",
    "inertia_from_parameters",
    "inertial_parameters",
    "is_consistent",
    "learn_many",
    "pseudo_inertia",
    "theta_from_pseudo_inertia",
    "torque_variance",
    "upper_factor",
    "upper_factor_partials",
]
