"""A joint may be called like a link; a link is meant then."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from urdf_texts import described, joint, link, robot

import models
from models.description.plain_urdf import plain_urdf
from models.frame_names import frame_index, lock_joints

JOINTS = ("first", "second", "third", "welded", "at_u", "at_r")
SHARED = ("b", "d", "c", "e", "universe", "root_joint")
"""A link's own joint, two joints called like each other's links, a fixed joint."""


def model_with(names: tuple[str, ...]) -> pin.Model:
    """A chain whose joints have these names."""
    links = ("a", "b", "c", "d", "e", "universe", "root_joint")
    kinds = ("revolute",) * 3 + ("fixed",) * 3
    chain = ("a", "b", "c", "d", "e", "e")
    parts = [link(name) for name in links]
    for name, parent, child, kind in zip(names, chain, links[1:], kinds, strict=True):
        parts.append(joint(name, parent, child, kind=kind))
    text = plain_urdf(described(robot(*parts)))
    return pin.buildModelFromXML(text, pin.JointModelFreeFlyer())


@pytest.fixture(scope="module")
def plain() -> pin.Model:
    return model_with(JOINTS)


@pytest.fixture(scope="module")
def shared() -> pin.Model:
    return model_with((*SHARED[:4], "at_u", "at_r"))


def test_a_link_is_found_before_a_joint(shared: pin.Model, plain: pin.Model) -> None:
    for name in ("a", "b", "c", "d", "e", "universe", "root_joint"):
        index = frame_index(shared, name)
        assert shared.frames[index].type == pin.BODY
        assert shared.frames[index].name == name
        other = plain.frames[plain.getFrameId(name, pin.BODY)]
        assert shared.frames[index].parentJoint == other.parentJoint
    assert frame_index(plain, "first") == plain.getFrameId("first")
    with pytest.raises(KeyError):
        frame_index(shared, "nobody")


@pytest.mark.parametrize("ids", [[], [2], [3], [2, 3], [4], [2, 3, 4]])
def test_joints_are_locked_whatever_they_are_called(
    ids: list[int], shared: pin.Model, plain: pin.Model
) -> None:
    q = pin.neutral(plain)
    q[7:] = np.linspace(-0.4, 0.7, plain.nq - 7)
    names = [frame.name for frame in shared.frames]
    ours, theirs = lock_joints(shared, ids, q), lock_joints(plain, ids, q)
    assert [frame.name for frame in shared.frames] == names
    assert (ours.nq, len(ours.frames)) == (theirs.nq, len(theirs.frames))
    for a, b in zip(ours.frames, theirs.frames, strict=True):
        assert (a.type, a.parentJoint) == (b.type, b.parentJoint)
        if a.type == pin.BODY:
            assert a.name == b.name
        np.testing.assert_array_equal(a.placement.homogeneous, b.placement.homogeneous)
    for a, b in zip(ours.inertias, theirs.inertias, strict=True):
        np.testing.assert_array_equal(a.toDynamicParameters(), b.toDynamicParameters())


def test_no_frame_is_looked_up_without_its_kind() -> None:
    """Pinocchio refuses that as soon as a joint is called like a link."""
    root, found = Path(models.__file__).parents[1], []
    for package in ("models", "wbmpc", "ekf", "teleop", "scenarios"):
        for path in (root / package).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
            found += [
                f"{path.relative_to(root)}:{call.lineno}"
                for call in calls
                if isinstance(call.func, ast.Attribute)
                and call.func.attr == "getFrameId"
                and len(call.args) == 1
                and path.name != "contact_problem.py"  # without our code
            ]
    assert found == []
