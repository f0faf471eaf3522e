"""Points of a link's geometry."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from models.description.geometry_text import geometry_text
from models.description.reading import Description

Array = NDArray[np.float64]


class Shapes:
    """Corners of the shapes of a URDF: its collision geometry, else its visuals."""

    def __init__(self, model: pin.Model, description: Description) -> None:
        """Read what can be read; shapes whose mesh is missing are left out."""
        kinds = (pin.GeometryType.COLLISION, pin.GeometryType.VISUAL)
        text = geometry_text(description)
        found = (_read(model, text, kind) for kind in kinds)
        self._geometry = [geometry for geometry in found if geometry is not None]

    def points_m(self, joint: int) -> Array:
        """(n, 3) corners of all shapes on a joint, in its frame; none if n is 0."""
        for geometry in self._geometry:
            parts = [
                _corners(shape) @ shape.placement.rotation.T
                + shape.placement.translation
                for shape in geometry.geometryObjects
                if shape.parentJoint == joint
            ]
            if parts:
                return np.vstack(parts)
        return np.empty((0, 3))


def _read(
    model: pin.Model, text: str, kind: pin.GeometryType
) -> pin.GeometryModel | None:
    try:
        return pin.buildGeomFromUrdfString(model, text, kind)
    except (ValueError, RuntimeError):
        return None


def _corners(shape: pin.GeometryObject) -> Array:
    """(n, 3) corners in the shape's own frame."""
    solid = shape.geometry
    if hasattr(solid, "vertices") and callable(solid.vertices):
        return np.asarray(solid.vertices()) * shape.meshScale
    solid.computeLocalAABB()
    low, high = solid.aabb_local.min_, solid.aabb_local.max_
    grid = np.meshgrid(*np.stack([low, high], axis=1), indexing="ij")
    return np.stack(grid, axis=-1).reshape(-1, 3)
