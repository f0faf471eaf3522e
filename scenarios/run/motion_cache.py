"""References of a motion, made once for all runs of a process that ask for the same.

A washing path takes as long as a fifth of a second of the run that follows it, and the
runs of a sweep differ in loads and seeds, hardly ever in motions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from teleop.reference_track import ReferenceTrack
from wbmpc.reference import ReferenceSource
from wbmpc.robot import Robot

Motion = Callable[[Robot, float], ReferenceSource]

MOST = 4
"""Motions that are remembered."""

_made: OrderedDict[tuple[Any, ...], ReferenceTrack] = OrderedDict()


def references_of(motion: Motion, robot: Robot, duration_s: float) -> ReferenceSource:
    """References of a scenario's motion; a recorded track may be an earlier one.

    Tracks are shared, so that their arrays cannot be written to. A source of any other
    kind may have a state and is made each time.
    """
    urdf = Path(robot.settings.urdf).read_bytes()
    settings = msgspec.json.encode(robot.settings, order="sorted")
    key = motion, settings, urdf, duration_s
    if key in _made:
        _made.move_to_end(key)
        return _made[key]
    source = motion(robot, duration_s)
    if type(source) is ReferenceTrack:
        _protect(source)
        _made[key] = source
        while len(_made) > MOST:
            _made.popitem(last=False)
    return source


def _protect(track: ReferenceTrack) -> None:
    for name in ("q_upper", "v_upper", "com_height_m", "pelvis_pitch_rad"):
        values = getattr(track, name)
        if isinstance(values, np.ndarray):
            values.setflags(write=False)
