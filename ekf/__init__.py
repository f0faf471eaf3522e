"""Online estimation of link inertias, usable with any controller.

Depends on Pinocchio and NumPy only. Start with `InertialEKF`.
"""

from ekf.aligner import AlignedSample, SampleFault, SignalAligner, TorqueTiming
from ekf.deviation import DeviationModel
from ekf.errors import (
    DimensionError,
    EkfError,
    InconsistentInertiaError,
    InvalidSettingError,
    UnknownLinkError,
)
from ekf.estimate import Estimate, UpdateStatus
from ekf.inertial_ekf import InertialEKF
from ekf.log_cholesky import (
    compose,
    theta_from_pseudo_inertia,
    upper_factor,
    upper_factor_partials,
)
from ekf.pseudo_inertia import (
    inertia_from_parameters,
    inertial_parameters,
    is_consistent,
    pseudo_inertia,
)
from ekf.rate_limit import ConsistentRateLimiter
from ekf.regularisation import FictitiousPrior, PriorRegime
from ekf.settings import ProcessNoise, torque_variance
from ekf.torque_measurement import TorqueMeasurement
from ekf.wrench import FootWrenches, LegTorqueWrench, WrenchStatus

__all__ = [
    "AlignedSample",
    "ConsistentRateLimiter",
    "DeviationModel",
    "DimensionError",
    "EkfError",
    "Estimate",
    "FictitiousPrior",
    "FootWrenches",
    "InconsistentInertiaError",
    "InertialEKF",
    "InvalidSettingError",
    "LegTorqueWrench",
    "PriorRegime",
    "ProcessNoise",
    "SampleFault",
    "SignalAligner",
    "TorqueMeasurement",
    "TorqueTiming",
    "UnknownLinkError",
    "UpdateStatus",
    "WrenchStatus",
    "compose",
    "inertia_from_parameters",
    "inertial_parameters",
    "is_consistent",
    "pseudo_inertia",
    "theta_from_pseudo_inertia",
    "torque_variance",
    "upper_factor",
    "upper_factor_partials",
]
