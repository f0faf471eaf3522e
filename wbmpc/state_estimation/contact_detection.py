"""Which feet stand, from leg torques."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.arrays import Array
from wbmpc.plant.interface import SensorReadings
from wbmpc.state_estimation.leg_kinematics import LegKinematics, SoleInBase


class ContactSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Thresholds with hysteresis on the vertical force of a foot."""

    touch_N: float = 60.0
    """A foot in the air stands from here on."""
    lift_N: float = 20.0
    """A standing foot counts as lifted below this."""
    debounce_samples: int = 10
    """A change must last this long: a step of torque is no step of the foot."""


class ContactDetector:
    r"""Vertical force of each foot from its leg's torques, with hysteresis.

    .. math:: \lambda_i = -J_{leg,i}^{-T} \tau_{leg,i}

    The legs' own weight is left out: a leg in the air then shows its weight pulling
    downward (about -100 N), a standing one some hundred newtons upward, so that the
    thresholds are far from both.

    A leg with a missing torque keeps what it was last known to do; the other leg is
    judged as always.
    """

    def __init__(
        self, kinematics: LegKinematics, settings: ContactSettings | None = None
    ) -> None:
        """Both feet stand until told otherwise."""
        self._legs = kinematics.legs
        self._settings = ContactSettings() if settings is None else settings
        self.reset()

    def reset(self) -> None:
        """Both feet stand."""
        self._standing = np.ones(len(self._legs), dtype=bool)
        self._disagreed = np.zeros(len(self._legs), dtype=int)
        self._blind = 0

    @property
    def rejections(self) -> dict[str, int]:
        """Samples since the reset in which a leg's torque was missing, by reason."""
        return {"leg_torque": self._blind} if self._blind else {}

    def update(
        self,
        readings: SensorReadings,
        soles: tuple[SoleInBase, SoleInBase],
        up_in_base: Array,
    ) -> NDArray[np.bool_]:
        """Standing feet (2,).

        Args:
            readings: One sample; its torques are used.
            soles: Of the same sample.
            up_in_base: (3,) the world's z axis in base axes.
        """
        torques = [readings.tau_Nm[leg] for leg in self._legs]
        known = np.array([bool(np.isfinite(torque).all()) for torque in torques])
        self._blind += not known.all()
        forces = [
            vertical_force_N(sole, torque, up_in_base) if seen else 0.0
            for sole, torque, seen in zip(soles, torques, known, strict=True)
        ]
        limits = np.where(self._standing, self._settings.lift_N, self._settings.touch_N)
        disagrees = known & ((np.array(forces) > limits) != self._standing)
        self._disagreed = np.where(disagrees, self._disagreed + 1, 0)
        change = self._disagreed >= self._settings.debounce_samples
        self._standing = self._standing ^ change
        return self._standing


def vertical_force_N(sole: SoleInBase, tau_Nm: Array, up_in_base: Array) -> float:
    """Force of the ground on a foot along the vertical, leg's own weight left out."""
    if sole.jacobian.shape[0] == sole.jacobian.shape[1]:
        try:
            wrench = np.linalg.solve(sole.jacobian.T, -tau_Nm)
        except np.linalg.LinAlgError:
            return float("inf")  # a straight leg carries without torque
    else:
        wrench = np.linalg.lstsq(sole.jacobian.T, -tau_Nm, rcond=None)[0]
    return float(wrench[:3] @ up_in_base)
