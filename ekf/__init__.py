"""Online estimation of link inertias, usable with any controller.

Depends on Pinocchio and NumPy only. Start with `InertialEKF`;
the simpler estimators share the interface `PayloadEstimator`.
"""

from ekf.affine_calibration import AffineCalibration, AffineFit, fit_affine
from ekf.aligner import AlignedSample, SampleFault, SignalAligner, TorqueTiming
from ekf.batch_identification import BatchIdentification, identify
from ekf.deviation import DeviationModel
from ekf.drift import CusumDetector, HampelDetector, InnovationDetector
from ekf.drift_aware_learner import (
    DriftAwareResidualDynamicsLearner,
    InnovationTrigger,
)
from ekf.errors import (
    DegenerateFitError,
    DimensionError,
    EkfError,
    InconsistentInertiaError,
    InvalidSettingError,
    UnknownLinkError,
)
from ekf.estimate import Estimate, UpdateStatus
from ekf.inertial_ekf import InertialEKF
from ekf.link_monitor import EventKind, LinkState
from ekf.log_cholesky import (
    compose,
    theta_from_pseudo_inertia,
    upper_factor,
    upper_factor_partials,
)
from ekf.momentum_observer import MomentumObserver, MomentumPayload
from ekf.moving_payload import MovingPayload
from ekf.observability import CHANNELS
from ekf.payload_moment_rls import (
    PayloadMomentRLS,
    full_regressor,
    gravity_regressor,
)
from ekf.payload_report import PayloadReport
from ekf.payload_rls import PayloadRLS
from ekf.pseudo_inertia import (
    inertia_from_parameters,
    inertial_parameters,
    is_consistent,
    pseudo_inertia,
)
from ekf.rate_limit import ConsistentRateLimiter
from ekf.recursive_least_squares import RecursiveLeastSquares
from ekf.regularisation import FictitiousPrior, PriorRegime
from ekf.residual_learner import ResidualDynamicsLearner
from ekf.samples import JointLog, JointSample, SampleReader
from ekf.servo_torque import CommandedTorque, ServoTorque, fit_servo_torque
from ekf.settings import ProcessNoise, torque_variance
from ekf.static_payload import HeldPose, fit_torque_constant, identify_static
from ekf.streaming import LearnStatus, PayloadEstimator, learn_many
from ekf.streaming_ekf import StreamingEKF
from ekf.streaming_supervised import StreamingSupervisedEKF
from ekf.supervised_ekf import SupervisedEKF
from ekf.supervised_estimate import PayloadEvent, SupervisedEstimate
from ekf.supervisor_settings import (
    EventSettings,
    NoiseSettings,
    SupervisorSettings,
)
from ekf.template_rls import TemplateRLS
from ekf.torque_measurement import TorqueMeasurement
from ekf.unexplained import Unexplained
from ekf.wrench import FootWrenches, LegTorqueWrench, WrenchStatus
from ekf.write_back import TrustedWriteBack

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
