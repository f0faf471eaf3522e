"""Payloads over time: checked when asked for, linear from one to the next."""

from __future__ import annotations

import math

from wbmpc.errors import PayloadError
from wbmpc.plant.interface import Payload

MAX_PAYLOAD_KG = 200.0
MAX_OFFSET_M = 2.0
"""Farther from its frame a load is a mistake."""


class PayloadRamp:
    """The load at one frame: mass and inertia linear in time between two loads.

    A solid sphere, rotational inertia 2/5 m r^2 about its centre. Because mass and
    inertia are interpolated (and not the radius), every load on the way is a
    physically possible body. It is at the place of the newest load from the start.
    """

    def __init__(self) -> None:
        """Start without a load."""
        self._from = self._to = (0.0, 0.0)
        self._start_s = self._end_s = 0.0
        self._center_m = (0.0, 0.0, 0.0)

    @property
    def end_s(self) -> float:
        """Time at which the load stops changing."""
        return self._end_s

    @property
    def center_m(self) -> tuple[float, float, float]:
        """(3,) of the load from its frame's origin, as `Payload.center_m`."""
        return self._center_m

    def retarget(self, payload: Payload | None, now_s: float, ramp_s: float) -> None:
        """Go to another load (None: none), linearly over `ramp_s` from now on."""
        self._from = self.at(now_s)
        self._to = (0.0, 0.0) if payload is None else _sphere(payload)
        self._start_s, self._end_s = now_s, now_s + ramp_s
        if payload is not None:
            self._center_m = payload.center_m

    def at(self, time_s: float) -> tuple[float, float]:
        """Mass [kg] and rotational inertia [kg m^2] at a time."""
        if time_s >= self._end_s:
            return self._to
        share = (time_s - self._start_s) / (self._end_s - self._start_s)
        (mass0, inertia0), (mass1, inertia1) = self._from, self._to
        mass = mass0 + share * (mass1 - mass0)
        return mass, inertia0 + share * (inertia1 - inertia0)


def check_payload(payload: Payload | None, ramp_s: float) -> None:
    """Refuse a load or ramp no plant can follow.

    Raises:
        PayloadError: Mass negative, not finite or above 200 kg; radius not positive
            and finite; centre not finite or beyond 2 m; ramp negative or not finite.
    """
    if payload is not None:
        mass, radius = payload.mass_kg, payload.radius_m
        if not (math.isfinite(mass) and 0.0 <= mass <= MAX_PAYLOAD_KG):
            raise PayloadError(
                f"payload mass_kg = {mass}: must be finite and within 0 and "
                f"{MAX_PAYLOAD_KG:g} kg"
            )
        if not (math.isfinite(radius) and radius > 0.0):
            raise PayloadError(f"payload radius_m = {radius}: must be above zero")
        if not all(abs(x) <= MAX_OFFSET_M for x in payload.center_m):  # nor NaN
            raise PayloadError(
                f"payload center_m = {payload.center_m}: each must be finite and "
                f"within {MAX_OFFSET_M:g} m"
            )
    if not (math.isfinite(ramp_s) and ramp_s >= 0.0):
        raise PayloadError(f"payload ramp_s = {ramp_s}: must be zero or more")


def _sphere(payload: Payload) -> tuple[float, float]:
    return payload.mass_kg, 0.4 * payload.mass_kg * payload.radius_m**2
