"""Recorded operator references, played back as if they came live."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from wbmpc.reference import Reference

Array = NDArray[np.float64]

STREAM_RATE_HZ = 50.0
"""Rate of the operator's stream (arXiv:2610.22176, section III-D)."""


@dataclass(frozen=True, kw_only=True)
class ReferenceTrack:
    """Upper-body references at the stream's rate.

    `at` holds the last sample received, so that the MPC can not look ahead.

    Attributes:
        standing: Every other target.
        q_upper: (N, n) spine and arm angles [rad].
        v_upper: (N, n) their velocities [rad/s].
    """

    standing: Reference
    q_upper: Array
    v_upper: Array

    def at(self, time_s: float) -> Reference:
        """Reference in force at a time; the last one after the end."""
        index = int(np.floor(time_s * STREAM_RATE_HZ + 1e-9))
        index = min(max(index, 0), len(self.q_upper) - 1)
        return Reference(
            q_upper=self.q_upper[index],
            v_upper=self.v_upper[index],
            com_m=self.standing.com_m,
            rotation_midfoot_to_pelvis=self.standing.rotation_midfoot_to_pelvis,
        )


class WashingMotion(msgspec.Struct, frozen=True, kw_only=True):
    """Both forearm tips circle in a frontal plane, mirrored, as on a window."""

    reach_m: float = 0.10
    """Plane ahead of the tips' home position."""
    lift_m: float = 0.10
    """Centre of the path above the tips' home position."""
    half_width_m: float = 0.12
    half_height_m: float = 0.10
    period_s: float = 4.0
    approach_s: float = 2.0
    """Smooth move from home to the path."""
