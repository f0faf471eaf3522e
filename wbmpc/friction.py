r"""Known joint friction.

\[ \tau_f = \tau_c \tanh(\dot q / v_0) + d \, \dot q \]

Dry friction's sign is smooth: of a joint that hardly moves nobody knows which way it
would go, and a sign that follows noise makes a joint chatter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.arrays import Array
from models.settings import JointFrictionSettings
from wbmpc.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True)
class JointFriction:
    """Friction of the controlled joints.

    Attributes:
        coulomb_Nm: (n,) dry friction in the order of `Robot.controlled_joints`.
        viscous_Nms_per_rad: (n,) viscous friction.
        smoothing_rad_per_s: Velocity at which the smooth sign is 0.76.
    """

    coulomb_Nm: Array
    viscous_Nms_per_rad: Array
    smoothing_rad_per_s: float

    @classmethod
    def of(
        cls, settings: JointFrictionSettings, names: tuple[str, ...], limits_Nm: Array
    ) -> JointFriction:
        """Friction of joints by their names and effort limits.

        Raises:
            UnknownNameError: The settings name another joint.
        """
        scale = effort_scale_Nm(limits_Nm)
        coulomb = settings.coulomb_share * scale
        viscous = settings.viscous_share_s * scale
        for name, own in settings.joints.items():
            if name not in names:
                raise UnknownNameError("joint", name, names, "joint_friction.joints")
            joint = names.index(name)
            coulomb[joint], viscous[joint] = own.coulomb_Nm, own.viscous_Nms_per_rad
        return cls(
            coulomb_Nm=coulomb,
            viscous_Nms_per_rad=viscous,
            smoothing_rad_per_s=settings.smoothing_rad_per_s,
        )

    def torque_Nm(
        self, v_rad_per_s: Array, pushed_rad_per_s: Array | None = None
    ) -> Array:
        """Torque (n,) that friction takes away at a velocity (n,).

        Args:
            v_rad_per_s: (n,) of the joints.
            pushed_rad_per_s: (n,) velocity for whose friction the joints are pushed
                already. One that rests all the same is held by that much friction.
        """
        sign = np.tanh(v_rad_per_s / self.smoothing_rad_per_s)
        if pushed_rad_per_s is not None:
            pushed = np.tanh(pushed_rad_per_s / self.smoothing_rad_per_s)
            sign = sign + (1.0 - np.abs(sign)) * pushed
        torque: Array = self.coulomb_Nm * sign + self.viscous_Nms_per_rad * v_rad_per_s
        return torque


def effort_scale_Nm(limits_Nm: Array) -> Array:
    """Effort limits that shares refer to: zero where a joint has no usable limit."""
    return np.where(np.isfinite(limits_Nm), np.maximum(limits_Nm, 0.0), 0.0)
