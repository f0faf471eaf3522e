"""A robot with its loads and estimates as faces, posed at any tick of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.record import SIDES
from scenarios.records.scene_colors import ESTIMATE_RGB, TRUE_LOAD_RGB
from scenarios.report.drawing import (
    ELLIPSOID_SIGMAS,
    ESTIMATE_DENSITY_KG_PER_M3,
    LARGEST_ELLIPSOID_M,
    PLATE_RADIUS_M,
    PLATE_THICKNESS_M_PER_KG,
)
from scenarios.report.video.faces import (
    COARSEST_M,
    MOST_MESH_FACES,
    Faces,
    cylinder,
    faces_of,
    sphere,
)
from scenarios.report.video.painter import Solid
from wbmpc.robot import Robot
from wbmpc.robot_shapes import load_visuals

GREY_RGB = (0.60, 0.62, 0.66)
FINEST_M = 0.008
SMALLEST_BALL_M = 0.015


class Figure:
    """One robot of a film."""

    def __init__(
        self, robot: Robot, *, offset_y_m: float = 0.0, is_grey: bool = False
    ) -> None:
        """Take the visuals of the robot's file apart into faces.

        Args:
            robot: Whose visuals to draw.
            offset_y_m: Where it stands, to the left of the origin.
            is_grey: Everything in one grey instead of the file's colours.
        """
        self._model = robot.full_model
        self._data = robot.full_model.createData()
        self._offset = np.array([0.0, offset_y_m, 0.0])
        self._tips = [
            frame_index(self._model, robot.arms[side].tip_frame) for side in SIDES
        ]
        self._links = [
            int(
                self._model.frames[
                    frame_index(self._model, robot.arms[side].link)
                ].parentJoint
            )
            for side in SIDES
        ]
        self._body = _Body(robot, GREY_RGB if is_grey else None)
        self._ball = sphere(1.0)

    def pose(self, q: Array) -> None:
        """Move to a configuration (nq,)."""
        pin.framesForwardKinematics(self._model, self._data, q)

    def tip_m(self, side: int) -> Array:
        """(3,) place of a forearm tip in the picture's world."""
        place = self._data.oMf[self._tips[side]].translation
        return np.asarray(place + self._offset)

    def solids(self, loads_kg: Array, estimates: Array) -> list[Solid]:
        """The robot, its true loads and the estimated ones.

        Args:
            loads_kg: (2,) true loads.
            estimates: (2, 7) mass, centre and its standard deviations.
        """
        joints = list(self._data.oMi)
        rotations = np.array([j.rotation for j in joints])
        places = np.array([j.translation for j in joints]) + self._offset
        found = [self._body.solid(rotations, places)]
        for side in range(len(SIDES)):
            if loads_kg[side] > 0.0:
                found.append(self._load(side, float(loads_kg[side])))
        for side in range(len(SIDES)):
            if estimates[side, 0] > 0.0:
                found += self._estimate(side, estimates[side])
        return found

    def _load(self, side: int, mass_kg: float) -> Solid:
        plates = cylinder(PLATE_RADIUS_M, PLATE_THICKNESS_M_PER_KG * mass_kg)
        return self._placed(
            plates, self._data.oMf[self._tips[side]], TRUE_LOAD_RGB, 1.0
        )

    def _estimate(self, side: int, drawn: Array) -> list[Solid]:
        volume = float(drawn[0]) / ESTIMATE_DENSITY_KG_PER_M3
        radius = max((0.75 * volume / np.pi) ** (1.0 / 3.0), SMALLEST_BALL_M)
        axes = np.clip(ELLIPSOID_SIGMAS * drawn[4:7], 1e-4, LARGEST_ELLIPSOID_M)
        joint = self._data.oMi[self._links[side]]
        place = joint * pin.SE3(np.eye(3), drawn[1:4])
        return [
            self._placed(self._ball.scaled(axes), place, ESTIMATE_RGB, 0.25),
            self._placed(
                self._ball.scaled(np.full(3, radius)), place, ESTIMATE_RGB, 0.9
            ),
        ]

    def _placed(
        self, faces: Faces, place: Any, rgb: tuple[float, ...], opacity: float
    ) -> Solid:
        rotation = np.array(place.rotation)
        return Solid(
            faces.vertices @ rotation.T + place.translation + self._offset,
            faces.corners,
            faces.normals @ rotation.T,
            np.tile(rgb, (len(faces.corners), 1)),
            opacity,
            has_shadow=opacity >= 1.0,
        )


class _Body:
    """Faces of all links, each with the joint it moves with."""

    def __init__(self, robot: Robot, rgb: tuple[float, ...] | None) -> None:
        shapes = [
            (self._in_joint(item, faces), item, faces)
            for item, faces in _all_faces(load_visuals(robot))
        ]
        starts = np.cumsum([0, *(len(f.vertices) for _, _, f in shapes)])
        self._vertices = np.concatenate([placed[0] for placed, _, _ in shapes])
        self._normals = np.concatenate([placed[1] for placed, _, _ in shapes])
        self._corners = np.concatenate(
            [f.corners + s for (_, _, f), s in zip(shapes, starts, strict=False)]
        )
        self._vertex_joint = np.concatenate(
            [np.full(len(f.vertices), i.parentJoint) for _, i, f in shapes]
        )
        self._face_joint = np.concatenate(
            [np.full(len(f.corners), i.parentJoint) for _, i, f in shapes]
        )
        self._rgb = np.concatenate(
            [np.tile(rgb or i.meshColor[:3], (len(f.corners), 1)) for _, i, f in shapes]
        )

    def solid(self, rotations: Array, places: Array) -> Solid:
        """All faces with joints at rotations (J, 3, 3) and places (J, 3)."""
        turned = np.einsum("nij,nj->ni", rotations[self._vertex_joint], self._vertices)
        normals = np.einsum("nij,nj->ni", rotations[self._face_joint], self._normals)
        vertices = turned + places[self._vertex_joint]
        return Solid(vertices, self._corners, normals, self._rgb)

    @staticmethod
    def _in_joint(item: Any, faces: Faces) -> tuple[Array, Array]:
        rotation = np.array(item.placement.rotation)
        vertices = faces.vertices @ rotation.T + item.placement.translation
        return vertices, faces.normals @ rotation.T


def _all_faces(visuals: pin.GeometryModel) -> list[tuple[Any, Faces]]:
    """Faces of every shape; meshes are made coarser until they are few enough."""
    cell_m = FINEST_M
    while True:
        found, of_meshes = [], 0
        for item in visuals.geometryObjects:
            faces = faces_of(item.geometry, np.array(item.meshScale), cell_m)
            if faces is not None and len(faces.corners):
                found.append((item, faces))
                if hasattr(item.geometry, "tri_indices"):
                    of_meshes += len(faces.corners)
        if of_meshes <= MOST_MESH_FACES or cell_m >= COARSEST_M:
            return found
        cell_m *= 1.4
