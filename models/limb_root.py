"""Where a limb begins: a joint's origin may lie anywhere along its axis."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array

PLAUSIBLE = (0.25, 2.0)
"""Distances of an origin from the plane of symmetry, as shares of the shoulder's, at
which it is taken for the shoulder as it is drawn. Robots have 0.4 to 1."""
_ALONG = 0.1
"""Sine of the angle between axes below which they have no crossing."""


def limb_root_m(model: pin.Model, data: pin.Data, joint: int, following: int) -> Array:
    """(3,) origin of a limb's first joint, in world axes.

    Where it lies on the plane of symmetry, beyond it, or far outside, that point of the
    joint's axis that is nearest to the axis of the next joint: the shoulder itself.

    Args:
        model: The robot, its base upright and facing along x.
        data: With placements of its joints.
        joint: First joint of a limb.
        following: The joint after it.
    """
    origin = np.array(data.oMi[joint].translation)
    crossing = crossing_m(model, data, joint, following)
    low, high = (share * crossing[1] ** 2 for share in PLAUSIBLE)
    return origin if low <= origin[1] * crossing[1] <= high else crossing


def crossing_m(model: pin.Model, data: pin.Data, joint: int, following: int) -> Array:
    """(3,) the point of a joint's axis nearest to that of the next, in world axes.

    Its origin where the axes are parallel, or one of the joints does not turn.
    """
    origin = np.array(data.oMi[joint].translation)
    axis, other = (_axis(model, data, index) for index in (joint, following))
    if axis is None or other is None:
        return origin
    normal = np.cross(axis, other)
    if np.linalg.norm(normal) < _ALONG:
        return origin
    apart = data.oMi[following].translation - origin
    along = float(np.cross(apart, other) @ normal / (normal @ normal))
    crossing: Array = origin + along * axis
    return crossing


def _axis(model: pin.Model, data: pin.Data, joint: int) -> Array | None:
    """(3,) axis of a joint that turns, in world axes."""
    neutral = pin.neutral(model)
    jacobian = pin.computeJointJacobian(model, model.createData(), neutral, joint)
    turn = jacobian[3:, model.joints[joint].idx_v]
    axis: Array = data.oMi[joint].rotation @ turn
    return axis if np.linalg.norm(axis) > 0.5 else None
