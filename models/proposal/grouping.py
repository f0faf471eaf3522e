"""Finds legs, spine, arms, neck and hands in a kinematic tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from models.description.reading import Description
from models.description.tree import roots
from models.errors import ProposalError
from models.proposal.blame import blaming
from models.proposal.mirror import check_posture, mirrored_pairs, near_pair, why_no_pair
from models.proposal.tree import ROOT, Tree, link_of
from models.settings import GroupSettings

LEG_JOINTS = 6
"""Joints it takes to place a sole freely."""
SHOULDER_JOINTS = 2
"""Fewest before an elbow."""
SMALLEST_BEND_M = 0.01
"""By which an elbow changes an arm's length at least."""
WRIST_JOINTS = 3
"""Joints after the elbow that still belong to the arm; later ones move fingers."""


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

    Legs are the mirrored pair that ends lowest, arms the heaviest mirrored pair on the
    trunk above it. Left is where the names say, else where y is positive.

    Raises:
        ProposalError: Not a humanoid: no such pairs, or legs without six joints, or
            legs that do not hang on the root link.
    """
    pelvis, (left, right) = find_pelvis(tree)
    if pelvis != ROOT:
        raise ProposalError(
            f"{tree.model.name}: legs hang on what joint {tree.name(pelvis)} moves, "
            "which is not the root link"
        )
    legs = (tree.chain(left)[:LEG_JOINTS], tree.chain(right)[:LEG_JOINTS])
    spine, (left_arm, right_arm), rest = _trunk(tree, (left, right))
    ends = [_arm(tree, root) for root in (left_arm, right_arm)]
    arms = (ends[0][0], ends[1][0])
    spare = tuple(
        joint
        for root, leg in zip((left, right), legs, strict=True)
        for joint in tree.subtree(root)
        if joint not in leg
    )
    check_posture(tree, (left, right))
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


def pelvis_link(model: pin.Model, description: Description) -> str:
    """Name of the link on which both legs hang; that of the root where it is there.

    Raises:
        ProposalError: There are no two legs.
    """
    tree = Tree.of(model)
    with blaming(description):
        pelvis, legs = find_pelvis(tree)
    if pelvis == ROOT:
        return roots(description)[0]
    links = {description.joints[tree.name(leg)].parent for leg in legs}
    return links.pop() if len(links) == 1 else link_of(model, pelvis)


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


def find_pelvis(tree: Tree) -> tuple[int, tuple[int, int]]:
    """What the legs hang on: the joint that moves it, and the legs' first joints.

    Raises:
        ProposalError: There are no two legs of six joints.
    """
    pairs = [
        (node, pair)
        for node in range(ROOT, tree.model.njoints)
        for pair in mirrored_pairs(tree, tree.children[node])
    ]
    if not pairs:
        raise ProposalError(f"{tree.model.name}: {why_no_pair(tree)}{near_pair(tree)}")
    able = [p for p in pairs if len(tree.chain(p[1][0])) >= LEG_JOINTS]
    lowest = min(able or pairs, key=lambda found: tree.lowest_m(found[1][0]))
    if not able:
        start = lowest[1][0]
        raise ProposalError(
            f"{tree.model.name}: the lowest pair of limbs on both sides is no pair of "
            f"legs: the one that starts at {tree.name(start)} has "
            f"{len(tree.chain(start))} joints, must have {LEG_JOINTS}: with fewer its "
            f"foot cannot stand flat while the pelvis moves{near_pair(tree)}"
        )
    return lowest


def _trunk(
    tree: Tree, legs: tuple[int, int]
) -> tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]]:
    """Spine, roots of both arms, and every other joint on the trunk."""
    node, spine, rest = ROOT, list[int](), list[int]()
    while True:
        children = tuple(j for j in tree.children[node] if j not in legs)
        pairs = list(mirrored_pairs(tree, children))
        if pairs:
            arms = max(pairs, key=lambda pair: tree.mass_kg(tree.subtree(pair[0])))
            rest += [i for j in children if j not in arms for i in tree.subtree(j)]
            return tuple(spine), arms, tuple(rest)
        if not children:
            raise ProposalError(
                f"{tree.model.name}: only one pair of limbs on the trunk mirror each "
                f"other, those that start at {' and '.join(map(tree.name, legs))}: a "
                f"humanoid has two legs, and two arms above them{near_pair(tree)}"
            )
        node = max(children, key=lambda j: tree.mass_kg(tree.subtree(j)))
        spine.append(node)
        rest += [i for j in children if j != node for i in tree.subtree(j)]


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
    if max(ranges) < SMALLEST_BEND_M:
        raise ProposalError(
            f"{tree.model.name}: no joint of the arm that starts at "
            f"{tree.name(chain[0])} changes its length from the shoulder to the centre "
            f"of what {tree.name(chain[-1])} moves: it has no elbow"
        )
    return SHOULDER_JOINTS + int(np.argmax(ranges))


def _length_range_m(tree: Tree, chain: tuple[int, ...], joint: int) -> float:
    """How much one joint changes the distance between an arm's ends."""
    model, data = tree.model, tree.model.createData()
    (low,), (high,) = tree.limits((joint,))
    shoulder, lengths = tree.limb_root_m(chain), []
    for angle in np.linspace(max(low, -np.pi), min(high, np.pi), 9):
        q = pin.neutral(model)
        q[tree.index_q(joint)] = angle
        pin.forwardKinematics(model, data, q)
        hand = data.oMi[chain[-1]].act(model.inertias[chain[-1]].lever)
        lengths.append(np.linalg.norm(hand - shoulder))
    return float(np.ptp(lengths))


def _can_hold(tree: Tree, joint: int) -> bool:
    return tree.mass_kg((joint,)) > 0.0 and 0.0 < tree.effort(joint) < np.inf
