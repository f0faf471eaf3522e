"""Faults of servos on a bus that torque motors lack; each can be switched alone."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from wbmpc.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True)
class ServoFaults:
    """Switches of `ServoArm`; all of them off is a torque plant with perfect sensors.

    Attributes:
        position_bridge: There is no torque mode: a torque is realised as an offset of
            the position that the servo's own PD is told.
        stiffness: The servo's stiffness is not the one that is believed; of no effect
            without the bridge.
        encoder: Angles come in 4096 steps a turn, velocities are their differences.
        friction: The gearbox has Coulomb friction that no model knows.
        bus_time: Reading and writing take time; angles are not those of one instant.
    """

    position_bridge: bool = True
    stiffness: bool = True
    encoder: bool = True
    friction: bool = True
    bus_time: bool = True


NO_FAULTS = ServoFaults(
    position_bridge=False,
    stiffness=False,
    encoder=False,
    friction=False,
    bus_time=False,
)


def only(*names: str) -> ServoFaults:
    """Everything off but some faults.

    Raises:
        UnknownNameError: No such fault.
    """
    known = [field.name for field in fields(ServoFaults)]
    for name in names:
        if name not in known:
            raise UnknownNameError("servo fault", name, known)
    return replace(NO_FAULTS, **dict.fromkeys(names, True))
