"""Frames of a Pinocchio model by name, where a joint may be called like a link.

In a URDF links and joints have names of their own; in a Pinocchio model both are
frames. A link is meant where there is one of that name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Array = NDArray[np.float64]

_KINDS = (
    pin.FrameType.BODY,
    pin.FrameType.OP_FRAME,
    pin.FrameType.FIXED_JOINT,
    pin.FrameType.JOINT,
    pin.FrameType.SENSOR,
)
"""In the order in which they are looked for."""


def has_frame(model: pin.Model, name: str) -> bool:
    """Whether any frame has a name."""
    return bool(model.existFrame(name))


def frame_index(model: pin.Model, name: str) -> int:
    """Index of a frame: of the link of that name, if there is one.

    Raises:
        KeyError: There is no such frame.
    """
    for kind in _KINDS:
        if model.existFrame(name, kind):
            return int(model.getFrameId(name, kind))
    raise KeyError(name)


def lock_joints(model: pin.Model, joints: Sequence[int], q: Array) -> pin.Model:
    """The model with some joints fixed where they are in a configuration.

    Pinocchio finds frames by name while it does so: links that share theirs with a
    joint are called something else meanwhile.
    """
    counts = Counter(frame.name for frame in model.frames)
    shared = [
        index
        for index, frame in enumerate(model.frames)
        if counts[frame.name] > 1 and frame.type == pin.FrameType.BODY
    ]
    if not shared:
        return pin.buildReducedModel(model, list(joints), q)
    renamed, names = model.copy(), dict[str, str]()
    for index in shared:
        aside = f"link {index}: {renamed.frames[index].name}"
        names[aside] = renamed.frames[index].name
        renamed.frames[index].name = aside
    reduced = pin.buildReducedModel(renamed, list(joints), q)
    for frame in reduced.frames:
        frame.name = names.get(frame.name, frame.name)
    return reduced
