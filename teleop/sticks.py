"""Thumbsticks move the base of the two-handed system (arXiv:2610.22176, Table II)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from teleop.settings import MappingSettings, StickSettings


@dataclass(frozen=True, kw_only=True)
class BaseCommand:
    """The targets of the sticks, as differences from home.

    Attributes:
        spine_yaw_rad: To the left.
        spine_yaw_rate_rad_per_s: Its rate.
        pelvis_pitch_rad: Forward.
        com_height_m: Up.
    """

    spine_yaw_rad: float = 0.0
    spine_yaw_rate_rad_per_s: float = 0.0
    pelvis_pitch_rad: float = 0.0
    com_height_m: float = 0.0


@dataclass
class StickAxis:
    """One quantity that a deflection moves at a rate.

    Attributes:
        value: Now.
        rate: Now, in units of `value` per second.
    """

    settings: StickSettings
    ramp_s: float
    value: float = 0.0
    rate: float = 0.0

    def step(self, deflection: float, dt_s: float) -> None:
        """Move for a while; speeds up gently and stops at once."""
        wanted = deflection * self.settings.rate_per_s
        gain = self.settings.rate_per_s * dt_s / self.ramp_s
        rate = 0.0 if wanted * self.rate < 0.0 else self.rate
        speed = min(abs(wanted), abs(rate) + gain)
        self.rate = math.copysign(speed, wanted) if wanted else 0.0
        before = self.value
        low, high = self.settings.lowest, self.settings.highest
        self.value = min(max(before + self.rate * dt_s, low), high)
        self.rate = (self.value - before) / dt_s


@dataclass
class Thumbstick:
    """One stick, of which nothing is taken until it was seen at rest."""

    dead_zone: float
    at_rest: bool = field(default=False)

    def release(self) -> None:
        """Wait for it to be at rest again."""
        self.at_rest = False

    def read(self, right: float, forward: float) -> tuple[float, float]:
        """Deflections beyond the dead zone, stretched to -1 to 1."""
        right, forward = (self._beyond(value) for value in (right, forward))
        if right == forward == 0.0:
            self.at_rest = True
        return (right, forward) if self.at_rest else (0.0, 0.0)

    def _beyond(self, value: float) -> float:
        size = max(0.0, abs(value) - self.dead_zone) / max(1e-6, 1.0 - self.dead_zone)
        return math.copysign(min(size, 1.0), value) if size else 0.0


class StickMapping:
    """Both sticks to spine yaw, pelvis pitch and height of the centre of mass."""

    def __init__(self, settings: MappingSettings) -> None:
        """Start at home."""
        self._sticks = {
            side: Thumbstick(settings.dead_zone) for side in ("left", "right")
        }
        axes = (settings.spine_yaw, settings.pelvis_pitch, settings.com_height)
        self._axes = [StickAxis(axis, settings.ramp_s) for axis in axes]

    def seed(self, command: BaseCommand) -> None:
        """Go on from elsewhere, at rest."""
        values = (
            command.spine_yaw_rad,
            command.pelvis_pitch_rad,
            command.com_height_m,
        )
        for axis, value in zip(self._axes, values, strict=True):
            axis.value, axis.rate = value, 0.0

    def step(
        self, sticks: dict[str, tuple[float, float] | None], dt_s: float
    ) -> BaseCommand:
        """Move for one tick.

        Args:
            sticks: (right, forward) of each stick by side; None where its hand does not
                drive, and the quantity stays where it is.
            dt_s: Length of the tick.
        """
        _, height = self._read("left", sticks["left"])
        turn, pitch = self._read("right", sticks["right"])
        for axis, deflection in zip(self._axes, (-turn, pitch, height), strict=True):
            axis.step(deflection, dt_s)
        yaw, tilt, com = self._axes
        return BaseCommand(
            spine_yaw_rad=yaw.value,
            spine_yaw_rate_rad_per_s=yaw.rate,
            pelvis_pitch_rad=tilt.value,
            com_height_m=com.value,
        )

    def _read(
        self, side: str, stick: tuple[float, float] | None
    ) -> tuple[float, float]:
        if stick is None:
            self._sticks[side].release()
            return 0.0, 0.0
        return self._sticks[side].read(*stick)
