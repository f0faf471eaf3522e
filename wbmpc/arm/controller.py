"""The one interface of the arm's controllers."""

from __future__ import annotations

from typing import Protocol

from models.arrays import Array
from wbmpc.arm.interface import JointReference
from wbmpc.plant.interface import Measurement


class ArmController(Protocol):
    """State and reference in, torques out."""

    @property
    def raw_mass_kg(self) -> float | None:
        """Payload as estimated, of any sign; None if nothing is estimated."""
        ...

    def reset(self) -> None:
        """Forget the past."""
        ...

    def torque(self, now: Measurement, wanted: JointReference) -> Array:
        """Torques (n,) for the coming period, within the motors' limits [Nm]."""
        ...
