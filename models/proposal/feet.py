"""Soles from the shapes of the feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.errors import ProposalError
from models.proposal.grouping import Limbs
from models.proposal.shapes import Shapes
from models.proposal.tree import Tree, free_name, link_of
from models.settings import FrameSettings, SoleSettings

Array = NDArray[np.float64]

SOLE_THICKNESS_M = 0.005
"""Corners this close to the lowest one belong to the sole."""
SMALLEST_HALF_SIZE_M = 0.01


@dataclass(frozen=True, kw_only=True)
class Foot:
    """A sole: its frame, its size, and where it is on the ankle."""

    frame: FrameSettings
    sole: SoleSettings
    ankle_to_sole: pin.SE3


def find_feet(tree: Tree, limbs: Limbs, shapes: Shapes) -> tuple[Foot, Foot]:
    """The rectangle each foot touches the floor with, left and right.

    The foot is taken to be flat in the neutral configuration; its sole are the corners
    within 5 mm of the lowest one. The sole's x axis points forward.

    Raises:
        ProposalError: A foot has no shape to read this from.
    """
    left, right = (
        _foot(tree, leg[-1], free_name(tree.model, name), shapes)
        for leg, name in zip(limbs.legs, ("left_sole", "right_sole"), strict=True)
    )
    return left, right


def _foot(tree: Tree, ankle: int, name: str, shapes: Shapes) -> Foot:
    link = link_of(tree.model, ankle)
    corners = shapes.points_m(ankle)
    if not len(corners):
        raise ProposalError(
            f"{tree.model.name}: link {link} has no readable shape, from which its "
            f"sole is read: {shapes.why_none(ankle)}"
        )
    placement = tree.placements[ankle]
    world = corners @ placement.rotation.T + placement.translation
    sole = world[world[:, 2] < world[:, 2].min() + SOLE_THICKNESS_M]
    low, high = sole.min(axis=0), sole.max(axis=0)
    half = 0.5 * (high - low)[:2]
    if half.min() < SMALLEST_HALF_SIZE_M:
        raise ProposalError(
            f"{tree.model.name}: link {link} touches the floor with "
            f"{2e3 * half[0]:.0f} x {2e3 * half[1]:.0f} mm, too little to stand on"
        )
    centre = np.array([*(0.5 * (low + high))[:2], low[2]])
    ankle_to_sole = placement.actInv(pin.SE3(np.eye(3), centre))
    return Foot(
        frame=frame_on(tree.model, ankle, ankle_to_sole),
        sole=SoleSettings(
            frame=name,
            half_length_m=round(float(half[0]), 4),
            half_width_m=round(float(half[1]), 4),
        ),
        ankle_to_sole=ankle_to_sole,
    )


def frame_on(model: pin.Model, joint: int, joint_to_frame: pin.SE3) -> FrameSettings:
    """A placement on a joint as settings, relative to the joint's link."""
    link = link_of(model, joint)
    frame = model.frames[model.getFrameId(link, pin.FrameType.BODY)]
    placement = frame.placement.actInv(joint_to_frame)
    rpy = pin.rpy.matrixToRpy(placement.rotation)
    return FrameSettings(
        parent=link,
        position_m=_rounded(placement.translation),
        rpy_rad=_rounded(rpy),
    )


def _rounded(values: Array) -> tuple[float, float, float]:
    x, y, z = (round(float(value), 5) + 0.0 for value in values)
    return x, y, z
