"""A robot whose tree begins elsewhere is the same robot."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from urdf_texts import described, joint, link, robot

from models.description.check import check_description
from models.description.plain_urdf import plain_urdf
from models.description.reading import Description
from models.description.reroot import rerooted
from models.description.tree import placements, roots
from models.errors import UnknownNameError

AXES = {"revolute": "0.48 0.6 0.64", "prismatic": "0 0.6 -0.8", "continuous": "0 0 1"}


def chain(kinds: tuple[str, ...], *, aside: bool) -> Description:
    """Links a, b, c ... in a row, and a branch at each."""
    names = "abcdefg"[: len(kinds) + 1]
    parts = [link(name) for name in names]
    for k, kind in enumerate(kinds):
        origin = 'xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"'
        if not aside:  # the axis passes through both links' origins
            xyz = " ".join(str(0.2 * float(a)) for a in AXES.get(kind, "0 0 1").split())
            origin = f'xyz="{xyz}"'
        axis = AXES.get(kind, "0 0 1")
        parts.append(
            joint(f"j{k}", names[k], names[k + 1], kind=kind, origin=origin, axis=axis)
        )
        parts += [link(f"x{k}"), joint(f"side{k}", names[k], f"x{k}")]
    return described(robot(*parts))


KINDS = (
    ("revolute",),
    ("prismatic",),
    ("continuous",),
    ("fixed", "revolute"),
    ("revolute", "fixed", "prismatic", "revolute"),
)


@pytest.mark.parametrize("aside", [False, True])
@pytest.mark.parametrize("kinds", KINDS)
def test_links_are_where_they_were(kinds: tuple[str, ...], aside: bool) -> None:
    before = chain(kinds, aside=aside)
    root = "abcdefg"[len(kinds)]
    after = rerooted(before, root)
    assert roots(after) == [root]
    assert check_description(after, ()).ok
    assert [n for n, j in after.joints.items() if j.moves] == [
        n for n, j in before.joints.items() if j.moves
    ]
    rng = np.random.default_rng(0)
    angles = {name: float(rng.uniform(-1, 1)) for name in before.joints}
    old, new = placements(before, "a", angles), placements(after, root, angles)
    for name in before.links:
        np.testing.assert_allclose(
            new["a"] @ old[name], new[name], atol=1e-12, err_msg=name
        )
    between = set(after.links) - set(before.links)
    needed = {f"{'abcdefg'[k]} at j{k}" for k, kind in enumerate(kinds) if kind in AXES}
    assert between <= (needed if aside else set())


def test_masses_limits_and_dynamics_are_the_same() -> None:
    """M(q) of the whole, seen from the base of the other tree."""
    before = chain(("revolute", "fixed", "revolute"), aside=True)
    after = rerooted(before, "d")
    models = [
        pin.buildModelFromXML(plain_urdf(d), pin.JointModelFreeFlyer())
        for d in (before, after)
    ]
    rng = np.random.default_rng(0)
    angles = {name: float(rng.uniform(-1, 1)) for name in before.joints}
    found = []
    for model in models:
        data, q = model.createData(), pin.neutral(model)
        for name, angle in angles.items():
            if model.existJointName(name):
                q[model.joints[model.getJointId(name)].idx_q] = angle
        pin.framesForwardKinematics(model, data, q)
        at = data.oMf[model.getFrameId("a", pin.BODY)]
        com = at.actInv(pin.centerOfMass(model, data, q))
        # Inertia of everything about its centre, seen from link a.
        whole = pin.Inertia.Zero()
        for joint_id in range(1, model.njoints):
            whole += at.actInv(data.oMi[joint_id]).act(model.inertias[joint_id])
        joints = [model.joints[model.getJointId(name)] for name in ("j0", "side1")]
        limits = [model.upperPositionLimit[joint.idx_q] for joint in joints]
        found.append((com, whole.inertia, whole.mass, limits))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_link_that_moves_with_the_root_changes_nothing() -> None:
    before = chain(("fixed", "revolute"), aside=True)
    assert rerooted(before, "a") is before
    assert rerooted(before, "b") is before


def test_a_link_that_is_not_there() -> None:
    with pytest.raises(UnknownNameError, match="unknown link 'z'"):
        rerooted(chain(("revolute",), aside=True), "z")
