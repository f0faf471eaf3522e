"""Response-based residuals of Table I (arXiv:2610.22176), one concept per file."""

from wbmpc.residuals.angular_momentum_response import (
    ResidualModelAngularMomentumResponse,
)
from wbmpc.residuals.com_response import ResidualModelCoMResponse
from wbmpc.residuals.frame_response import (
    ResidualModelFramePlacementResponse,
    ResidualModelFrameRotationResponse,
)
from wbmpc.residuals.joint_response import ResidualModelJointResponse

__all__ = [
    "ResidualModelAngularMomentumResponse",
    "ResidualModelCoMResponse",
    "ResidualModelFramePlacementResponse",
    "ResidualModelFrameRotationResponse",
    "ResidualModelJointResponse",
]
