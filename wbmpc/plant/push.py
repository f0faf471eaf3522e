"""External pushes: a constant force at a frame for a time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models.arrays import Array
from wbmpc.errors import PushError

MAX_FORCE_N = 5000.0


@dataclass(frozen=True, kw_only=True)
class ActivePush:
    """A push under way.

    Attributes:
        force_N: (3,) force in world axes, at the frame's origin.
        end_s: Plant time at which it stops.
    """

    force_N: Array
    end_s: float


def checked_push(force_N: Array, now_s: float, duration_s: float) -> ActivePush:
    """Start a push now.

    Raises:
        PushError: A force that is not three finite numbers of at most 5000 N, or a
            duration that is not positive and finite.
    """
    force = np.array(force_N, dtype=float)
    if force.shape != (3,) or not np.linalg.norm(force) <= MAX_FORCE_N:
        raise PushError(
            f"push force_N = {force.tolist()}: must be three finite numbers of at most "
            f"{MAX_FORCE_N:g} N together"
        )
    if not (math.isfinite(duration_s) and duration_s > 0.0):
        raise PushError(f"push duration_s = {duration_s}: must be above zero")
    return ActivePush(force_N=force, end_s=now_s + duration_s)
