"""Computed torque whose payload mass somebody estimates while it runs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.so101.settings import ComputedTorqueSettings
from wbmpc.arm.computed_torque import commanded_acceleration
from wbmpc.arm.description import Arm
from wbmpc.arm.interface import JointReference
from wbmpc.plant.interface import Measurement


class MassEstimate(Protocol):
    """A payload mass from states and torques.

    The same small interface for the estimators of `ekf`, which this package does not
    know, and for a mass that was found before and frozen.
    """

    @property
    def raw_mass_kg(self) -> float:
        """As estimated: noise and bias may push it below zero."""
        ...

    @property
    def mass_kg(self) -> float:
        """Projected to what is physically possible; this is what is compensated."""
        ...

    def reset(self) -> None:
        """Forget everything."""
        ...

    def observe(self, now: Measurement) -> None:
        """Take the state of this instant and the torque of the period before it."""
        ...


class AdaptiveComputedTorque:
    r"""Computed torque with a payload term of the estimated mass.

    .. math::
        \tau = ID_{empty}(q, \dot q, \ddot q_c)
        + \hat m \, \Phi(q, \dot q, \ddot q_c), \qquad
        \Phi = (ID_{template} - ID_{empty}) / m_{template}

    The acceleration is the commanded one: a measured one would feed the noise of its
    differences straight back.
    """

    def __init__(
        self, arm: Arm, gains: ComputedTorqueSettings, estimate: MassEstimate
    ) -> None:
        """Combine a controller and an estimate."""
        self._template_kg = arm.settings.payload.template_kg
        self._empty = arm.model.copy()
        self._template = arm.loaded_model(self._template_kg)
        self._data = self._empty.createData(), self._template.createData()
        self._gains, self._limits = gains, arm.torque_limits_Nm
        self.estimate = estimate

    @property
    def raw_mass_kg(self) -> float:
        """The estimate before its projection."""
        return self.estimate.raw_mass_kg

    def reset(self) -> None:
        """Forget what was estimated."""
        self.estimate.reset()

    def torque(self, now: Measurement, wanted: JointReference) -> Array:
        """Learn from the period that ended, then torques (n,) for the next [Nm]."""
        self.estimate.observe(now)
        state = now.q, now.v, commanded_acceleration(self._gains, now, wanted)
        empty = pin.rnea(self._empty, self._data[0], *state)
        per_kg = pin.rnea(self._template, self._data[1], *state) - empty
        tau = empty + self.estimate.mass_kg * per_kg / self._template_kg
        return np.clip(tau, -self._limits, self._limits)
