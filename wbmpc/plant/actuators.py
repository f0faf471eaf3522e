"""From the torque that is asked for to the torque at the joint."""

from __future__ import annotations

import math

import numpy as np

from models.arrays import Array
from wbmpc.friction import effort_scale_Nm
from wbmpc.plant.imperfections import ImperfectionSettings


class ActuatorModel:
    r"""First-order torque loop, error of the torque constant, ripple.

    .. math::
        i \leftarrow i + (1 - e^{-2 \pi f \Delta t}) (\tau_{cmd} - i), \qquad
        \tau = (1 + \epsilon_j) i + \eta

    with i the motor current in units of nominal torque: what a drive measures.
    """

    def __init__(
        self,
        settings: ImperfectionSettings,
        limits_Nm: Array,
        dt_s: float,
        seed: np.random.SeedSequence,
    ) -> None:
        """Draw the torque constants.

        Args:
            settings: Sizes of the errors.
            limits_Nm: (n,) effort limits.
            dt_s: Plant step.
            seed: Of the constants and of the ripple.
        """
        constants, self._noise_seed = seed.spawn(2)
        error = settings.torque_constant_error
        draws = np.random.default_rng(constants).uniform(-1.0, 1.0, len(limits_Nm))
        self.torque_constant_ratio = 1.0 + error * draws
        self._ripple_Nm = settings.torque_ripple_share * effort_scale_Nm(limits_Nm)
        self._limits_Nm = limits_Nm
        bandwidth_hz = settings.torque_bandwidth_hz
        self._gain = 1.0
        if bandwidth_hz > 0.0:
            self._gain = -math.expm1(-2.0 * math.pi * bandwidth_hz * dt_s)
        self.reset()

    @property
    def current_Nm(self) -> Array:
        """(n,) motor current in units of nominal torque, after the last `apply`."""
        return self._current_Nm

    def reset(self) -> None:
        """Forget the current, and start the noise again from its seed."""
        self._rng = np.random.default_rng(self._noise_seed)
        self._current_Nm, self._settled = np.zeros(len(self._limits_Nm)), False

    def apply(self, command_Nm: Array) -> Array:
        """Torques (n,) at the joints for one step.

        The loop starts settled at the first command after a reset. What is not finite
        goes through, for the plant to refuse by name.
        """
        target = np.clip(command_Nm, -self._limits_Nm, self._limits_Nm)
        if not self._settled:
            self._current_Nm, self._settled = target, True
        self._current_Nm = self._current_Nm + self._gain * (target - self._current_Nm)
        torque = self.torque_constant_ratio * self._current_Nm
        if self._ripple_Nm.any():
            torque = torque + self._ripple_Nm * self._rng.normal(size=len(torque))
        return torque
