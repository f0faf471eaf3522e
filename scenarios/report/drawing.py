"""Draws a robot, its loads and the floor into any Meshcat window.

The visuals of a link hang under one node of its joint, so that a new configuration is
one transform per joint, however many shapes a link has.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from models.arrays import Array
from models.frame_names import frame_index
from scenarios.records.record import SIDES
from scenarios.records.scene_colors import ESTIMATE_RGB, TRUE_LOAD_RGB, as_number
from wbmpc.robot import Robot
from wbmpc.robot_shapes import load_visuals

Rgba = tuple[float, float, float, float]

PAYLOAD_COLOR = as_number(TRUE_LOAD_RGB)
ESTIMATE_COLOR = as_number(ESTIMATE_RGB)
ESTIMATE_DENSITY_KG_PER_M3 = 7850.0
"""An estimated payload is drawn as a ball of steel at its centre."""
ELLIPSOID_SIGMAS = 2.0
LARGEST_ELLIPSOID_M = 0.4
FLOOR_COLOR = 0xE9E9EC
GREY: Rgba = (0.55, 0.57, 0.60, 1.0)
PLATE_RADIUS_M = 0.09
PLATE_THICKNESS_M_PER_KG = 0.012
"""A load is drawn as plates stacked along the forearm: thicker as they are added."""
NO_LOAD_SCALE = 1e-4
"""Scale of an absent load; zero has no inverse."""
CENTRE_HEIGHT_M = 0.75
"""Height the camera looks at. The viewer's target is its origin, so the world moves."""
CAMERA_M = (4.4, -1.2, 0.7)
"""Position relative to that centre, in front of the robot and to its right."""
CAMERA_ZOOM = 3.0
FLOOR_M = 6.0


_Y_ALONG_Z = pin.SE3(pin.rpy.rpyToMatrix(np.pi / 2, 0.0, 0.0), np.zeros(3)).homogeneous
"""Meshcat's cylinders stand along y; the forearm runs along its tip frame's z."""


_NO_ESTIMATES = np.zeros((2, 7))


class RobotDrawing:
    """One robot in a scene."""

    def __init__(
        self,
        window: Any,
        robot: Robot,
        name: str,
        *,
        offset_y_m: float = 0.0,
        color: Rgba | None = None,
    ) -> None:
        """Load every visual of the URDF; boxes stand for missing meshes.

        Args:
            window: Meshcat `Visualizer`.
            robot: Whose visuals to draw.
            name: Root node of this robot.
            offset_y_m: Where it stands, to the left of the origin.
            color: One colour for everything instead of the URDF's.
        """
        self._window, self._name = window[name], name
        self._model = robot.full_model
        self._data = robot.full_model.createData()
        self._offset = np.array([0.0, offset_y_m, 0.0])
        self._tips = {
            side: self._model.frames[frame_index(self._model, arm.tip_frame)]
            for side, arm in robot.arms.items()
        }
        self._links = {side: arm.link for side, arm in robot.arms.items()}
        _load_visuals(window, robot, name, color)
        self._load_payloads()
        self._load_estimates()

    def transforms(self, q: Array) -> dict[str, Array]:
        """Pose (4, 4) of each joint's node, by its path below this robot."""
        pin.forwardKinematics(self._model, self._data, q)
        poses = {}
        for joint in range(1, self._model.njoints):
            pose = self._data.oMi[joint].homogeneous
            pose[:3, 3] += self._offset
            poses[self._model.names[joint]] = pose
        return poses

    def payload_scales(self, payload_kg: Array) -> dict[str, list[float]]:
        """Radius, thickness, radius of each load's plates, by path below this robot."""
        scales = {}
        for side, mass in zip(SIDES, payload_kg, strict=True):
            radius = PLATE_RADIUS_M if mass > 0.0 else NO_LOAD_SCALE
            thickness = max(PLATE_THICKNESS_M_PER_KG * float(mass), NO_LOAD_SCALE)
            scales[self._payload_path(side)] = [radius, thickness, radius]
        return scales

    def estimate_shapes(self, estimates: Array) -> dict[str, tuple[Array, Array]]:
        """Position and half axes of each estimated payload and of its ellipsoid.

        Args:
            estimates: (2, 7) mass, centre and its standard deviations, each in the
                forearm's joint frame; a row of zeros draws nothing.
        """
        shapes = {}
        for side, (mass, *rest) in zip(SIDES, estimates, strict=True):
            centre, sigma = np.array(rest[:3]), np.array(rest[3:])
            volume = float(mass) / ESTIMATE_DENSITY_KG_PER_M3
            radius = max((0.75 * volume / np.pi) ** (1.0 / 3.0), NO_LOAD_SCALE)
            axes = np.clip(ELLIPSOID_SIGMAS * sigma, NO_LOAD_SCALE, LARGEST_ELLIPSOID_M)
            path = self._estimate_path(side)
            shapes[f"{path}/ball"] = (centre, np.full(3, radius))
            shapes[f"{path}/ellipsoid"] = (centre, axes)
        return shapes

    def show(self, q: Array, payload_kg: Array, estimates: Array | None = None) -> None:
        """Move everything to a configuration."""
        shapes = self.estimate_shapes(_NO_ESTIMATES if estimates is None else estimates)
        for path, (centre, axes) in shapes.items():
            pose = np.diag([*axes, 1.0])
            pose[:3, 3] = centre
            self._window[path].set_transform(pose)
        for path, pose in self.transforms(q).items():
            self._window[path].set_transform(pose)
        for path, scale in self.payload_scales(payload_kg).items():
            self._window[path].set_transform(np.diag([*scale, 1.0]))

    def full_path(self, path: str) -> str:
        """Absolute path of a node of this robot."""
        return f"/meshcat/{self._name}/{path}"

    def _payload_path(self, side: str) -> str:
        joint = self._model.names[self._tips[side].parentJoint]
        return f"{joint}/load_{side}/plates"

    def _estimate_path(self, side: str) -> str:
        frame = self._model.frames[frame_index(self._model, self._links[side])]
        return f"{self._model.names[frame.parentJoint]}/estimate_{side}"

    def _load_estimates(self) -> None:
        import meshcat.geometry as shapes

        ball = shapes.MeshPhongMaterial(color=ESTIMATE_COLOR)
        cloud = shapes.MeshPhongMaterial(
            color=ESTIMATE_COLOR, transparent=True, opacity=0.25
        )
        for side in SIDES:
            path = self._estimate_path(side)
            self._window[f"{path}/ball"].set_object(shapes.Sphere(1.0), ball)
            self._window[f"{path}/ellipsoid"].set_object(shapes.Sphere(1.0), cloud)

    def _load_payloads(self) -> None:
        import meshcat.geometry as shapes

        material = shapes.MeshPhongMaterial(color=PAYLOAD_COLOR)
        for side, tip in self._tips.items():
            path = self._payload_path(side)
            holder = path.removesuffix("/plates")
            pose = tip.placement.homogeneous @ _Y_ALONG_Z
            self._window[holder].set_transform(pose)
            self._window[path].set_object(shapes.Cylinder(1.0, 1.0), material)


def draw_stage(window: Any) -> None:
    """Floor, background and a camera that sees a standing robot whole."""
    import meshcat.geometry as shapes

    floor = shapes.Box([FLOOR_M, FLOOR_M, 0.01])
    window["floor"].set_object(floor, shapes.MeshLambertMaterial(color=FLOOR_COLOR))
    window["floor"].set_transform(_translation(0.0, 0.0, -0.006))
    window["/meshcat"].set_transform(_translation(0.0, 0.0, -CENTRE_HEIGHT_M))
    window["/Background"].set_property("top_color", [0.86, 0.90, 0.95])
    window["/Background"].set_property("bottom_color", [1.0, 1.0, 1.0])
    window["/Grid"].set_property("visible", False)
    window["/Axes"].set_property("visible", False)
    x, y, z = CAMERA_M
    camera = window["/Cameras/default/rotated/<object>"]
    camera.set_property("position", [x, z, -y])  # three.js: y up
    camera.set_property("zoom", CAMERA_ZOOM)


def quiet_meshcat() -> Any:
    """Import meshcat without the deprecation warnings of its old servers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import meshcat.visualizer
        from pinocchio.visualize import MeshcatVisualizer
    return meshcat.visualizer, MeshcatVisualizer


def _load_visuals(window: Any, robot: Robot, name: str, color: Rgba | None) -> None:
    model = robot.full_model
    visuals = load_visuals(robot)
    paths = {
        shape.name: f"{name}/{model.names[shape.parentJoint]}/{shape.name}"
        for shape in visuals.geometryObjects
    }
    loader = _loader(model, visuals, paths)
    loader.initViewer(viewer=window)
    for shape in visuals.geometryObjects:
        loader.loadViewerGeometryObject(shape, pin.GeometryType.VISUAL, color)
        placement = shape.placement.homogeneous.copy()
        placement[:3, :3] *= shape.meshScale
        window[paths[shape.name]].set_transform(placement)


def _loader(model: pin.Model, visuals: Any, paths: Mapping[str, str]) -> Any:
    """Pinocchio's visualizer, with our own place for each shape."""
    _, visualizer = quiet_meshcat()

    class Loader(visualizer):  # type: ignore[misc, valid-type]
        """Knows the path of each shape."""

        def getViewerNodeName(  # noqa: N802
            self,
            geometry_object: Any,
            geometry_type: Any,  # noqa: ARG002
        ) -> str:
            """Path below the shape's joint."""
            return paths[geometry_object.name]

    return Loader(model, None, visuals)


def _translation(x: float, y: float, z: float) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose
