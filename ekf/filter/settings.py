"""Noise settings of the filter and the tick they refer to."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, require_positive
from ekf.errors import UnknownLinkError
from ekf.model_lookup import root_dofs

REFERENCE_TICK_S = 0.01
"""The tick all variances refer to: the paper runs the filter at 100 Hz."""

HOPELESS_STEP = 50.0
"""A sample that asks for more than this (alpha: a factor 1e43 in mass) is refused."""

LARGEST_STEP = 0.5
"""No channel of theta moves further in one sample (alpha: a factor e in mass; t: m).

The linearisation is good nearby only. Without this bound one absurd torque sample can
drive a mass so close to zero that no later sample moves it again.
"""

LONGEST_WALK_S = 60.0
"""Process noise grows for no longer than this, however long the gap."""

LONGEST_TICK_S = 0.1
"""One sample never counts for more than this span, however long the gap before it."""


@dataclass(frozen=True, kw_only=True)
class ProcessNoise:
    r"""Random walk of the deviation, :math:`\theta_k = \theta_{k-1} + w`.

    The entries are **variances added to P in one 100 Hz tick** (not densities per
    second): that is the reading under which the published numbers answer a 5 kg step
    within a fraction of a second; as densities they would be ten times slower. At
    another rate the filter multiplies them by ``dt / 0.01 s``, so that the walk per
    second stays the same.

    Source: arXiv:2610.22176, eq. 13-14 and Table III.

    Attributes:
        alpha: Density channel.
        d: Scale channels.
        s: Shear channels.
        t: Translation channels [m^2].

    A zero holds a channel at its initial covariance.
    """

    alpha: float = 1e-3
    d: float = 1e-2
    s: float = 1e-2
    t: float = 1e-2

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            InvalidSettingError: If a variance is not finite or is negative.
        """
        for name in ("alpha", "d", "s", "t"):
            value = getattr(self, name)
            require_positive(f"ProcessNoise.{name}", value, or_zero=True)

    def variances(self) -> Array:
        """Variances (10,) in the order of theta, one 100 Hz tick."""
        return np.array([self.alpha] + [self.d] * 3 + [self.s] * 3 + [self.t] * 3)


def torque_variance(
    model: pin.Model,
    *,
    base: float = 1e3,
    joints: float = 1e2,
    by_joint: Mapping[str, float] | None = None,
) -> Array:
    """Measurement variance of every generalised row, shape (nv,).

    Source: arXiv:2610.22176, Table III (base and spine 1e3, arms and legs 1e2). The
    spine has to be named by the caller: ``by_joint={"SPINE_Z": 1e3}``.

    Args:
        model: The robot.
        base: Variance of the six floating-base rows [N^2, (Nm)^2], one 100 Hz tick.
        joints: Variance of every joint row [(Nm)^2], one 100 Hz tick.
        by_joint: Variances of single joints, by joint name.

    Raises:
        InvalidSettingError: If a variance is not finite and positive.
        UnknownLinkError: If ``by_joint`` names a joint the model does not have.
    """
    variance = np.full(model.nv, require_positive("torque_variance.joints", joints))
    variance[: root_dofs(model)] = require_positive("torque_variance.base", base)
    for name, value in (by_joint or {}).items():
        if not model.existJointName(name):
            raise UnknownLinkError("torque_variance.by_joint", name, model.names)
        joint = model.joints[model.getJointId(name)]
        field = f"torque_variance.by_joint[{name!r}]"
        variance[joint.idx_v : joint.idx_v + joint.nv] = require_positive(field, value)
    return variance
