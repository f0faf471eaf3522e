"""Faults of joint sensors, put in on request where a plant's readings come out."""

from __future__ import annotations

import enum
from collections.abc import Sequence

import msgspec
import numpy as np

from models.arrays import Array
from scenarios.errors import ScenarioError
from wbmpc.errors import UnknownNameError

FORM = "CHANNEL:JOINT:KIND:AT:FOR"


class Channel(enum.Enum):
    """The channel of a joint that is read wrongly."""

    POSITION = "position"
    VELOCITY = "velocity"
    TORQUE = "torque"


class FaultKind(enum.Enum):
    """How."""

    NAN = "nan"
    """No reading."""
    STUCK = "stuck"
    """The reading at the start, to the last bit."""
    ZERO = "zero"
    """A channel nobody fills."""
    NOISE = "noise"
    """Garbage: nothing to do with the joint."""
    OFFSET = "offset"
    """Plausible but wrong."""


_NOISE = {Channel.POSITION: 1.0, Channel.VELOCITY: 200.0, Channel.TORQUE: 1.0}
"""Standard deviation [rad, rad/s, share of the effort limit]."""
_OFFSET = {Channel.POSITION: 0.02, Channel.VELOCITY: 0.2, Channel.TORQUE: 0.1}
"""In the same units."""


class SensorFault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault of one channel of one joint.

    Raises:
        ScenarioError: On construction, for times out of range.
    """

    channel: Channel
    joint: str
    kind: FaultKind
    at_s: float
    duration_s: float

    def __post_init__(self) -> None:
        """Check the times."""
        for name, value, low in (
            ("AT", self.at_s, 0.0),
            ("FOR", self.duration_s, 1e-3),
        ):
            if not low <= value <= 3600.0:
                raise ScenarioError(
                    f"--fault: {name} {value:g}: must be between {low:g} and 3600 s"
                )

    def describe(self) -> str:
        """The fault in words."""
        return (
            f"sensor fault: {self.channel.value} of {self.joint} "
            f"{self.kind.value} for {self.duration_s:g} s"
        )


def parse_fault(text: str) -> SensorFault:
    """A fault written as `FORM`, such as ``torque:LEFT_ELBOW_Y:nan:5:1``.

    Raises:
        ScenarioError: It is not of that form.
    """
    parts = text.split(":")
    if len(parts) != 5:
        raise ScenarioError(f"--fault {text}: must be {FORM}")
    channel, joint, kind, at_s, duration_s = parts
    return SensorFault(
        channel=Channel(_one_of("CHANNEL", channel, Channel)),
        joint=joint,
        kind=FaultKind(_one_of("KIND", kind, FaultKind)),
        at_s=_seconds("AT", at_s),
        duration_s=_seconds("FOR", duration_s),
    )


def check_joints(faults: Sequence[SensorFault], joint_names: Sequence[str]) -> None:
    """Whether a robot has the joints of some faults.

    Raises:
        UnknownNameError: It does not.
    """
    for fault in faults:
        if fault.joint not in joint_names:
            raise UnknownNameError("joint", fault.joint, joint_names)


def _one_of(name: str, value: str, choices: type[enum.Enum]) -> str:
    known = [choice.value for choice in choices]
    if value not in known:
        raise ScenarioError(f"--fault: {name} {value}: one of {', '.join(known)}")
    return value


def _seconds(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ScenarioError(f"--fault: {name} {text}: must be seconds") from None


class SensorFaults:
    """Spoils the readings of a run."""

    def __init__(
        self,
        faults: Sequence[SensorFault],
        joint_names: Sequence[str],
        efforts_Nm: Array,
        seed: int,
    ) -> None:
        """Find the joints.

        Args:
            faults: What goes wrong.
            joint_names: Of the robot, in the order of its readings.
            efforts_Nm: (n,) scale of each joint's torque.
            seed: Of the garbage.

        Raises:
            UnknownNameError: A joint the robot does not have.
        """
        check_joints(faults, joint_names)
        self._faults = [(fault, joint_names.index(fault.joint)) for fault in faults]
        self._efforts_Nm = efforts_Nm
        self._rng = np.random.default_rng([seed, len(joint_names)])
        self._stuck: dict[SensorFault, float] = {}

    def spoil(
        self, time_s: float, q: Array, v: Array, tau_Nm: Array
    ) -> tuple[Array, Array, Array]:
        """Joint positions, velocities and torques (n,) as they are read at a time."""
        active = [
            (fault, joint)
            for fault, joint in self._faults
            if fault.at_s <= time_s < fault.at_s + fault.duration_s
        ]
        if not active:
            return q, v, tau_Nm
        read = dict(zip(Channel, (q.copy(), v.copy(), tau_Nm.copy()), strict=True))
        for fault, joint in active:
            values = read[fault.channel]
            values[joint] = self._reading(fault, joint, float(values[joint]))
        return read[Channel.POSITION], read[Channel.VELOCITY], read[Channel.TORQUE]

    def _reading(self, fault: SensorFault, joint: int, value: float) -> float:
        unit = 1.0
        if fault.channel is Channel.TORQUE:
            unit = float(self._efforts_Nm[joint])
        match fault.kind:
            case FaultKind.NAN:
                return float("nan")
            case FaultKind.ZERO:
                return 0.0
            case FaultKind.STUCK:
                return self._stuck.setdefault(fault, value)
            case FaultKind.NOISE:
                return unit * _NOISE[fault.channel] * float(self._rng.normal())
            case FaultKind.OFFSET:
                return value + unit * _OFFSET[fault.channel]
