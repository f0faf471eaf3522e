"""The interface of an arm to its controller, be it a simulator or servos on a bus.

The members are those of `wbmpc.plant.Plant` that an arm without feet has, and one
more: a servo is told positions, so it has to know which one is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from models.arrays import Array
from wbmpc.plant.interface import Measurement


@dataclass(frozen=True, kw_only=True)
class JointReference:
    """Targets of the joints at one instant.

    Attributes:
        q: (n,) angles [rad].
        v: (n,) velocities [rad/s].
        a: (n,) accelerations [rad/s^2].
    """

    q: Array
    v: Array
    a: Array


class ArmPlant(Protocol):
    """One period of torque in, one measurement out.

    `Measurement.tau_Nm` is the torque that was asked for and not refused: on a servo
    bus nobody knows the one at the joints.
    """

    @property
    def dt_s(self) -> float:
        """Length of one period."""
        ...

    @property
    def fault(self) -> str | None:
        """Why the plant stopped; None while it runs."""
        ...

    def reset(self, q: Array) -> Measurement:
        """Start at rest in configuration `q`, time zero."""
        ...

    def step(self, tau_Nm: Array, q_wanted: Array) -> Measurement:
        """Ask for joint torques (n,) for one period.

        Args:
            tau_Nm: Torques.
            q_wanted: (n,) angles of the reference, for plants that realise torques as
                offsets from them.
        """
        ...
