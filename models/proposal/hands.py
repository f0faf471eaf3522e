"""Where an arm holds a load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.proposal.feet import frame_on
from models.proposal.grouping import Limbs
from models.proposal.shapes import Shapes
from models.proposal.tree import Tree
from models.settings import FrameSettings

Array = NDArray[np.float64]


FACE_THICKNESS_M = 0.02
"""Corners this close to the farthest one belong to a forearm's end face."""


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
    centre = _centre_of_mass(tree, last)
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
    if not len(corners):
        return origin + 2.0 * (centre - origin)
    along = (corners - origin) @ (centre - origin) / np.linalg.norm(centre - origin)
    face = corners[along > along.max() - FACE_THICKNESS_M]
    middle: Array = 0.5 * (face.min(axis=0) + face.max(axis=0))
    return middle


def _centre_of_mass(tree: Tree, joint: int) -> Array:
    """Of a joint's subtree, in the root link's frame."""
    joints = tree.subtree(joint)
    bodies = [tree.model.inertias[i] for i in joints]
    centres = [
        tree.placements[i].act(b.lever) for i, b in zip(joints, bodies, strict=True)
    ]
    masses = np.array([body.mass for body in bodies])
    return np.average(centres, axis=0, weights=masses)
