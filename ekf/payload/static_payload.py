"""Payload mass from torques held at rest."""

from collections.abc import Sequence
from dataclasses import dataclass

import pinocchio as pin

from ekf.arrays import Array, require_finite
from ekf.errors import InvalidSettingError


@dataclass(frozen=True, kw_only=True)
class HeldPose:
    """One pose, held after an approach from either side.

    Averaging both cancels Coulomb friction, which then points once each way.

    Attributes:
        q: (n,) angles.
        from_above: (n,) mean reading after approaching from above: torque or current.
        from_below: (n,) the same from below.
    """

    q: Array
    from_above: Array
    from_below: Array

    @property
    def reading(self) -> Array:
        """(n,) mean of both sides."""
        return 0.5 * (self.from_above + self.from_below)


def fit_torque_constant(
    empty: pin.Model, poses: Sequence[HeldPose], joints: Sequence[int]
) -> float:
    r"""Torque per unit of reading, from the weight of the unloaded arm.

    .. math:: k_t = \frac{\sum g_i(q)\, I_i}{\sum I_i^2}

    over the joints that carry weight, which is all an arm can weigh itself with.

    Raises:
        InvalidSettingError: No pose, no joint, or no reading but zeros.
        DimensionError: A pose has the wrong shape.
    """
    above = below = 0.0
    chosen = list(joints)
    for q, reading in _checked(empty, poses):
        gravity = pin.computeGeneralizedGravity(empty, empty.createData(), q)
        above += float(gravity[chosen] @ reading[chosen])
        below += float(reading[chosen] @ reading[chosen])
    if not below > 0.0:
        raise InvalidSettingError("poses", len(poses), "must hold readings not zero")
    return above / below


def identify_static(
    empty: pin.Model,
    template: pin.Model,
    template_kg: float,
    poses: Sequence[HeldPose],
    joints: Sequence[int],
    *,
    torque_constant: float = 1.0,
) -> float:
    r"""Mass of a payload (raw, of any sign) that holds the poses.

    .. math::
        \hat m = \frac{\sum \Phi_g^T (k_t I - g_{empty})}{\sum \Phi_g^T \Phi_g},
        \qquad \Phi_g = (g_{template} - g_{empty}) / m_{template}

    Args:
        empty: The unloaded robot.
        template: The robot with a payload of `template_kg`.
        template_kg: Mass of that payload.
        poses: At least one.
        joints: Rows that count.
        torque_constant: Torque per unit of reading.

    Raises:
        InvalidSettingError: The poses do not load any of the joints.
        DimensionError: A pose has the wrong shape.
    """
    projected = information = 0.0
    chosen = list(joints)
    for q, reading in _checked(empty, poses):
        gravity = pin.computeGeneralizedGravity(empty, empty.createData(), q)
        loaded = pin.computeGeneralizedGravity(template, template.createData(), q)
        phi = ((loaded - gravity) / template_kg)[chosen]
        extra = (torque_constant * reading - gravity)[chosen]
        projected += float(phi @ extra)
        information += float(phi @ phi)
    if not information > 1e-8:
        rule = "must load at least one of the joints with the payload's weight"
        raise InvalidSettingError("poses", len(poses), rule)
    return projected / information


def _checked(model: pin.Model, poses: Sequence[HeldPose]) -> list[tuple[Array, Array]]:
    return [
        (
            require_finite(f"poses[{index}].q", pose.q, (model.nq,)),
            require_finite(f"poses[{index}].reading", pose.reading, (model.nv,)),
        )
        for index, pose in enumerate(poses)
    ]
