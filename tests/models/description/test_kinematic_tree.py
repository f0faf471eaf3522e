"""Rotations and placements, right angles included."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from urdf_texts import arm, described

from models.description.reading import Pose
from models.description.tree import (
    placements,
    rigid_groups,
    rotation_about,
    rotation_from_rpy,
    rpy_from_rotation,
    transform,
)


def test_rotations_are_pinocchios() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        rpy, axis = rng.uniform(-3, 3, 3), rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        np.testing.assert_allclose(
            rotation_from_rpy(rpy), pin.rpy.rpyToMatrix(*rpy), atol=1e-14
        )
        np.testing.assert_allclose(
            rotation_about(axis, rpy[0]), pin.exp3(rpy[0] * axis), atol=1e-14
        )


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_pitch_through_ninety_degrees(sign: float) -> None:
    """85 to 95 degrees in steps of 0.1: within 0.01 degree, no NaN, no jump."""
    before = None
    for tenth in range(850, 951):
        pitch = sign * np.deg2rad(tenth / 10.0)
        rotation = rotation_from_rpy(np.array([0.3, pitch, -0.7]))
        rpy = rpy_from_rotation(rotation)
        assert np.isfinite(rpy).all()
        again = rotation_from_rpy(rpy)
        error_rad = np.linalg.norm(pin.log3(again.T @ rotation))
        assert np.rad2deg(error_rad) < 0.01
        if before is not None:
            step_rad = np.linalg.norm(pin.log3(before.T @ again))
            assert np.rad2deg(step_rad) < 0.11
        before = again


def test_placements_are_pinocchios() -> None:
    description = described(arm())
    angles = {"shoulder": 0.4, "elbow": -1.1}
    poses = placements(description, "base", angles)
    from models.description.plain_urdf import plain_urdf

    model = pin.buildModelFromXML(plain_urdf(description))
    data = model.createData()
    q = np.array([angles[name] for name in model.names[1:]])
    pin.framesForwardKinematics(model, data, q)
    for name, pose in poses.items():
        theirs = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(pose, theirs, atol=1e-14)


def test_links_that_move_as_one() -> None:
    assert rigid_groups(described(arm()), "base") == {
        "base": ["base"],
        "upper": ["upper"],
        "lower": ["lower"],
    }


def test_transform_places_a_point() -> None:
    pose = Pose(xyz_m=np.array([1.0, 2.0, 3.0]), rpy_rad=np.array([0, 0, np.pi / 2]))
    moved = transform(pose) @ [1.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(moved, [1.0, 3.0, 3.0, 1.0], atol=1e-15)
