"""Computed torque: the model supplies what the motion needs, gains what is left."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.so101.settings import ComputedTorqueSettings
from wbmpc.arm.description import Arm
from wbmpc.arm.interface import JointReference
from wbmpc.plant.interface import Measurement


class ComputedTorque:
    r"""Inverse dynamics of a commanded acceleration.

    .. math::
        \tau = ID(q, \dot q, \ddot q_c), \qquad
        \ddot q_c = \ddot q_d + K_p (q_d - q) + K_d (\dot q_d - \dot q)

    The model may carry a payload of known mass.
    """

    def __init__(
        self, arm: Arm, gains: ComputedTorqueSettings, *, payload_kg: float = 0.0
    ) -> None:
        """Build the model.

        Args:
            arm: The arm.
            gains: Acceleration gains.
            payload_kg: What the model believes is in the jaws.

        Raises:
            PayloadError: An impossible mass.
        """
        self._model = arm.loaded_model(payload_kg)
        self._data = self._model.createData()
        self._gains, self._limits = gains, arm.torque_limits_Nm

    @property
    def raw_mass_kg(self) -> None:
        """Nothing is estimated."""
        return None

    def reset(self) -> None:
        """There is nothing to forget."""

    def torque(self, now: Measurement, wanted: JointReference) -> Array:
        """Torques (n,) for the coming period [Nm]."""
        a = commanded_acceleration(self._gains, now, wanted)
        tau = pin.rnea(self._model, self._data, now.q, now.v, a)
        return np.clip(tau, -self._limits, self._limits)


def commanded_acceleration(
    gains: ComputedTorqueSettings, now: Measurement, wanted: JointReference
) -> Array:
    """The acceleration (n,) that closes the error [rad/s^2]."""
    position, velocity = wanted.q - now.q, wanted.v - now.v
    return wanted.a + gains.kp_per_s2 * position + gains.kd_per_s * velocity
