"""Finds legs, spine, arms, neck and hands in a kinematic tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pinocchio as pin

from models.errors import ProposalError
from models.proposal.tree import ROOT, Tree
from models.settings import GroupSettings

LEG_JOINTS = 6
"""Joints it takes to place a sole freely."""
SHOULDER_JOINTS = 2
"""Fewest before an elbow."""
WRIST_JOINTS = 3
"""Joints after the elbow that still belong to the arm; later ones move fingers."""
MIRROR_TOLERANCE_M = 0.01
_SIDES = {
    "left": re.compile(r"(?i:left)|(^|_)[lL]_|^L(?=[A-Z])|_[lL]$"),
    "right": re.compile(r"(?i:right)|(^|_)[rR]_|^R(?=[A-Z])|_[rR]$"),
}


@dataclass(frozen=True, kw_only=True)
class Limbs:
    """Joint indices of each part, root to tip; pairs are (left, right).

    Attributes:
        legs: Six joints each.
        spine: Between root link and shoulders.
        arms: Shoulder, elbow and wrist joints.
        elbows: Place of the elbow in each arm.
        hands: What moves fingers.
        rest: Head and anything else on the trunk.
    """

    legs: tuple[tuple[int, ...], tuple[int, ...]]
    spine: tuple[int, ...]
    arms: tuple[tuple[int, ...], tuple[int, ...]]
    elbows: tuple[int, int]
    hands: tuple[int, ...]
    rest: tuple[int, ...]


def find_limbs(tree: Tree) -> Limbs:
    """Sort the joints of a humanoid by where they hang.

    Legs are the mirrored pair on the root link that ends lowest, arms the heaviest
    mirrored pair on the trunk above it. Left is where the names say, else where y is
    positive.

    Raises:
        ProposalError: Not a humanoid: no such pairs, or legs without six joints.
    """
    left, right = _leg_pair(tree)
    legs = (_leg(tree, left), _leg(tree, right))
    spine, (left_arm, right_arm), rest = _trunk(tree, {left, right})
    ends = [_arm(tree, root) for root in (left_arm, right_arm)]
    arms = (ends[0][0], ends[1][0])
    spare = tuple(
        joint
        for root, leg in zip((left, right), legs, strict=True)
        for joint in tree.subtree(root)
        if joint not in leg
    )
    _check_sides(tree, legs)
    _check_strength(tree, (*legs[0], *legs[1], *spine, *arms[0], *arms[1]))
    return Limbs(
        legs=legs,
        spine=spine,
        arms=arms,
        elbows=(ends[0][1], ends[1][1]),
        hands=tuple(
            joint
            for root, arm in zip((left_arm, right_arm), arms, strict=True)
            for joint in tree.subtree(root)
            if joint not in arm
        ),
        rest=rest + spare,
    )


def group_settings(tree: Tree, limbs: Limbs, *, wrists: bool) -> GroupSettings:
    """Groups as settings.

    Fingers, and joints that could not hold themselves (no mass or no effort limit),
    are welded. Wrists move with the arms, or are locked.
    """
    arms, locked = [], list[int]()
    for arm, elbow in zip(limbs.arms, limbs.elbows, strict=True):
        kept = len(arm) if wrists else elbow + 1
        arms.append(arm[:kept])
        locked += arm[kept:]
    able = [j for j in (*limbs.rest, *locked) if _can_hold(tree, j)]
    unable = [j for j in (*limbs.rest, *locked) if j not in able]
    return GroupSettings(
        left_leg=tree.names(limbs.legs[0]),
        right_leg=tree.names(limbs.legs[1]),
        spine=tree.names(limbs.spine),
        left_arm=tree.names(arms[0]),
        right_arm=tree.names(arms[1]),
        neck=tree.names(tuple(j for j in limbs.rest if j in able)),
        locked=tree.names(tuple(j for j in locked if j in able)),
        welded=tree.names((*limbs.hands, *unable)),
    )


def _leg_pair(tree: Tree) -> tuple[int, int]:
    pairs = list(_mirrored_pairs(tree, tree.children[ROOT]))
    if not pairs:
        raise ProposalError(
            f"{tree.model.name}: no two chains on the root link mirror each other: "
            "a humanoid has two legs there"
        )
    return min(pairs, key=lambda pair: tree.lowest_m(pair[0]))


def _leg(tree: Tree, root: int) -> tuple[int, ...]:
    chain = tree.chain(root)
    if len(chain) < LEG_JOINTS:
        raise ProposalError(
            f"{tree.model.name}: the leg that starts at {tree.name(root)} has "
            f"{len(chain)} joints, must have {LEG_JOINTS}: with fewer its foot cannot "
            "stand flat while the pelvis moves"
        )
    return chain[:LEG_JOINTS]


def _trunk(
    tree: Tree, legs: set[int]
) -> tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]]:
    """Spine, roots of both arms, and every other joint on the trunk."""
    node, spine, rest = ROOT, list[int](), list[int]()
    while True:
        children = tuple(j for j in tree.children[node] if j not in legs)
        pairs = list(_mirrored_pairs(tree, children))
        if pairs:
            arms = max(pairs, key=lambda pair: tree.mass_kg(tree.subtree(pair[0])))
            rest += [i for j in children if j not in arms for i in tree.subtree(j)]
            return tuple(spine), arms, tuple(rest)
        if not children:
            raise ProposalError(
                f"{tree.model.name}: no two chains above the legs mirror each other: "
                "a humanoid has two arms there"
            )
        node = max(children, key=lambda j: tree.mass_kg(tree.subtree(j)))
        spine.append(node)
        rest += [i for j in children if j != node for i in tree.subtree(j)]


def _mirrored_pairs(tree: Tree, joints: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Left and right of joints that mirror each other in the x-z plane."""
    for a, b in combinations(joints, 2):
        first, second = tree.position_m(a), tree.position_m(b)
        apart = np.abs(first * [1, -1, 1] - second).max()
        alike = len(tree.chain(a)) == len(tree.chain(b))
        if alike and apart < MIRROR_TOLERANCE_M and abs(first[1]) > MIRROR_TOLERANCE_M:
            yield (a, b) if _is_left(tree, a, b) else (b, a)


def _is_left(tree: Tree, a: int, b: int) -> bool:
    for joint, answer in ((a, True), (b, False)):
        side = named_side(tree.name(joint))
        if side is not None:
            return answer == (side == "left")
    return bool(tree.position_m(a)[1] > tree.position_m(b)[1])


def named_side(name: str) -> str | None:
    """Side that a joint's name tells; None if it tells none or both."""
    sides = [side for side, pattern in _SIDES.items() if pattern.search(name)]
    return sides[0] if len(sides) == 1 else None


def _check_sides(tree: Tree, legs: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    if tree.position_m(legs[0][0])[1] < tree.position_m(legs[1][0])[1]:
        raise ProposalError(
            f"{tree.model.name}: {tree.name(legs[0][0])} is on the right of the root "
            "link's x axis; the root link must face along x"
        )


def _check_strength(tree: Tree, joints: tuple[int, ...]) -> None:
    for joint in joints:
        if not 0.0 < tree.effort(joint) < np.inf:
            raise ProposalError(
                f"{tree.model.name}: joint {tree.name(joint)}: effort limit "
                f"{tree.effort(joint):g}: must be finite and > 0 to hold the robot"
            )


def _arm(tree: Tree, root: int) -> tuple[tuple[int, ...], int]:
    """Joints of an arm, and the place of its elbow among them.

    The wrist ends before the first joint that could not hold itself.
    """
    chain = tree.chain(root)
    elbow = _elbow(tree, chain)
    end = elbow + 1
    while end < min(len(chain), elbow + 1 + WRIST_JOINTS) and _can_hold(
        tree, chain[end]
    ):
        end += 1
    return chain[:end], elbow


def _elbow(tree: Tree, chain: tuple[int, ...]) -> int:
    """Place of the joint that changes the arm's length most."""
    if len(chain) <= SHOULDER_JOINTS:
        raise ProposalError(
            f"{tree.model.name}: the arm that starts at {tree.name(chain[0])} has "
            f"{len(chain)} joints, must have at least {SHOULDER_JOINTS + 1}"
        )
    ranges = [_length_range_m(tree, chain, j) for j in chain[SHOULDER_JOINTS:]]
    return SHOULDER_JOINTS + int(np.argmax(ranges))


def _length_range_m(tree: Tree, chain: tuple[int, ...], joint: int) -> float:
    """How much one joint changes the distance between an arm's ends."""
    model, data = tree.model, tree.model.createData()
    (low,), (high,) = tree.limits((joint,))
    lengths = []
    for angle in np.linspace(max(low, -np.pi), min(high, np.pi), 9):
        q = pin.neutral(model)
        q[tree.index_q(joint)] = angle
        pin.forwardKinematics(model, data, q)
        hand = data.oMi[chain[-1]].act(model.inertias[chain[-1]].lever)
        lengths.append(np.linalg.norm(hand - data.oMi[chain[0]].translation))
    return float(np.ptp(lengths))


def _can_hold(tree: Tree, joint: int) -> bool:
    return tree.mass_kg((joint,)) > 0.0 and 0.0 < tree.effort(joint) < np.inf
