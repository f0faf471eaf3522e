"""From a robot file to settings that stand and wash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.description.check import BODIES, CONTROL, check_description
from models.description.check.limits import locked_positions
from models.description.plain_urdf import weld
from models.description.reading import Description, describe
from models.errors import ProposalError
from models.proposal.blame import blaming
from models.proposal.feet import Foot, find_feet
from models.proposal.grouping import Limbs, find_limbs, group_settings
from models.proposal.hands import Hand, find_hands
from models.proposal.joints import proposed_armature, single_gains
from models.proposal.reach import ArmSolver, ArmTarget
from models.proposal.scaling import Scale, scaled, with_leg_rows
from models.proposal.shapes import Shapes
from models.proposal.stance import Stance, find_stance
from models.proposal.tree import ROOT, Tree, free_name, link_of
from models.settings import (
    ArmSettings,
    BodySettings,
    FrameSettings,
    GroupSettings,
    JointFrictionSettings,
    PlantSettings,
)

T = TypeVar("T", bound=BodySettings)

HOME = ArmTarget(tip=(0.68, 0.22, -0.43), forearm=(0.97, -0.09, -0.21))
ARMS_FORWARD = ArmTarget(tip=(1.05, 0.20, 0.06), forearm=(1.0, -0.08, 0.0))
PICK_UP_LEFT = ArmTarget(tip=(0.81, 0.27, -0.38), forearm=(0.96, -0.10, -0.25))
PICK_UP_RIGHT = ArmTarget(tip=(0.91, 0.17, -0.40), forearm=(0.87, -0.09, -0.49))
"""Where the shipped robot's hands are in its poses."""
PICK_UP_TURN_RAD = -0.2
"""Of the first spine joint that turns about the vertical, to the right."""
PARALLEL = 0.8
"""Cosine from which an axis counts as along another one."""


@dataclass(frozen=True, kw_only=True)
class Proposal(Generic[T]):
    """Settings and what they were derived from.

    Attributes:
        settings: Ready to use.
        scale: Size relative to the shipped robot.
        mass_kg: Of the whole robot.
        stance: How it stands.
        arm_m: Length of an arm from the first shoulder joint to the tip.
    """

    settings: T
    scale: Scale
    mass_kg: float
    stance: Stance
    arm_m: float


def propose(
    model: pin.Model,
    description: Description,
    shipped: T,
    *,
    wrists: bool = True,
    armature_kgm2: Mapping[str, float] | None = None,
    meshes: Sequence[Path] = (),
) -> Proposal[T]:
    """Propose settings for a humanoid.

    Args:
        model: The robot with a free-flyer, every joint of the file.
        description: Its file, for the shapes of feet and forearms.
        shipped: Settings of the robot `SHIPPED`: gains, weights and noise are theirs,
            scaled, whatever there is besides the body.
        wrists: Let the controller move the wrists; else they are locked.
        armature_kgm2: Reflected rotor inertia by joint name, where it is known.
        meshes: Folders in which packages of meshes are looked for first.

    Raises:
        ProposalError: No humanoid, a file with errors, or no pose was found.
    """
    with blaming(description):
        body = _find_body(model, description, wrists=wrists, meshes=meshes)
        return _proposal(
            body, description, shipped, wrists=wrists, known=armature_kgm2 or {}
        )


def _proposal(
    body: _Body,
    description: Description,
    shipped: T,
    *,
    wrists: bool,
    known: Mapping[str, float],
) -> Proposal[T]:
    """Poses, and settings scaled to them."""
    model = body.tree.model
    upper = _nearest_to_zero(body.tree) | body.arms.angles(HOME, HOME, wrists=wrists)
    stance = find_stance(body.tree, body.limbs, body.feet, upper)
    mass_kg = float(pin.computeTotalMass(model))
    scale = Scale.of(mass_kg=mass_kg, com_height_m=stance.com_height_m)
    kept = {name: position for name, position in body.locked.items() if position}
    home = kept | upper | stance.angles
    return Proposal(
        settings=_settings(
            body, description, shipped, home, scale, known, wrists=wrists
        ),
        scale=scale,
        mass_kg=mass_kg,
        stance=stance,
        arm_m=float(np.mean(body.arms.length_m)),
    )


@dataclass(frozen=True, kw_only=True)
class _Body:
    """The parts that were found in a robot file."""

    tree: Tree
    limbs: Limbs
    groups: GroupSettings
    locked: Mapping[str, float]
    feet: tuple[Foot, Foot]
    hands: tuple[Hand, Hand]
    arms: ArmSolver


def _find_body(
    model: pin.Model,
    description: Description,
    *,
    wrists: bool,
    meshes: Sequence[Path],
) -> _Body:
    tree, locked = Tree.of(model), _locked(description)
    limbs = find_limbs(tree)
    groups = group_settings(tree, limbs, wrists=wrists)
    groups = msgspec.structs.replace(groups, welded=(*groups.welded, *locked))
    _check(tree, description, groups)
    shapes = Shapes(model, description, meshes)
    hands = find_hands(tree, limbs, shapes)
    return _Body(
        tree=tree,
        limbs=limbs,
        groups=groups,
        locked=locked,
        feet=find_feet(tree, limbs, shapes),
        hands=hands,
        arms=ArmSolver(tree, limbs, hands),
    )


def _locked(description: Description) -> dict[str, float]:
    """Positions of the joints that their limits lock and that are welded hence."""
    return locked_positions(describe(description.source))


def _check(tree: Tree, description: Description, groups: GroupSettings) -> None:
    """Refuse what a run would refuse, before its numbers are used.

    Raises:
        ProposalError: The robot has errors with the joints welded that are to be.
    """
    angles = _nearest_to_zero(tree)
    movable = (n for n in groups.welded if description.joints[n].moves)
    welded = weld(description, {name: angles.get(name, 0.0) for name in movable})
    found = check_description(welded, (*BODIES, *CONTROL))
    if not found.ok:
        raise ProposalError(found.refusal())


def _settings(
    body: _Body,
    description: Description,
    shipped: T,
    home: dict[str, float],
    scale: Scale,
    armature_kgm2: Mapping[str, float],
    *,
    wrists: bool,
) -> T:
    """The shipped robot's settings for another body."""
    tree, groups = body.tree, body.groups
    suited = with_leg_rows(scaled(shipped, scale), _rolls(tree, body.limbs))
    armature = proposed_armature(tree, groups, armature_kgm2)
    q, gains = _configuration(tree, home), suited.low_level
    singles = single_gains(tree, q, groups, gains, armature)
    return msgspec.structs.replace(
        suited,
        name=description.source.root.get("name", "robot"),
        urdf=str(description.path),
        root_link=link_of(tree.model, ROOT),
        groups=groups,
        frames=_frames(body),
        left_sole=body.feet[0].sole,
        right_sole=body.feet[1].sole,
        left=_arm(tree, groups.left_arm, free_name(tree.model, "left_tip")),
        right=_arm(tree, groups.right_arm, free_name(tree.model, "right_tip")),
        home=_tidy(home),
        poses=_poses(tree, groups, body.arms, wrists=wrists),
        plant=PlantSettings(armature_kgm2=armature),
        low_level=msgspec.structs.replace(gains, joints=singles),
        joint_friction=JointFrictionSettings(),
    )


def _frames(body: _Body) -> dict[str, FrameSettings]:
    (left_foot, right_foot), (left_hand, right_hand) = body.feet, body.hands
    frames = {
        "left_sole": left_foot.frame,
        "right_sole": right_foot.frame,
        "left_tip": left_hand.frame,
        "right_tip": right_hand.frame,
    }
    return {free_name(body.tree.model, name): frame for name, frame in frames.items()}


def _arm(tree: Tree, arm: tuple[str, ...], tip: str) -> ArmSettings:
    last = tree.model.getJointId(arm[-1])
    return ArmSettings(link=link_of(tree.model, last), tip_frame=tip)


def _nearest_to_zero(tree: Tree) -> dict[str, float]:
    """Angles of the joints whose limits leave zero out."""
    joints = tuple(range(ROOT + 1, tree.model.njoints))
    low, high = tree.limits(joints)
    nearest = np.clip(np.zeros(len(joints)), low, high)
    angles = zip(tree.names(joints), nearest.tolist(), strict=True)
    return {name: angle for name, angle in angles if angle != 0.0}


def _configuration(tree: Tree, angles: dict[str, float]) -> Array:
    q: Array = pin.neutral(tree.model)
    for name, angle in angles.items():
        if tree.model.existJointName(name):
            q[tree.index_q(tree.model.getJointId(name))] = angle
    return q


def _poses(
    tree: Tree, groups: GroupSettings, arms: ArmSolver, *, wrists: bool
) -> dict[str, dict[str, float]]:
    """Poses of the shipped robot, hands where its hands are in arm lengths."""
    moved = (*groups.spine, *groups.left_arm, *groups.right_arm)
    targets = {
        "arms_forward": (ARMS_FORWARD, ARMS_FORWARD),
        "pick_up": (PICK_UP_LEFT, PICK_UP_RIGHT),
    }
    poses = {}
    for name, (left, right) in targets.items():
        angles = arms.angles(left, right, wrists=wrists)
        poses[name] = _tidy({n: a for n, a in angles.items() if n in moved})
    poses["pick_up"] = _turned(tree, groups) | poses["pick_up"]
    return poses


def _turned(tree: Tree, groups: GroupSettings) -> dict[str, float]:
    """The trunk turned to the right, if a spine joint can."""
    for name in groups.spine:
        axis = tree.axis(tree.model.getJointId(name))
        if abs(axis[2]) > PARALLEL:
            return {name: round(float(np.sign(axis[2])) * PICK_UP_TURN_RAD, 3)}
    return {}


def _rolls(tree: Tree, limbs: Limbs) -> list[bool]:
    """Which joints of a leg turn about the forward axis."""
    return [abs(float(tree.axis(joint)[0])) > PARALLEL for joint in limbs.legs[0]]


def _tidy(angles: dict[str, float]) -> dict[str, float]:
    return {name: round(angle, 4) + 0.0 for name, angle in angles.items()}
