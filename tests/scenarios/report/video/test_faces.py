from __future__ import annotations

import numpy as np
import pytest

from scenarios.report.video.faces import Faces, box, cylinder, mesh, sphere


def volume_m3(faces: Faces) -> float:
    """By the divergence theorem: right only if every face looks outward."""
    a, b, c, d = (faces.vertices[faces.corners[:, k]] for k in range(4))
    halves = np.sum(a * np.cross(b, c), axis=1) + np.sum(a * np.cross(c, d), axis=1)
    return float(halves.sum() / 6.0)


@pytest.mark.parametrize(
    ("faces", "expected_m3", "tolerance"),
    [
        (box(np.array([0.1, 0.2, 0.15])), 8 * 0.1 * 0.2 * 0.15, 1e-12),
        (cylinder(0.1, 0.5), np.pi * 0.01 * 0.5, 0.03),
        (sphere(0.1), 4 / 3 * np.pi * 1e-3, 0.06),
        (sphere(1.0).scaled(np.array([0.1, 0.2, 0.3])), 4 / 3 * np.pi * 6e-3, 0.06),
    ],
    ids=["box", "cylinder", "sphere", "ellipsoid"],
)
def test_shapes_are_closed_and_look_outward(
    faces: Faces, expected_m3: float, tolerance: float
) -> None:
    assert volume_m3(faces) == pytest.approx(expected_m3, rel=tolerance)
    middles = faces.vertices[faces.corners].mean(axis=1)
    assert (np.sum(middles * faces.normals, axis=1) > 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(faces.normals, axis=1), 1.0)


def test_a_coarser_mesh_keeps_its_shape_and_both_sides_of_a_wall() -> None:
    fine = sphere(0.1)
    triangles = np.concatenate([fine.corners[:, :3], fine.corners[:, [0, 2, 3]]])
    coarse = mesh(fine.vertices, triangles, cell_m=0.05)
    assert 8 < len(coarse.corners) < len(triangles) / 2
    assert volume_m3(coarse) == pytest.approx(4 / 3 * np.pi * 1e-3, rel=0.3)
    wall = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    both = mesh(wall, np.array([[0, 1, 2], [0, 2, 1]]), cell_m=0.1)
    assert sorted(both.normals[:, 2]) == [-1.0, 1.0]
