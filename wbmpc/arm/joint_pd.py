"""Joint PD: no model, so gravity is held by an error."""

from __future__ import annotations

import numpy as np

from models.arrays import Array
from models.so101.settings import JointPdSettings
from wbmpc.arm.description import Arm
from wbmpc.arm.interface import JointReference
from wbmpc.plant.interface import Measurement


class JointPd:
    r"""Spring and damper at every joint.

    .. math:: \tau = K_p (q_d - q) + K_d (\dot q_d - \dot q)
    """

    def __init__(self, arm: Arm, gains: JointPdSettings) -> None:
        """Set the gains."""
        self._kp = np.array(gains.kp_Nm_per_rad)
        self._kd = np.array(gains.kd_Nms_per_rad)
        self._limits = arm.torque_limits_Nm

    @property
    def raw_mass_kg(self) -> None:
        """Nothing is estimated."""
        return None

    def reset(self) -> None:
        """There is nothing to forget."""

    def torque(self, now: Measurement, wanted: JointReference) -> Array:
        """Torques (n,) for the coming period [Nm]."""
        tau = self._kp * (wanted.q - now.q) + self._kd * (wanted.v - now.v)
        return np.clip(tau, -self._limits, self._limits)
