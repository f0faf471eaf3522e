"""Recorded operator references, played back as if they came live."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.arrays import Array
from wbmpc.reference import Reference

STREAM_RATE_HZ = 50.0
"""Rate of the operator's stream (arXiv:2610.22176, section III-D)."""


@dataclass(frozen=True, kw_only=True)
class ReferenceTrack:
    """An operator's references (Table II) at the rate of the stream.

    `at` holds the last sample received, so that the MPC cannot look ahead.

    Attributes:
        standing: Every other target, and what pitch is measured from.
        q_upper: (N, n) spine and arm angles [rad].
        v_upper: (N, n) their velocities [rad/s].
        com_height_m: (N,) centre of mass above the floor; None keeps `standing`'s.
        pelvis_pitch_rad: (N,) forward; None keeps `standing`'s orientation.
    """

    standing: Reference
    q_upper: Array
    v_upper: Array
    com_height_m: Array | None = None
    pelvis_pitch_rad: Array | None = None

    def at(self, time_s: float) -> Reference:
        """Reference in force at a time; the last one after the end."""
        index = int(np.floor(time_s * STREAM_RATE_HZ + 1e-9))
        index = min(max(index, 0), len(self.q_upper) - 1)
        return Reference(
            q_upper=self.q_upper[index],
            v_upper=self.v_upper[index],
            com_m=self._com_m(index),
            rotation_pelvis_to_midfoot=self._rotation(index),
        )

    def _com_m(self, index: int) -> Array:
        com = self.standing.com_m
        if self.com_height_m is None:
            return com
        return np.array([com[0], com[1], self.com_height_m[index]])

    def _rotation(self, index: int) -> Array:
        """Pitch about the pelvis's own y axis."""
        rotation = self.standing.rotation_pelvis_to_midfoot
        if self.pelvis_pitch_rad is None:
            return rotation
        pitch = self.pelvis_pitch_rad[index]
        return rotation @ pin.rpy.rpyToMatrix(0.0, float(pitch), 0.0)
