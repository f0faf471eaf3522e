"""Where an arm holds a load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.errors import ProposalError
from models.proposal.feet import frame_on
from models.proposal.grouping import Limbs
from models.proposal.shapes import Shapes
from models.proposal.tree import Tree, link_of
from models.settings import FrameSettings

Array = NDArray[np.float64]


FACE_THICKNESS_M = 0.02
"""Corners this close to the farthest one belong to a forearm's end face."""
SHORTEST_M = 1e-3
"""From an elbow to the centre of mass of what it moves."""


@dataclass(frozen=True, kw_only=True)
class Hand:
    """A tip frame.

    Attributes:
        joint: Joint that carries it, the last one of the arm.
        frame: As settings.
        joint_to_tip: Placement; z points along the forearm.
    """

    joint: int
    frame: FrameSettings
    joint_to_tip: pin.SE3


def find_hands(tree: Tree, limbs: Limbs, shapes: Shapes) -> tuple[Hand, Hand]:
    """Tips of the left and the right arm.

    An arm with a wrist holds a load at its hand's centre of mass, fingers included; one
    that ends in a forearm holds it at the far end of that.
    """
    left, right = (
        _hand(tree, arm, elbow, shapes)
        for arm, elbow in zip(limbs.arms, limbs.elbows, strict=True)
    )
    return left, right


def _hand(tree: Tree, arm: tuple[int, ...], elbow: int, shapes: Shapes) -> Hand:
    last, placement = arm[-1], tree.placements[arm[-1]]
    centre = tree.center_m(last)
    assert centre is not None  # joints without mass are in no arm
    tip = centre if last != arm[elbow] else _far_end(tree, last, centre, shapes)
    forearm = tip - tree.position_m(arm[elbow])
    rotation = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), forearm)
    joint_to_tip = placement.actInv(pin.SE3(rotation.toRotationMatrix(), tip))
    return Hand(
        joint=last,
        frame=frame_on(tree.model, last, joint_to_tip),
        joint_to_tip=joint_to_tip,
    )


def _far_end(tree: Tree, joint: int, centre: Array, shapes: Shapes) -> Array:
    """Middle of a link's end face on the side of its centre of mass."""
    placement, origin = tree.placements[joint], tree.position_m(joint)
    corners = shapes.points_m(joint) @ placement.rotation.T + placement.translation
    length_m = float(np.linalg.norm(centre - origin))
    if length_m < SHORTEST_M:
        raise ProposalError(
            f"{tree.model.name}: link {link_of(tree.model, joint)}: its centre of mass "
            f"lies {1e3 * length_m:.2g} mm from its joint {tree.name(joint)}: it does "
            "not tell where the forearm ends"
        )
    if not len(corners):
        return origin + 2.0 * (centre - origin)
    along = (corners - origin) @ (centre - origin) / length_m
    face = corners[along > along.max() - FACE_THICKNESS_M]
    middle: Array = 0.5 * (face.min(axis=0) + face.max(axis=0))
    return middle
