"""The robot file: totals, frames, limits and possible bodies."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import models

URDF = Path(models.__file__).parent / "alexander" / "alexander.urdf"


@pytest.fixture(scope="module")
def model() -> pin.Model:
    """All joints, floating base."""
    return pin.buildModelFromUrdf(str(URDF), pin.JointModelFreeFlyer())


@pytest.fixture(scope="module")
def root() -> ET.Element:
    """The file as XML."""
    return ET.parse(URDF).getroot()


def _placement(model: pin.Model, frame: str, parent: str) -> pin.SE3:
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    return data.oMf[model.getFrameId(parent)].actInv(data.oMf[model.getFrameId(frame)])


def _body(inertial: ET.Element) -> pin.Inertia:
    """The body an <inertial> element with unturned axes describes."""
    values = {e.tag: e.attrib for e in inertial}
    com_m = np.array(values["origin"]["xyz"].split(), dtype=float)
    assert values["origin"]["rpy"] == "0 0 0"
    about_com = np.zeros((3, 3))
    for row, column in zip(*np.triu_indices(3), strict=True):
        key = f"i{'xyz'[row]}{'xyz'[column]}"
        about_com[row, column] = float(values["inertia"][key])
        about_com[column, row] = about_com[row, column]
    return pin.Inertia(float(values["mass"]["value"]), com_m, about_com)


def test_totals(model: pin.Model) -> None:
    """23 joints, 66.87 kg, and the forearm of the paper."""
    assert model.njoints - 2 == 23
    assert pin.computeTotalMass(model) == pytest.approx(66.87469743, abs=1e-9)
    forearm = model.inertias[model.getJointId("LEFT_ELBOW_Y")]
    assert forearm.mass == 0.616
    assert forearm.lever[2] == pytest.approx(-0.104, abs=2e-4)


@pytest.mark.parametrize("side", ["LEFT", "RIGHT"])
def test_frames(model: pin.Model, side: str) -> None:
    """Tip 0.41 m below the elbow; sole below the ankle, not turned."""
    tip = _placement(model, f"{side}_FOREARM_TIP", f"{side}_ELBOW_PITCH_LINK")
    sole = _placement(model, f"{side}_SOLE", f"{side}_FOOT")
    np.testing.assert_allclose(tip.translation, [0, 0, -0.41], atol=1e-12)
    np.testing.assert_allclose(sole.translation, [0.045, 0, -0.0725], atol=1e-12)
    np.testing.assert_allclose(sole.rotation, np.eye(3), atol=1e-12)


def test_every_link_is_a_possible_body(root: ET.Element) -> None:
    """Pseudo-inertia positive definite, link by link, before any merging."""
    bodies = {
        link.get("name"): _body(inertial)
        for link in root.iter("link")
        for inertial in link.iter("inertial")
    }
    assert len(bodies) == 24
    for name, body in bodies.items():
        pseudo = pin.PseudoInertia.FromInertia(body).toMatrix()
        assert np.linalg.eigvalsh(pseudo).min() > 0.0, name


def test_limits_are_real(model: pin.Model) -> None:
    """No placeholder, no zero; both sides alike."""
    effort = model.upperEffortLimit[6:]
    assert np.all((effort >= 20.0) & (effort <= 200.0))
    velocity = model.upperVelocityLimit[6:]
    assert np.all((velocity >= 8.0) & (velocity <= 20.0))
    for joint in range(2, model.njoints):
        name = model.names[joint]
        if name.startswith("LEFT_"):
            twin = model.joints[model.getJointId(name.replace("LEFT", "RIGHT"))]
            index = model.joints[joint].idx_v
            assert effort[index - 6] == effort[twin.idx_v - 6], name


def test_mirrored_sides_stand_mirrored(model: pin.Model) -> None:
    """Frames of both sides are mirror images at zero angles."""
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    mirror = np.array([1.0, -1.0, 1.0])
    for name in ("SOLE", "FOREARM_TIP", "SHIN", "SHOULDER_X_LINK"):
        left, right = (
            data.oMf[model.getFrameId(f"{side}_{name}")].translation
            for side in ("LEFT", "RIGHT")
        )
        np.testing.assert_allclose(left, mirror * right, atol=1e-9)


def test_only_the_soles_collide(model: pin.Model) -> None:
    """One box a foot whose bottom face is centred at the sole frame."""
    shapes = pin.buildGeomFromUrdf(model, str(URDF), pin.GeometryType.COLLISION)
    assert len(shapes.geometryObjects) == 2
    for shape in shapes.geometryObjects:
        half = shape.geometry.halfSide
        np.testing.assert_allclose(half[:2], [0.0985, 0.045], atol=1e-12)
        frame = model.frames[shape.parentFrame]
        assert frame.name.endswith("_FOOT")
        bottom = shape.placement.translation - [0, 0, half[2]]
        np.testing.assert_allclose(bottom, [0.045, 0, -0.0725], atol=1e-12)


def test_every_link_with_mass_is_drawn(root: ET.Element) -> None:
    """Primitives only: the file needs no meshes."""
    assert root.find(".//mesh") is None
    for link in root.iter("link"):
        assert (link.find("inertial") is None) == (link.find("visual") is None)
