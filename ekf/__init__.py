"""Online estimation of link inertias, usable with any controller.

Needs Pinocchio, NumPy and SciPy. Start with `InertialEKF`, or with `SupervisedEKF`
around it; the simpler estimators share the interface `PayloadEstimator`. Here are the
names that most users need, each loaded when it is first asked for. The rest is in the
sub-packages:

- `ekf.inertia`: physically consistent parameters and their log-Cholesky coordinates;
- `ekf.signals`: samples, the aligner, contact wrenches from leg torques;
- `ekf.filter`: the published filter;
- `ekf.supervisor`: events, trust and reports around it;
- `ekf.payload`: the payload estimators of the field, calibration, identification;
- `ekf.identification`: whole logs of real arms: drives, tare, and a payload's verdict;
- `ekf.learning`: learners of what a rigid body does not explain, drift detectors.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ekf.errors import EkfError
    from ekf.filter.estimate import Estimate
    from ekf.filter.inertial_ekf import InertialEKF
    from ekf.filter.regularisation import FictitiousPrior, PriorRegime
    from ekf.filter.settings import ProcessNoise, torque_variance
    from ekf.inertia.pseudo_inertia import inertia_from_parameters
    from ekf.inertia.rate_limit import ConsistentRateLimiter
    from ekf.payload.batch_identification import identify
    from ekf.payload.momentum_payload import MomentumPayload
    from ekf.payload.payload_moment_rls import PayloadMomentRLS
    from ekf.payload.payload_rls import PayloadRLS
    from ekf.payload.streaming_ekf import StreamingEKF
    from ekf.payload.streaming_supervised import StreamingSupervisedEKF
    from ekf.signals.aligner import SignalAligner, TorqueTiming
    from ekf.signals.samples import JointLog, JointSample
    from ekf.signals.wrench import LegTorqueWrench
    from ekf.streaming import PayloadEstimator
    from ekf.supervisor.payload_report import PayloadReport
    from ekf.supervisor.settings import SupervisorSettings
    from ekf.supervisor.supervised_ekf import SupervisedEKF
    from ekf.supervisor.supervised_estimate import SupervisedEstimate
    from ekf.supervisor.write_back import TrustedWriteBack

_MODULE_OF = {
    "ConsistentRateLimiter": "inertia.rate_limit",
    "EkfError": "errors",
    "Estimate": "filter.estimate",
    "FictitiousPrior": "filter.regularisation",
    "InertialEKF": "filter.inertial_ekf",
    "JointLog": "signals.samples",
    "JointSample": "signals.samples",
    "LegTorqueWrench": "signals.wrench",
    "MomentumPayload": "payload.momentum_payload",
    "PayloadEstimator": "streaming",
    "PayloadMomentRLS": "payload.payload_moment_rls",
    "PayloadRLS": "payload.payload_rls",
    "PayloadReport": "supervisor.payload_report",
    "PriorRegime": "filter.regularisation",
    "ProcessNoise": "filter.settings",
    "SignalAligner": "signals.aligner",
    "StreamingEKF": "payload.streaming_ekf",
    "StreamingSupervisedEKF": "payload.streaming_supervised",
    "SupervisedEKF": "supervisor.supervised_ekf",
    "SupervisedEstimate": "supervisor.supervised_estimate",
    "SupervisorSettings": "supervisor.settings",
    "TorqueTiming": "signals.aligner",
    "TrustedWriteBack": "supervisor.write_back",
    "identify": "payload.batch_identification",
    "inertia_from_parameters": "inertia.pseudo_inertia",
    "torque_variance": "filter.settings",
}

__all__ = [
    "ConsistentRateLimiter",
    "EkfError",
    "Estimate",
    "FictitiousPrior",
    "InertialEKF",
    "JointLog",
    "JointSample",
    "LegTorqueWrench",
    "MomentumPayload",
    "PayloadEstimator",
    "PayloadMomentRLS",
    "PayloadRLS",
    "PayloadReport",
    "PriorRegime",
    "ProcessNoise",
    "SignalAligner",
    "StreamingEKF",
    "StreamingSupervisedEKF",
    "SupervisedEKF",
    "SupervisedEstimate",
    "SupervisorSettings",
    "TorqueTiming",
    "TrustedWriteBack",
    "identify",
    "inertia_from_parameters",
    "torque_variance",
]


def __getattr__(name: str) -> Any:
    """Load a name of this package when it is first asked for."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Names of this package, those that are not loaded yet among them."""
    return sorted({*globals(), *__all__})
