"""Gains and rotor inertias of single joints, for the low level and the plant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pinocchio as pin

from models.arrays import Array
from models.proposal.scaling import rounded
from models.proposal.tree import Tree
from models.settings import GroupSettings, JointGains, LowLevelSettings

ARMATURE_KGM2_PER_NM = 3e-5
"""Reflected rotor inertia by effort limit: the middle of the shipped robot's legs, for
which it is published (1.3e-5 to 5e-5)."""
STEP_S = 1e-3
"""Of the low level."""
DAMPING_SHARE = 0.35
"""Of its own inertia over `STEP_S` that a joint's damping may be: with more, damping
overshoots within a step. The shipped robot's elbows have as much."""
EFFORT_AT_RAD = 0.25
"""Error at which stiffness alone may ask for the whole effort limit."""


def proposed_armature(
    tree: Tree, groups: GroupSettings, known_kgm2: Mapping[str, float]
) -> dict[str, float]:
    """Reflected rotor inertia [kg m^2] of every moving joint by name.

    As known, else by effort limit.
    """
    joints = {name: tree.model.getJointId(name) for name in _names(groups)}
    return {
        name: rounded(
            known_kgm2.get(name, ARMATURE_KGM2_PER_NM * tree.effort(joint)), 3
        )
        for name, joint in joints.items()
    }


def single_gains(
    tree: Tree,
    q: Array,
    groups: GroupSettings,
    gains: LowLevelSettings,
    armature_kgm2: Mapping[str, float],
) -> dict[str, JointGains]:
    """Gains of joints that move too little inertia for their group's, or are too weak.

    Damping is cut to `DAMPING_SHARE`, stiffness to what that damps critically and to
    what `EFFORT_AT_RAD` leaves. Legs keep theirs, for the ground holds them.
    """
    inertia = pin.crba(tree.model, tree.model.createData(), q)
    singles = {}
    for group, names in _upper(groups):
        shared: JointGains = getattr(gains, group)
        for name in names:
            joint = tree.model.joints[tree.model.getJointId(name)]
            moved = float(inertia[joint.idx_v, joint.idx_v]) + armature_kgm2[name]
            kd = min(shared.kd_Nms_per_rad, DAMPING_SHARE * moved / STEP_S)
            strong = tree.effort(tree.model.getJointId(name)) / EFFORT_AT_RAD
            kp = min(shared.kp_Nm_per_rad, strong)
            if kd < shared.kd_Nms_per_rad:
                kp = min(kp, kd**2 / (4.0 * moved))
            if (kp, kd) != (shared.kp_Nm_per_rad, shared.kd_Nms_per_rad):
                singles[name] = JointGains(
                    kp_Nm_per_rad=rounded(kp, 2), kd_Nms_per_rad=rounded(kd, 2)
                )
    return singles


def _upper(groups: GroupSettings) -> Iterable[tuple[str, tuple[str, ...]]]:
    yield "spine", groups.spine
    yield "arms", groups.left_arm + groups.right_arm
    yield "neck", groups.neck
    yield "locked", groups.locked


def _names(groups: GroupSettings) -> tuple[str, ...]:
    upper = tuple(name for _, names in _upper(groups) for name in names)
    return groups.left_leg + groups.right_leg + upper
