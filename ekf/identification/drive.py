"""What a joint's drive adds to the torque of the rigid bodies."""

from dataclasses import dataclass

import numpy as np

from ekf.arrays import Array

KINDS = ("coulomb", "viscous", "offset", "stribeck", "inertia", "gain", "load_friction")
"""Parameters of a drive, in the order of the columns."""


@dataclass(frozen=True, kw_only=True)
class Drives:
    r"""Drives of n joints and how surely they are known.

    .. math::
        \tau = (1 + g)\, \tau_{body} + o + d\, \dot q + I_r \ddot q
        + s \left(c + c_s e^{-(\dot q / v_s)^2} + c_l |\tau_{body}|\right),
        \quad s = \tanh(\dot q / v_0)

    Attributes:
        joints: (n,) names.
        values: (n, 7) c, d, o, c_s, I_r beyond the model's armature, g, c_l.
        covariance: (7 n, 7 n) of the values, joint after joint.
        stribeck_speed: (n,) v_s [rad/s, m/s].
        resting_speed: (n,) v_0 [rad/s, m/s].
        prior_sigma: (n, 7) standard deviations before the log was seen.
    """

    joints: tuple[str, ...]
    values: Array
    covariance: Array
    stribeck_speed: Array
    resting_speed: Array
    prior_sigma: Array

    @property
    def sigma(self) -> Array:
        """(n, 7) standard deviations."""
        spread = np.sqrt(np.maximum(self.covariance.diagonal(), 0.0))
        return np.asarray(spread.reshape(self.values.shape))

    def friction(self, v: Array, tau: Array) -> Array:
        """(..., n) torque that friction and offset add at a velocity."""
        c, d, o, dip, _, _, load = self.values.T
        sign = np.tanh(v / self.resting_speed)
        dry = c + dip * np.exp(-((v / self.stribeck_speed) ** 2)) + load * np.abs(tau)
        return np.asarray(sign * dry + d * v + o)

    def clean(self, v: Array, tau: Array) -> Array:
        """(..., n) torque of the bodies, from velocities and measured torques."""
        return np.asarray((tau - self.friction(v, tau)) / (1.0 + self.values[:, 5]))
