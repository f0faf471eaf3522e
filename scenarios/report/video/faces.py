"""Shapes as flat faces of three or four corners, small enough to be sorted by depth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.arrays import Array

Corners = NDArray[np.int64]

AROUND = 18
"""Faces around a cylinder or sphere."""
LONGEST_M = 0.06
"""Longer faces are divided: depth is sorted by the middle of a face."""
MOST_MESH_FACES = 24_000
"""Of all meshes of a robot together; what is finer than a pixel costs time only."""
COARSEST_M = 0.05


@dataclass(frozen=True)
class Faces:
    """Faces of one shape in its own frame.

    Attributes:
        vertices: (V, 3) in m.
        corners: (F, 4) vertices of each face, counter-clockwise from outside; the last
            one twice where it has three.
        normals: (F, 3) what the light falls on.
    """

    vertices: Array
    corners: Corners
    normals: Array

    def scaled(self, factors: Array) -> Faces:
        """Stretched along the axes by three factors, all positive."""
        normals = self.normals / factors
        return Faces(self.vertices * factors, self.corners, _unit(normals))


def _flat(vertices: Array, corners: Iterable[Iterable[int]]) -> Faces:
    """Faces that are lit as they are."""
    held = np.array([list(face) for face in corners], dtype=np.int64)
    a, b, c = (vertices[held[:, k]] for k in (0, 1, 2))
    return Faces(vertices, held, _unit(np.cross(b - a, c - a)))


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))


def _parts(length_m: float) -> int:
    return max(1, int(np.ceil(length_m / LONGEST_M)))


def cylinder(radius_m: float, length_m: float) -> Faces:
    """A cylinder along z about the origin."""
    rings = _parts(length_m) + 1
    angles = 2.0 * np.pi * np.arange(AROUND) / AROUND
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * radius_m
    heights = np.linspace(-0.5, 0.5, rings) * length_m
    vertices = [[*point, z] for z in heights for point in circle]
    vertices += [[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]]
    low, high, top = rings * AROUND, rings * AROUND + 1, (rings - 1) * AROUND
    corners = []
    for k in range(AROUND):
        n = (k + 1) % AROUND
        for ring in range(rings - 1):
            a, b = ring * AROUND, (ring + 1) * AROUND
            corners.append([a + k, a + n, b + n, b + k])
        corners.append([low, n, k, k])
        corners.append([high, top + k, top + n, top + n])
    return _flat(np.array(vertices), corners)


def sphere(radius_m: float) -> Faces:
    """A ball about the origin."""
    rows = AROUND // 2
    polar = np.pi * np.arange(rows + 1) / rows
    around = 2.0 * np.pi * np.arange(AROUND) / AROUND
    directions = np.array(
        [
            [np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)]
            for p in polar
            for a in around
        ]
    )
    corners = []
    for row in range(rows):
        for k in range(AROUND):
            n, a, b = (k + 1) % AROUND, row * AROUND, (row + 1) * AROUND
            corners.append([a + k, b + k, b + n, a + n])
    held = np.array(corners, dtype=np.int64)
    return Faces(directions * radius_m, held, _unit(np.mean(directions[held], axis=1)))


def box(half_m: Array) -> Faces:
    """A box about the origin with three half sides."""
    parts: list[Faces] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            parts.append(_side(half_m, axis, u, v, sign))
    return joined(parts)


def _side(half_m: Array, axis: int, u: int, v: int, sign: float) -> Faces:
    nu, nv = _parts(2 * half_m[u]), _parts(2 * half_m[v])
    vertices = np.zeros(((nu + 1) * (nv + 1), 3))
    grid_u, grid_v = np.meshgrid(
        np.linspace(-1, 1, nu + 1) * half_m[u],
        np.linspace(-1, 1, nv + 1) * half_m[v],
        indexing="ij",
    )
    vertices[:, u], vertices[:, v] = grid_u.ravel(), grid_v.ravel()
    vertices[:, axis] = sign * half_m[axis]
    corners = []
    for i in range(nu):
        for j in range(nv):
            a, b = i * (nv + 1) + j, (i + 1) * (nv + 1) + j
            face = [a, b, b + 1, a + 1]
            corners.append(face if sign > 0 else face[::-1])
    return _flat(vertices, corners)


def joined(parts: list[Faces]) -> Faces:
    """Several as one."""
    starts = np.cumsum([0, *(len(p.vertices) for p in parts)])
    return Faces(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.corners + s for p, s in zip(parts, starts, strict=False)]),
        np.concatenate([p.normals for p in parts]),
    )


def mesh(vertices: Array, triangles: Corners, cell_m: float) -> Faces:
    """A mesh whose vertices in one cell of a grid become one.

    Args:
        vertices: (V, 3) in m.
        triangles: (T, 3).
        cell_m: Edge of a cell.
    """
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    cells = np.round(vertices / cell_m).astype(np.int64)
    _, cell = np.unique(cells, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    count = int(cell.max()) + 1 if len(cell) else 0
    members = np.bincount(cell, minlength=count)[:, None]
    centres = np.zeros((count, 3))
    np.add.at(centres, cell, vertices)
    kept = cell[triangles]
    whole = (np.diff(np.sort(kept, axis=1), axis=1) > 0).all(axis=1)
    kept, areas = kept[whole], areas[whole]
    if not len(kept):
        return Faces(centres / members, np.zeros((0, 4), dtype=np.int64), areas)
    # The smallest corner first, so that the two sides of a thin wall stay two.
    turned = (np.argmin(kept, axis=1)[:, None] + np.arange(3)) % 3
    kept = np.take_along_axis(kept, turned, axis=1)
    kept, group = np.unique(kept, axis=0, return_inverse=True)
    normals = np.zeros((len(kept), 3))
    np.add.at(normals, group.reshape(-1), areas)
    return Faces(centres / members, kept[:, [0, 1, 2, 2]], _unit(normals))


def faces_of(shape: Any, scale: Array, cell_m: float) -> Faces | None:
    """Faces of a shape of Coal; None if it is of a kind that no robot file has.

    Args:
        shape: Of a Pinocchio geometry object.
        scale: (3,) of its mesh.
        cell_m: Grid of meshes.
    """
    import coal

    if isinstance(shape, coal.Cylinder):
        return cylinder(shape.radius, 2.0 * shape.halfLength)
    if isinstance(shape, coal.Capsule):
        ends = [sphere(shape.radius), sphere(shape.radius)]
        for end, sign in zip(ends, (-1.0, 1.0), strict=True):
            end.vertices[:, 2] += sign * shape.halfLength
        return joined([cylinder(shape.radius, 2.0 * shape.halfLength), *ends])
    if isinstance(shape, coal.Sphere):
        return sphere(shape.radius)
    if isinstance(shape, coal.Box):
        return box(np.array(shape.halfSide))
    if hasattr(shape, "tri_indices"):
        return mesh(mesh_vertices(shape) * scale, mesh_triangles(shape), cell_m)
    return None


def mesh_vertices(shape: Any) -> Array:
    """(V, 3) of a mesh of Coal."""
    return np.array(shape.vertices(), dtype=float).reshape(-1, 3)


def mesh_triangles(shape: Any) -> Corners:
    """(T, 3) of a mesh of Coal."""
    found = (shape.tri_indices(k) for k in range(shape.num_tris))
    return np.array([(t[0], t[1], t[2]) for t in found], dtype=np.int64).reshape(-1, 3)
