from __future__ import annotations

import numpy as np
import pytest

from scenarios.report.video.faces import box
from scenarios.report.video.painter import Camera, Painter, Solid

CAMERA = Camera(np.array([3.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]), 0.5, (200, 100))


def block(at_m: list[float], rgb: tuple[float, ...], opacity: float = 1.0) -> Solid:
    faces = box(np.full(3, 0.1))
    colors = np.tile(rgb, (len(faces.corners), 1))
    return Solid(faces.vertices + at_m, faces.corners, faces.normals, colors, opacity)


def middle(solids: list[Solid]) -> np.ndarray:
    painter = Painter(CAMERA)
    painter.solids(solids)
    return np.asarray(painter.finish())[50, 100]


def test_a_point_is_where_the_pinhole_has_it() -> None:
    focal = 100 / (2 * np.tan(0.25))
    pixels, depth = CAMERA.project(np.array([[1.0, 0.2, 1.1]]))
    # Seen from the front: the robot's left is to the right, up is up.
    np.testing.assert_allclose(
        pixels[0], [100 + focal * 0.2 / 2, 50 - focal * 0.1 / 2], atol=1e-9
    )
    assert depth[0] == pytest.approx(2.0)


def test_the_nearer_of_two_is_seen() -> None:
    red, blue = block([0.5, 0, 1], (1, 0, 0)), block([-0.5, 0, 1], (0, 0, 1))
    for order in ([red, blue], [blue, red]):
        r, _, b = middle(order)
        assert r > 100 and b == 0


def test_what_is_not_opaque_is_seen_over_everything() -> None:
    near = block([0.5, 0, 1], (1, 0, 0))
    far = block([-0.5, 0, 1], (0, 1, 0), 0.5)
    r, g, b = middle([far, near])
    assert r > 30 and g > 30 and b == 0


def test_the_picture_has_the_size_asked_for() -> None:
    assert Painter(CAMERA).finish().size == (200, 100)
