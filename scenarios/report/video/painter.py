"""Draws faces from far to near, as painters do: a picture without a graphics card.

Perspective: a point p in the camera's axes (x right, y down, z ahead) is drawn at
``(width, height) / 2 + f (x, y) / z`` with ``f = height / (2 tan(fov / 2))``. Faces
that show their back are left out; the light comes from one direction (Lambert).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.arrays import Array
from scenarios.report.video.faces import Corners

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

FINER = 2
"""Drawn so many times finer and averaged, against jagged edges."""
LIGHT = np.array([0.55, -0.35, 0.85]) / np.linalg.norm([0.55, -0.35, 0.85])
AMBIENT = 0.45
SKY = ((219, 229, 242), (250, 251, 253))
FLOOR = (233, 233, 236)
FLOOR_LINE = (214, 215, 220)
SHADOW = (205, 206, 212)
FLOOR_M = 3.0
NEAREST_M = 0.1


@dataclass(frozen=True)
class Camera:
    """Where the picture is taken from.

    Attributes:
        eye_m: (3,) in the world.
        target_m: (3,) what is in the middle.
        fov_rad: Angle from the lower to the upper edge.
        size_px: Width and height.
    """

    eye_m: Array
    target_m: Array
    fov_rad: float
    size_px: tuple[int, int]

    def project(self, points: Array) -> tuple[Array, Array]:
        """Pixels (N, 2) and depth (N,) of points (N, 3) in the world."""
        ahead = self.target_m - self.eye_m
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        down = np.cross(ahead, right)
        local = (points - self.eye_m) @ np.column_stack([right, down, ahead])
        width, height = self.size_px
        focal = height / (2.0 * np.tan(self.fov_rad / 2.0))
        depth = local[:, 2]
        safe = np.maximum(depth, NEAREST_M)[:, None]
        return focal * local[:, :2] / safe + np.array([width, height]) / 2.0, depth


@dataclass(frozen=True)
class Solid:
    """Faces in the world, ready to be drawn.

    Attributes:
        vertices: (V, 3) in m.
        corners: (F, 4) as those of `Faces`.
        normals: (F, 3).
        rgb: (F, 3), 0 to 1.
        opacity: Of all of them; what is not opaque is drawn last, over everything.
        has_shadow: Whether it throws one.
    """

    vertices: Array
    corners: Corners
    normals: Array
    rgb: Array
    opacity: float = 1.0
    has_shadow: bool = True


class Painter:
    """One picture."""

    def __init__(self, camera: Camera) -> None:
        """Paint the sky and the floor."""
        from PIL import Image, ImageDraw

        width, height = camera.size_px
        self._camera = Camera(
            camera.eye_m,
            camera.target_m,
            camera.fov_rad,
            (FINER * width, FINER * height),
        )
        shades = np.linspace(SKY[0], SKY[1], FINER * height).astype(np.uint8)
        rows = np.repeat(shades[:, None], FINER * width, axis=1)
        self._image = Image.fromarray(rows)
        self._draw = ImageDraw.Draw(self._image, "RGBA")
        self._floor()

    def solids(self, solids: list[Solid]) -> None:
        """Draw shadows, then everything opaque by depth, then the rest."""
        for solid in solids:
            if solid.has_shadow:
                self._shadow(solid)
        opaque = [s for s in solids if s.opacity >= 1.0]
        if opaque:
            self._faces(opaque)
        for solid in solids:
            if solid.opacity < 1.0:
                self._faces([solid])

    def line(self, points: Array, rgb: tuple[int, int, int], width_px: float) -> None:
        """Draw a line through points (N, 3) of the world, over everything."""
        if len(points) > 1:
            pixels, _ = self._camera.project(points)
            width = max(1, round(FINER * width_px))
            self._draw.line(pixels.ravel().tolist(), fill=(*rgb, 210), width=width)

    def finish(self) -> Image:
        """The picture in its own size."""
        return self._image.reduce(FINER)

    def _floor(self) -> None:
        steps = np.arange(-FLOOR_M, FLOOR_M + 1e-9, 0.5)
        edge = [[x, y, 0.0] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        self._polygon(np.array(edge) * FLOOR_M, FLOOR)
        for step in steps:
            for ends in (
                [[step, -FLOOR_M, 0.0], [step, FLOOR_M, 0.0]],
                [[-FLOOR_M, step, 0.0], [FLOOR_M, step, 0.0]],
            ):
                pixels, _ = self._camera.project(np.array(ends))
                self._draw.line(pixels.ravel().tolist(), fill=FLOOR_LINE, width=FINER)

    def _polygon(self, points: Array, rgb: tuple[int, int, int]) -> None:
        pixels, _ = self._camera.project(points)
        self._draw.polygon(pixels.ravel().tolist(), fill=rgb)

    def _shadow(self, solid: Solid) -> None:
        """What the light does not reach on the floor."""
        lit = solid.corners[(solid.normals @ LIGHT) > 0.0]
        along = solid.vertices[:, 2:] * LIGHT / LIGHT[2]
        pixels, _ = self._camera.project(solid.vertices - along)
        for outline in pixels[lit].reshape(len(lit), -1).tolist():
            self._draw.polygon(outline, fill=SHADOW)

    def _faces(self, solids: list[Solid]) -> None:
        outlines, depths, colors = [], [], []
        for solid in solids:
            pixels, depth = self._camera.project(solid.vertices)
            corners = pixels[solid.corners]
            seen = _faces_us(corners) & (depth[solid.corners].min(axis=1) > NEAREST_M)
            light = np.maximum(solid.normals[seen] @ LIGHT, 0.0)
            shade = AMBIENT + (1.0 - AMBIENT) * light
            outlines.append(corners[seen].reshape(-1, 8))
            depths.append(depth[solid.corners[seen]].mean(axis=1))
            rgb = np.clip(255.0 * solid.rgb[seen] * shade[:, None], 0.0, 255.0)
            alpha = np.full((len(rgb), 1), 255.0 * solid.opacity)
            colors.append(np.concatenate([rgb, alpha], axis=1))
        order = np.argsort(-np.concatenate(depths), kind="stable")
        shapes = np.concatenate(outlines)[order].tolist()
        fills = np.concatenate(colors)[order].astype(int).tolist()
        _paint(self._draw, shapes, fills)


def _paint(draw: ImageDraw, shapes: list[list[float]], fills: list[list[int]]) -> None:
    for shape, fill in zip(shapes, fills, strict=True):
        draw.polygon(shape, fill=tuple(fill))


def _faces_us(corners: Array) -> Array:
    """Whether faces (F, 4, 2) in pixels go around counter-clockwise (y points down)."""
    x, y = corners[..., 0], corners[..., 1]
    area = np.sum(x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y, axis=1)
    return np.asarray(area < 0.0)
