"""Which limbs of a tree mirror each other, and which of them is the left one.

Where along its axis a joint's origin lies is the whim of who drew the robot: axes are
compared as lines, and a limb is on the side where its centre of mass is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from models.arrays import Array
from models.description.check.symmetry import mirrored_name
from models.errors import ProposalError
from models.proposal.tree import ROOT, Tree

TOLERANCE_M = 0.01
"""Between the axis of a limb's first joint and the mirror image of the other's."""
CENTER_SHARE = 0.25
"""Between a centre of mass and the image of the other, as a share of what is between
both: arms of the same kind hold different hands."""
_PARALLEL = 0.98
_MIRROR = np.array([1.0, -1.0, 1.0])
_SIDES = {
    "left": re.compile(r"(?i:left)|(^|_)[lL]_|^L(?=[A-Z])|_[lL]$"),
    "right": re.compile(r"(?i:right)|(^|_)[rR]_|^R(?=[A-Z])|_[rR]$"),
}


def mirrored_pairs(
    tree: Tree, joints: tuple[int, ...], across: int = 1
) -> Iterator[tuple[int, int]]:
    """Left and right of joints whose limbs mirror each other.

    Args:
        tree: The robot.
        joints: First joints of limbs.
        across: Axis of the root link along which they are apart: 1 is y.
    """
    if len(joints) < 2:
        return
    centers = {joint: tree.center_m(joint) for joint in joints}
    sides = {j: float(c[across]) for j, c in centers.items() if c is not None}
    ahead = [joint for joint, side in sides.items() if side > TOLERANCE_M]
    other = [joint for joint, side in sides.items() if side < -TOLERANCE_M]
    order = {joint: place for place, joint in enumerate(joints)}
    found = [pair for pair in product(ahead, other) if _mirrored(tree, pair, across)]
    for a, b in sorted(found, key=lambda pair: sorted(order[j] for j in pair)):
        yield (a, b) if _is_left(tree, a, b) else (b, a)


def _mirrored(tree: Tree, pair: tuple[int, int], across: int) -> bool:
    a, b = pair
    if len(tree.chain(a)) != len(tree.chain(b)):
        return False
    mirror = np.ones(3)
    mirror[across] = -1.0
    here, there = tree.center_m(a), tree.center_m(b)
    assert here is not None and there is not None
    miss = np.linalg.norm(mirror * here - there)
    if miss > CENTER_SHARE * np.linalg.norm(here - there):
        return False
    axis, other = mirror * tree.axis(a), tree.axis(b)
    apart = mirror * tree.position_m(a) - tree.position_m(b)
    beside = apart - (apart @ other) * other
    return bool(abs(axis @ other) > _PARALLEL and np.linalg.norm(beside) < TOLERANCE_M)


def _is_left(tree: Tree, a: int, b: int) -> bool:
    """Whether the first is the left one: where names tell nothing, it is at y > 0."""
    for joint, answer in ((a, True), (b, False)):
        side = named_side(tree.name(joint))
        if side is not None:
            return answer == (side == "left")
    return True


def named_side(name: str) -> str | None:
    """Side that a joint's name tells; None if it tells none or both."""
    sides = [side for side, pattern in _SIDES.items() if pattern.search(name)]
    return sides[0] if len(sides) == 1 else None


def why_no_pair(tree: Tree) -> str:
    """What is the matter with a robot that has no two limbs on both sides of x."""
    for across, plane in ((0, "y-z"), (2, "x-y")):
        for node in range(ROOT, tree.model.njoints):
            for left, right in mirrored_pairs(tree, tree.children[node], across):
                return (
                    f"the limbs that start at {tree.name(left)} and {tree.name(right)} "
                    f"mirror each other in the root link's {plane} plane; it must be "
                    "the x-z plane: the root link must face along x, with z up"
                )
    return (
        "no two limbs mirror each other in the root link's x-z plane, as the two legs "
        "of a humanoid do"
    )


def near_pair(tree: Tree) -> str:
    """Of two limbs that are left and right by name: why they do not mirror each other.

    Empty if there are no two; else to follow another sentence.
    """
    for node in range(ROOT, tree.model.njoints):
        joints = tree.children[node]
        paired = {joint for pair in mirrored_pairs(tree, joints) for joint in pair}
        named = {tree.name(joint): joint for joint in joints if joint not in paired}
        for name, joint in named.items():
            other = named.get(mirrored_name(name))
            if other is not None and other != joint:
                told = f"{name} and {tree.name(other)}, left and right by name"
                return f"; {told}, {_difference(tree, joint, other)}"
    return ""


def _difference(tree: Tree, a: int, b: int) -> str:
    counts = [len(tree.chain(joint)) for joint in (a, b)]
    if counts[0] != counts[1]:
        return f"start limbs of {counts[0]} and {counts[1]} joints"
    here, there = tree.center_m(a), tree.center_m(b)
    if here is None or there is None:
        return "do not both move mass"
    if np.linalg.norm(_MIRROR * here - there) > CENTER_SHARE * np.linalg.norm(
        here - there
    ):
        told = (" ".join(f"{v:.3g}" for v in center) for center in (here, there))
        return "have their limbs' centres of mass at {} and {} m".format(*told)
    if min(abs(here[1]), abs(there[1])) < TOLERANCE_M:
        return "have limbs without a side: their centres of mass lie at y = 0"
    return "have axes that do not mirror each other"


def check_posture(tree: Tree, legs: tuple[int, int]) -> None:
    """The root link looks along x and stands along z.

    Args:
        tree: The robot.
        legs: First joints of the left and the right leg.

    Raises:
        ProposalError: It does not.
    """
    left, right = (_center(tree, leg) for leg in legs)
    if left[1] < right[1]:
        raise ProposalError(
            f"{tree.model.name}: {tree.name(legs[0])} is on the right of the root "
            "link's x axis; the root link must face along x (or names tell left for "
            "right)"
        )
    along = left - tree.position_m(legs[0])
    if -along[2] < abs(along[0]):
        raise ProposalError(
            f"{tree.model.name}: the leg that starts at {tree.name(legs[0])} does not "
            "point down the root link's z axis at zero angles; the root link must face "
            "along x, with z up"
        )


def _center(tree: Tree, joint: int) -> Array:
    center = tree.center_m(joint)
    assert center is not None  # only limbs with mass are paired
    return center
